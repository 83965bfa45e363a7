package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
)

// maxProfile is the largest file of a profile, in bytes.
const maxProfile = 1 << 20

// readClient reads a client from a YAML file, or from the standard input if it is "-".
func readClient(file string) (payout.Client, error) {
	name, in := file, io.Reader(os.Stdin)
	if file == "-" {
		name = "the standard input"
	} else {
		f, err := os.Open(file) //nolint:gosec // the operator names it
		if err != nil {
			return payout.Client{}, err
		}
		defer f.Close() //nolint:errcheck // it is only read
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxProfile+1))
	if err != nil {
		return payout.Client{}, err
	}
	if len(text) > maxProfile {
		return payout.Client{}, fmt.Errorf("%s has more than %d bytes", name, maxProfile)
	}
	client, wrong := parseClient(text)
	if len(wrong) > 0 {
		return payout.Client{}, fmt.Errorf("%s is not a client profile:\n  %s", name, strings.Join(wrong, "\n  "))
	}
	return client, nil
}

// parseClient reads one YAML document, or returns everything that is wrong with it, each with its line and field. An
// unknown or repeated key is wrong, too. Amounts are decoded from the text of the scalar, so that none becomes a float.
func parseClient(text []byte) (client payout.Client, wrong []string) {
	var p payout.Profile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err := decoder.Decode(&p)
	if errors.Is(err, io.EOF) {
		return client, []string{"the file is empty"}
	}
	var root yaml.Node
	if failed := yaml.Unmarshal(text, &root); failed != nil {
		return client, []string{strings.TrimPrefix(failed.Error(), "yaml: ")}
	}
	document := profileNode{&root, ""}
	var mismatches *yaml.TypeError
	if errors.As(err, &mismatches) {
		for _, message := range mismatches.Errors {
			wrong = append(wrong, document.reword(message))
		}
		return client, slices.Compact(wrong) // an alias is decoded as often as it is used
	}
	if err != nil {
		return client, []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return client, []string{"the file has more than one YAML document"}
	}
	for _, s := range server.SandboxClients {
		if p.ID == payout.ClientID(s.ID) {
			wrong = append(wrong, document.at("id")+" must not be that of a sandbox client, whose secret everybody knows")
		}
	}
	client, violations := p.Client(reference.Country)
	for _, v := range violations {
		wrong = append(wrong, document.at(v.Field)+" "+v.Reason)
	}
	if len(wrong) > 0 {
		return payout.Client{}, wrong
	}
	return client, nil
}

// profileNode is a node of the document at a path such as destinations[0].tiers[1].
type profileNode struct {
	*yaml.Node
	path string
}

// children returns the values of a mapping or the elements of a list. The line of a value is that of its key.
func (n profileNode) children() []profileNode {
	var all []profileNode
	switch n.Kind {
	case yaml.DocumentNode:
		return profileNode{n.Content[0], ""}.children()
	case yaml.AliasNode:
		return profileNode{n.Alias, n.path}.children()
	case yaml.SequenceNode:
		for i, element := range n.Content {
			all = append(all, profileNode{element, fmt.Sprintf("%s[%d]", n.path, i)})
		}
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			value := *n.Content[i+1]
			value.Line = n.Content[i].Line
			all = append(all, profileNode{&value, strings.TrimPrefix(n.path+"."+n.Content[i].Value, ".")})
		}
	}
	return all
}

// at returns the line and the path of a field; a field that is missing has the line of what it is missing from.
func (n profileNode) at(path string) string {
	line := max(n.Line, 1)
	for node := n; ; {
		i := slices.IndexFunc(node.children(), func(c profileNode) bool {
			rest, ok := strings.CutPrefix(path, c.path)
			return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
		if i < 0 {
			return fmt.Sprintf("line %d: %s", line, path)
		}
		node = node.children()[i]
		line = node.Line
	}
}

// find returns the paths of the nodes of one line that match.
func (n profileNode) find(line int, match func(profileNode) bool) []string {
	var paths []string
	for _, c := range n.children() {
		if c.Line == line && match(c) {
			paths = append(paths, c.path)
		}
		if c.Kind != yaml.AliasNode {
			paths = append(paths, c.find(line, match)...)
		}
	}
	return paths
}

// What the YAML library reports; the names of Go types in it mean nothing to an operator.
var (
	unknownKey   = regexp.MustCompile(`^line (\d+): field (.*) not found in type `)
	repeatedKey  = regexp.MustCompile(`^line (\d+): mapping key "(.*)" already defined at line (\d+)$`)
	typeMismatch = regexp.MustCompile("(?s)^line (\\d+): cannot unmarshal (!!\\w+)(?: `.*`)? into (.*)$")
)

// reword names the field in a message of the YAML library, where the line has only one that fits.
func (n profileNode) reword(message string) string {
	field := func(line string, match func(profileNode) bool, otherwise string) string {
		number, _ := strconv.Atoi(line)
		if paths := slices.Compact(n.find(number, match)); len(paths) == 1 {
			otherwise = paths[0]
		}
		return "line " + line + ": " + otherwise
	}
	named := func(key string) func(profileNode) bool {
		return func(c profileNode) bool { return c.path == key || strings.HasSuffix(c.path, "."+key) }
	}
	if m := unknownKey.FindStringSubmatch(message); m != nil {
		return field(m[1], named(m[2]), m[2]) + " is not a known key"
	}
	if m := repeatedKey.FindStringSubmatch(message); m != nil {
		return field(m[1], named(m[2]), m[2]) + " is repeated; it is also on line " + m[3]
	}
	if m := typeMismatch.FindStringSubmatch(message); m != nil {
		want := map[byte]string{'[': "a list", 's': "a text", 'j': "a number"}[m[3][0]]
		tagged := func(c profileNode) bool { return c.ShortTag() == m[2] }
		return field(m[1], tagged, "the value") + " must be " + cmp.Or(want, "a mapping")
	}
	return message
}

// printProfile writes a profile so that readProfile reads it again.
func printProfile(out io.Writer, p payout.Profile) error {
	var n yaml.Node
	if err := n.Encode(p); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	readable(&n)
	e := yaml.NewEncoder(out)
	e.SetIndent(2)
	return e.Encode(&n)
}

// readable writes amounts without quotes, and lists of tags on one line.
func readable(n *yaml.Node) {
	for i, c := range n.Content {
		readable(c)
		if n.Kind != yaml.MappingNode || i%2 == 0 {
			continue
		}
		switch n.Content[i-1].Value {
		case "daily", "monthly", "annual", "min", "max":
			c.Style, c.Tag = 0, "!!int"
			if strings.Contains(c.Value, ".") {
				c.Tag = "!!float"
			}
		case "individual", "business":
			c.Style = yaml.FlowStyle
		}
	}
}
