package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// maxProfile bounds the file of a profile, in bytes.
const maxProfile = 1 << 20

// profileErrors are all the things that are wrong with the form of a profile.
type profileErrors []string

// Error lists them, each on its line.
func (e profileErrors) Error() string { return "is no client profile:\n  " + strings.Join(e, "\n  ") }

// readProfile reads the file, or the standard input for "-".
func readProfile(file string) (payout.Profile, error) {
	var in io.Reader = os.Stdin
	if file != "-" {
		f, err := os.Open(file) //nolint:gosec // the operator names it
		if err != nil {
			return payout.Profile{}, err
		}
		defer f.Close() //nolint:errcheck // it is only read
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxProfile+1))
	if err != nil {
		return payout.Profile{}, err
	}
	if len(text) > maxProfile {
		return payout.Profile{}, fmt.Errorf("must have at most %d bytes", maxProfile)
	}
	return decodeProfile(text)
}

// decodeProfile reads one YAML document strictly: a key that is unknown or repeated is refused with its line, and so is
// a value of the wrong form. Amounts are taken as they are written, so that none goes through a float.
func decodeProfile(text []byte) (payout.Profile, error) {
	var document, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return payout.Profile{}, profileErrors{"it is empty"}
	case err != nil:
		return payout.Profile{}, profileErrors{strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return payout.Profile{}, profileErrors{"it must be one YAML document"}
	}
	var d profileDecoder
	var p payout.Profile
	d.mapping(document.Content[0], "", keys{
		{"id", d.text(&p.ID)},
		{"name", d.text(&p.Name)},
		{"corridors", elements(&d, &p.Corridors, func(c *payout.Corridor) keys {
			return keys{{"country", d.text(&c.Country)}, {"currency", d.text(&c.Currency)}}
		})},
		{"destinations", elements(&d, &p.Destinations, func(c *payout.ProfileDestination) keys {
			return keys{{"country", d.text(&c.Country)}, {"tiers", elements(&d, &c.Tiers, d.tier)}}
		})},
	})
	if len(d.wrong) > 0 {
		return payout.Profile{}, d.wrong
	}
	return p, nil
}

// profileDecoder collects what is wrong while it reads.
type profileDecoder struct{ wrong profileErrors }

// keys are the members that a mapping may have. Each reads its value, which is at the path.
type keys []key

type key struct {
	name string
	read func(value *yaml.Node, path string)
}

func (d *profileDecoder) tier(t *payout.ProfileTier) keys {
	return keys{
		{"limits", elements(d, &t.Limits, func(l *payout.ProfileLimit) keys {
			return keys{
				{"currency", d.text(&l.Currency)},
				{"daily", d.number(&l.Daily)}, {"monthly", d.number(&l.Monthly)}, {"annual", d.number(&l.Annual)},
			}
		})},
		{"required_tags", func(value *yaml.Node, path string) {
			d.mapping(value, path, keys{
				{"individual", d.texts(&t.RequiredTags.Individual)}, {"business", d.texts(&t.RequiredTags.Business)},
			})
		}},
	}
}

func (d *profileDecoder) found(n *yaml.Node, path, reason string) {
	d.wrong = append(d.wrong, fmt.Sprintf("line %d: %s %s", n.Line, cmp.Or(path, "it"), reason))
}

func (d *profileDecoder) mapping(n *yaml.Node, path string, allowed keys) {
	n = anchored(n)
	if n.Kind != yaml.MappingNode {
		d.found(n, path, "must be a mapping")
		return
	}
	var seen []string
	for i := 0; i < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		at := strings.TrimPrefix(path+"."+name.Value, ".")
		known := slices.IndexFunc(allowed, func(k key) bool { return k.name == name.Value })
		switch {
		case known < 0:
			d.found(name, at, "is not a known key")
		case slices.Contains(seen, name.Value):
			d.found(name, at, "must not be repeated")
		default:
			allowed[known].read(value, at)
		}
		seen = append(seen, name.Value)
	}
}

// elements reads a list of mappings.
func elements[T any](d *profileDecoder, into *[]T, of func(*T) keys) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		d.list(n, path, func(element *yaml.Node, at string) {
			var v T
			d.mapping(element, at, of(&v))
			*into = append(*into, v)
		})
	}
}

func (d *profileDecoder) texts(into *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		d.list(n, path, func(element *yaml.Node, at string) {
			var v string
			d.text(&v)(element, at)
			*into = append(*into, v)
		})
	}
}

func (d *profileDecoder) list(n *yaml.Node, path string, read func(*yaml.Node, string)) {
	n = anchored(n)
	if n.Kind != yaml.SequenceNode {
		d.found(n, path, "must be a list")
		return
	}
	for i, element := range n.Content {
		read(element, fmt.Sprintf("%s[%d]", path, i))
	}
}

// text takes a scalar as it is written: NO is Norway.
func (d *profileDecoder) text(into *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		if n = anchored(n); n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			d.found(n, path, "must be a text or a number, not empty, a list or a mapping")
			return
		}
		*into = n.Value
	}
}

func (d *profileDecoder) number(into *json.Number) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) { d.text((*string)(into))(n, path) }
}

// anchored follows an alias, so that destinations may share their tiers.
func anchored(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// printProfile writes a profile so that decodeProfile reads it again.
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
		case "daily", "monthly", "annual":
			c.Style, c.Tag = 0, "!!float"
		case "individual", "business":
			c.Style = yaml.FlowStyle
		}
	}
}

// profileChanges tells line by line what leads from one client to another. The order of corridors, destinations, limits
// and tags means nothing; that of tiers does.
func profileChanges(from, to payout.Client) []string {
	before, after := payout.NewProfile(from), payout.NewProfile(to)
	var c changes
	c.value("name", before.Name, after.Name)
	compare(&c, func(x payout.Corridor) string { return "corridor " + x.Country + "/" + x.Currency },
		before.Corridors, after.Corridors, func(x payout.Corridor) string { return x.Country },
		func(x, y payout.Corridor) { c.value("corridors["+x.Country+"].currency", x.Currency, y.Currency) })
	compare(&c, func(x payout.ProfileDestination) string { return "destination " + x.Country },
		before.Destinations, after.Destinations, func(x payout.ProfileDestination) string { return x.Country },
		func(x, y payout.ProfileDestination) { c.tiers("destinations["+x.Country+"]", x.Tiers, y.Tiers) })
	return c
}

// changes are lines that a person reads: + is new, - is gone, ~ is different.
type changes []string

func (c *changes) add(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

func (c *changes) value(path, from, to string) {
	if from != to {
		c.add("~ %s: %s -> %s", path, printable(from), printable(to))
	}
}

// compare finds elements by their name; label is how one that is new or gone is printed.
func compare[T any](c *changes, label func(T) string, from, to []T, name func(T) string, both func(x, y T)) {
	find := func(all []T, wanted string) int {
		return slices.IndexFunc(all, func(x T) bool { return name(x) == wanted })
	}
	for _, x := range from {
		if i := find(to, name(x)); i >= 0 {
			both(x, to[i])
		} else {
			c.add("- %s", label(x))
		}
	}
	for _, y := range to {
		if find(from, name(y)) < 0 {
			c.add("+ %s", label(y))
		}
	}
}

func (c *changes) tiers(path string, from, to []payout.ProfileTier) {
	for i := range max(len(from), len(to)) {
		at := fmt.Sprintf("%s.tiers[%d]", path, i)
		switch {
		case i >= len(to):
			c.add("- %s", at)
		case i >= len(from):
			c.add("+ %s", at)
		default:
			c.tags(at+".required_tags.individual", from[i].RequiredTags.Individual, to[i].RequiredTags.Individual)
			c.tags(at+".required_tags.business", from[i].RequiredTags.Business, to[i].RequiredTags.Business)
			compare(c, func(l payout.ProfileLimit) string { return at + ".limits[" + l.Currency + "]" },
				from[i].Limits, to[i].Limits, func(l payout.ProfileLimit) string { return l.Currency },
				func(x, y payout.ProfileLimit) {
					limit := at + ".limits[" + x.Currency + "]."
					c.value(limit+"daily", x.Daily.String(), y.Daily.String())
					c.value(limit+"monthly", x.Monthly.String(), y.Monthly.String())
					c.value(limit+"annual", x.Annual.String(), y.Annual.String())
				})
		}
	}
}

func (c *changes) tags(path string, from, to []string) {
	compare(c, func(tag string) string { return path + " " + tag }, from, to,
		func(tag string) string { return tag }, func(string, string) {})
}
