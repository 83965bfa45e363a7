package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
)

// prefix begins the names of all variables of payoutd.
const prefix = "PAYOUTD_"

// variable returns the name of the environment variable of a flag.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment has the values of the environment variables that begin with PAYOUTD_, in any case, by name.
type environment map[string]string

// newEnvironment reads assignments NAME=value. As in os.Getenv, the first of two with the same name counts.
func newEnvironment(assignments []string) environment {
	e := environment{}
	for _, assignment := range assignments {
		name, value, _ := strings.Cut(assignment, "=")
		if _, seen := e[name]; !seen && strings.HasPrefix(strings.ToUpper(name), prefix) {
			e[name] = value
		}
	}
	return e
}

// Validate implements kong.Resolver.
func (environment) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: it sets a flag that is not on the command line from its variable.
func (e environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if value := e[variable(flag.Name)]; value != "" {
		return value, nil
	}
	return nil, nil
}

// BeforeResolve rejects variables that are of no flag of any command, because a misspelt one would be ignored. It runs after
// --help.
func (e environment) BeforeResolve(app *kong.Kong) error {
	var known []string
	err := kong.Visit(app.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && flag.Name != "help" {
			known = append(known, variable(flag.Name))
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	var unknown []error
	for name, value := range e {
		if !slices.Contains(known, name) && !foreign(name, value) {
			unknown = append(unknown, errors.New(unknownVariable(name, known)))
		}
	}
	slices.SortFunc(unknown, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(unknown...)
}

// unknownVariable names the known variable with the most similar name, unless none is similar.
func unknownVariable(name string, known []string) string {
	distance := func(other string) int { return levenshtein.ComputeDistance(strings.ToUpper(name), other) }
	nearest := slices.MinFunc(known, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), strings.Compare(a, b))
	})
	text := name + " is not a variable of payoutd"
	if distance(nearest) <= (max(len(name), len(nearest))-len(prefix))/3 {
		text += fmt.Sprintf("; did you mean %s?", nearest)
	}
	return text
}

// serviceLink matches the variables that Kubernetes sets in each pod for a service whose name begins with payoutd.
var serviceLink = regexp.MustCompile(
	`^PAYOUTD_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)=|PORT(_\d+_(TCP|UDP|SCTP))?=(tcp|udp|sctp)://|PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)=)`)

// foreign reports whether a variable is none of the operator's: it is of the tests, or Kubernetes set it.
func foreign(name, value string) bool {
	return strings.HasPrefix(name, prefix+"TEST_") || serviceLink.MatchString(name+"="+value)
}
