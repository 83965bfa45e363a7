package docs

import (
	"regexp"
	"strings"
)

// level is what a nested list of docs.md shows, and its indentation.
type level struct {
	Depth                string
	Properties, Variants []*property
}

// Below returns the members of a property, deeper than a depth, or at the margin if that is "-".
func (p *property) Below(depth string) level {
	if depth == "-" {
		return level{"", p.Properties, p.Variants}
	}
	return level{depth + "  ", p.Properties, p.Variants}
}

// List returns the parameters, or nil.
func (op *operation) List() *level {
	if len(op.Parameters) == 0 {
		return nil
	}
	return &level{Properties: op.Parameters}
}

// oneLine returns a text without line breaks, for an item of a list.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

var headingMark = regexp.MustCompile(`^#+ `)

// below changes the levels of the headings of a Markdown text, so that the topmost ones have a level.
func below(text string, level int) string {
	lines := strings.SplitAfter(strings.TrimSpace(text), "\n")
	var headings []int // places in lines
	top, code := 6, false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if mark := headingMark.FindString(line); mark != "" && !code {
			headings = append(headings, i)
			top = min(top, len(mark)-1)
		}
	}
	for _, i := range headings {
		lines[i] = strings.Repeat("#", level) + lines[i][top:]
	}
	return strings.Join(lines, "")
}
