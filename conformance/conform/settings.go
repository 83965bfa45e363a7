package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// settings supplies flags that are not on the command line from their variable, or else from their key in the file.
type settings struct {
	getenv func(string) string
	read   bool
	file   map[string]any
}

func variable(flag string) string { return "CONFORM_" + strings.ToUpper(key(flag)) }

func key(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// Validate implements [kong.Resolver]. The file is read later, when its name is known.
func (s *settings) Validate(*kong.Application) error { return nil }

// Resolve implements [kong.Resolver].
func (s *settings) Resolve(c *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if err := s.readFile(c); err != nil {
		return nil, err
	}
	if value := s.getenv(variable(flag.Name)); value != "" && flag.Name != "help" {
		return value, nil
	}
	switch value := s.file[key(flag.Name)].(type) {
	case nil, []any:
		return value, nil
	default:
		return fmt.Sprint(value), nil
	}
}

// readFile reads the file of --config, once. Its keys are flags.
func (s *settings) readFile(c *kong.Context) error {
	if s.read {
		return nil
	}
	s.read = true
	flags := map[string]*kong.Flag{}
	for _, flag := range c.Flags() {
		flags[key(flag.Name)] = flag
	}
	name, _ := c.FlagValue(flags["config"]).(string)
	if name == "" {
		name = s.getenv(variable("config"))
	}
	if name == "" {
		return nil
	}
	if err := readYAML(name, &s.file); err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	for name := range s.file {
		if flags[name] == nil || name == "config" || name == "help" {
			return fmt.Errorf("--config: there is no option %q", name)
		}
	}
	return nil
}

// maxFile is the maximum size of a file in bytes.
const maxFile = 1 << 20

// readYAML decodes a document and rejects unknown keys.
func readYAML(name string, into any) error {
	f, err := os.Open(name) //nolint:gosec // the user names it
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is only read
	d := yaml.NewDecoder(io.LimitReader(f, maxFile))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return nil
}
