package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2 // a flag or variable is invalid
)

const description = `A proxy that holds a service to the contract.

Requests that break the contract are refused before they reach the service; its responses are checked. ` +
	`See openapi/contract/front/README.md.

Exit codes: 0 stopped by a signal; 1 failure; 2 an invalid flag or variable.`

// exit carries the code with which kong ends the program, after --help for example.
type exit int

// run is the program. It serves until ctx ends, and returns the exit code. Logs go to errs, the summary to out.
func run(ctx context.Context, args []string, getenv func(string) string, out, errs io.Writer) (code int) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case exit:
			code = int(ended)
		default:
			panic(ended)
		}
	}()
	var o options
	parser, err := kong.New(&o, kong.Name("front"), kong.Description(description), kong.Writers(out, errs),
		kong.Exit(func(code int) { panic(exit(code)) }), kong.Resolvers(environment(getenv)),
		kong.ValueFormatter(func(v *kong.Value) string {
			if v.Flag == nil || v.Name == "help" {
				return kong.DefaultHelpValueFormatter(v)
			}
			return strings.TrimSuffix(kong.DefaultHelpValueFormatter(v), ".") + " ($" + variable(v.Name) + ")."
		}))
	if err == nil {
		_, err = parser.Parse(args)
	}
	if err != nil {
		fmt.Fprintf(errs, "front: %v\nTry: front --help\n", err)
		return exitUsage
	}
	err = serve(ctx, o, logger(errs, o.LogLevel, o.LogFormat), out)
	if usage, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(errs, "front: %v\nTry: front --help\n", usage)
		return exitUsage
	}
	if err != nil {
		fmt.Fprintln(errs, "front:", err)
		return exitFailure
	}
	return exitOK
}

// usageError is an invalid value of a flag.
type usageError struct {
	flag string
	err  error
}

// Error names the flag and the variable.
func (e usageError) Error() string {
	return fmt.Sprintf("--%s (or $%s) %v", e.flag, variable(e.flag), e.err)
}

// Unwrap returns the reason.
func (e usageError) Unwrap() error { return e.err }

func variable(flag string) string {
	return "PAYOUT_FRONT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment resolves flags that are not on the command line from their variables.
func environment(getenv func(string) string) kong.Resolver {
	var resolve kong.ResolverFunc = func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value := getenv(variable(flag.Name)); value != "" && flag.Name != "help" {
			return value, nil
		}
		return nil, nil
	}
	return resolve
}

// logger returns a logger for JSON lines or text.
func logger(w io.Writer, level, format string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // kong allows only the four names
	options := &slog.HandlerOptions{Level: l}
	if format == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
