//go:build unix

package docs

import (
	"cmp"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/yuin/goldmark"
	markdown "github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/crossborder-payouts/payouts/openapi"
)

// repository is the root folder of this module.
const repository = "../../.."

// guides is the name under which the texts of the contract are found.
const guides = "openapi/openapi.yaml"

// block is a code block of a document.
type block struct {
	document string // path from the root
	language string // of a fence; empty for an indented block
	code     string
	prints   string // what the next paragraph says that the block prints; empty if it does not say
}

// first returns the first line, to name a block.
func (b block) first() string {
	line, _, _ := strings.Cut(strings.TrimSpace(b.code), "\n")
	return b.document + ": " + line
}

// documents returns the blocks of all Markdown files and of the contract, by document.
func documents(t *testing.T) map[string][]block {
	t.Helper()
	found := map[string][]block{}
	for _, file := range files(t, ".md") {
		source, err := os.ReadFile(filepath.Join(repository, file))
		if err != nil {
			t.Fatal(err)
		}
		if blocks := blocksOf(file, string(source)); len(blocks) > 0 {
			found[file] = blocks
		}
	}
	doc := contract(t)
	texts := []string{doc.Info.Description}
	for _, tag := range doc.Tags {
		texts = append(texts, tag.Description)
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		operations := doc.Paths.Value(path).Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			texts = append(texts, operations[method].Description)
		}
	}
	for _, source := range texts {
		found[guides] = append(found[guides], blocksOf(guides, source)...)
	}
	return found
}

// files returns the files of the repository with an extension, without hidden folders, installed packages, templates and the code
// that `make bench` generates.
func files(t *testing.T, extension string) (found []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(repository), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"node_modules", "templates", "ogenapi"}, entry.Name())):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, extension):
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func blocksOf(document, source string) (found []block) {
	raw := []byte(source)
	root := goldmark.DefaultParser().Parse(text.NewReader(raw))
	err := markdown.Walk(root, func(n markdown.Node, entering bool) (markdown.WalkStatus, error) {
		if !entering || n.Kind() != markdown.KindCodeBlock && n.Kind() != markdown.KindFencedCodeBlock {
			return markdown.WalkContinue, nil
		}
		b := block{document: document, code: string(n.Lines().Value(raw))}
		if fence, ok := n.(*markdown.FencedCodeBlock); ok {
			b.language = string(fence.Language(raw))
		}
		if next := n.NextSibling(); next != nil && next.Kind() == markdown.KindParagraph {
			says, ok := strings.CutPrefix(string(next.Lines().Value(raw)), "It prints `")
			if ok {
				b.prints, _, _ = strings.Cut(says, "`")
			}
		}
		found = append(found, b)
		return markdown.WalkContinue, nil
	})
	if err != nil {
		panic(err) // the walk returns none
	}
	return found
}

// comments returns the code blocks in the documentation of all Go packages but the generated ones.
func comments(t *testing.T) (found []block) {
	t.Helper()
	for _, file := range files(t, ".go") {
		if strings.HasPrefix(file, "gen/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), filepath.Join(repository, file), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range attached(source) {
			for _, part := range new(comment.Parser).Parse(group.Text()).Content {
				if code, ok := part.(*comment.Code); ok {
					found = append(found, block{document: file, language: "go", code: code.Text})
				}
			}
		}
	}
	return found
}

// attached returns the comments that document the package and its declarations.
func attached(source *ast.File) []*ast.CommentGroup {
	groups := []*ast.CommentGroup{source.Doc}
	for _, declaration := range source.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			groups = append(groups, d.Doc)
		case *ast.GenDecl:
			groups = append(groups, d.Doc)
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					groups = append(groups, cmp.Or(s.Doc, s.Comment))
				case *ast.ValueSpec:
					groups = append(groups, cmp.Or(s.Doc, s.Comment))
				}
			}
		}
	}
	return slices.DeleteFunc(groups, func(g *ast.CommentGroup) bool { return g == nil })
}

func contract(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	return document
}
