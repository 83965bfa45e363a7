package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// heading is a heading of a rendered text; Level 2 is below the title of the page.
type heading struct {
	Level    int
	ID, Text string
}

// renderer renders the Markdown texts of one page: ids are unique within it. Raw HTML is left out.
type renderer struct {
	markdown goldmark.Markdown
	ids      anchors
	links    map[string]string // by the text of a code span: an error code or an operation
}

func newRenderer() *renderer {
	return &renderer{
		markdown: goldmark.New(
			// Alignment by attribute, because the Content-Security-Policy forbids style attributes.
			goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
			goldmark.WithParserOptions(
				parser.WithAutoHeadingID(),
				parser.WithInlineParsers(util.Prioritized(decisionLinks{}, 500)),
			),
		),
		ids:   anchors{},
		links: map[string]string{},
	}
}

// render renders a text whose topmost headings get a level, and returns its headings too.
func (r *renderer) render(source string, level int) (template.HTML, []heading, error) {
	text := text.NewReader([]byte(source))
	document := r.markdown.Parser().Parse(text, parser.WithContext(parser.NewContext(parser.WithIDs(r.ids))))
	top := 6
	for _, n := range nodes[*ast.Heading](document) {
		top = min(top, n.Level)
	}
	var found []heading
	for _, n := range nodes[*ast.Heading](document) {
		n.Level = min(6, n.Level-top+level)
		id, _ := n.AttributeString("id")
		found = append(found, heading{n.Level, fmt.Sprintf("%s", id), plain(n, text.Source())})
	}
	for _, n := range nodes[*ast.CodeSpan](document) {
		if target := r.links[plain(n, text.Source())]; target != "" && n.Parent().Kind() != ast.KindLink && n.Parent().Kind() != ast.KindHeading {
			link := ast.NewLink()
			link.Destination = []byte(target)
			n.Parent().ReplaceChild(n.Parent(), n, link)
			link.AppendChild(link, n)
		}
	}
	for _, n := range nodes[*east.Table](document) {
		label(n, text.Source())
	}
	for _, n := range nodes[*ast.Link](document) {
		if page, ok := pageOf[string(n.Destination)]; ok {
			n.Destination = []byte(page)
		}
	}
	var out bytes.Buffer
	if err := r.markdown.Renderer().Render(&out, text.Source(), document); err != nil {
		return "", nil, fmt.Errorf("docs: render Markdown: %w", err)
	}
	return template.HTML(scrollable.Replace(out.String())), found, nil //nolint:gosec // goldmark escapes everything
}

// scrollable lets wide tables scroll by themselves, with the keyboard too.
var scrollable = strings.NewReplacer(
	"<table>", `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>`, "</table>", "</table></div>")

// label gives each cell the heading of its column, for screens that are too narrow for columns.
func label(table *east.Table, source []byte) {
	var labels []string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		i := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if row.Kind() == east.KindTableHeader {
				labels = append(labels, plain(cell, source))
			} else if i < len(labels) && labels[i] != "" {
				cell.SetAttributeString("data-label", []byte(labels[i]))
			}
			i++
		}
	}
}

// pageOf maps files that lie next to the contract to their pages.
var pageOf = map[string]string{
	"decisions.md": "/decisions", "CHANGELOG.md": "/changelog", "openapi.yaml": "/openapi.yaml",
}

// nodes returns all nodes of one type.
func nodes[T ast.Node](document ast.Node) []T {
	var all []T
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // fails only if the function does
		if t, ok := n.(T); ok && entering {
			all = append(all, t)
		}
		return ast.WalkContinue, nil
	})
	return all
}

// plain returns a node's text without marks.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	for _, t := range nodes[*ast.Text](n) {
		out.Write(t.Value(source))
	}
	return out.String()
}

var decisionID = regexp.MustCompile(`^D-[0-9]{2}\b`)

// decisionAnchor is the anchor of a decision on its page: #d-31 of D-31.
func decisionAnchor(id string) string { return strings.ToLower(id) }

// anchors are the ids of a page. They implement parser.IDs.
type anchors map[string]bool

// Generate implements parser.IDs: words joined by hyphens, and of a decision its number alone.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	if id := decisionID.Find(value); id != nil {
		return []byte(a.take(decisionAnchor(string(id))))
	}
	words := strings.FieldsFunc(strings.ToLower(string(value)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return []byte(a.take(strings.Join(words, "-")))
}

// Put implements parser.IDs.
func (a anchors) Put(value []byte) { a[string(value)] = true }

// take returns an id that is not in use yet, and uses it.
func (a anchors) take(id string) string {
	if id == "" {
		id = "section"
	}
	unique := id
	for n := 2; a[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	a[unique] = true
	return unique
}

// decisionLinks makes a link of each D-nn at the start of a word.
type decisionLinks struct{}

// Trigger implements parser.InlineParser. A space also stands for the start of a line.
func (decisionLinks) Trigger() []byte { return []byte{' ', '('} }

// Parse implements parser.InlineParser.
func (decisionLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	before := 0
	if line[0] == ' ' || line[0] == '(' {
		before = 1
	}
	id := decisionID.Find(line[before:])
	if id == nil || parent.Kind() == ast.KindHeading || pc.IsInLinkLabel() {
		return nil
	}
	if before > 0 {
		ast.MergeOrAppendTextSegment(parent, segment.WithStop(segment.Start+before))
	}
	link := ast.NewLink()
	link.Destination = []byte("/decisions#" + decisionAnchor(string(id)))
	link.AppendChild(link, ast.NewTextSegment(text.NewSegment(segment.Start+before, segment.Start+before+len(id))))
	block.Advance(before + len(id))
	return link
}
