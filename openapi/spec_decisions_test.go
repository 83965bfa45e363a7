package openapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/crossborder-payouts/payouts/openapi"
)

var (
	decisionID  = regexp.MustCompile(`\bD-[0-9]+\b`)
	oneDecision = regexp.MustCompile(`^D-[0-9]{2}$`)
	heading     = regexp.MustCompile(`^(D-[0-9]{2}) [A-Z].*[^.]$`)
	pointer     = regexp.MustCompile("`(#[^`]*)`")
	labels      = []string{"The document says", "We do", "Why", "Where"}
)

const gaps = "Gaps of the document"

// entry is one decision: the text after each label.
type entry map[string]string

func TestDecisionsAreNumberedWithoutGapsAndComplete(t *testing.T) {
	t.Parallel()
	ids, entries, _ := decisions(t)
	for i, id := range ids {
		if want := fmt.Sprintf("D-%02d", i+1); id != want {
			t.Fatalf("entry %d is %s, want %s", i+1, id, want)
		}
		if got := slices.Sorted(maps.Keys(entries[id])); !slices.Equal(got, slices.Sorted(slices.Values(labels))) {
			t.Errorf("%s has the labels %q, want %q", id, got, labels)
		}
		for label, text := range entries[id] {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s is empty", id, label)
			}
		}
	}
}

func TestMarksAndDecisionsMatch(t *testing.T) {
	t.Parallel()
	ids, entries, _ := decisions(t)
	marks := marksOfTheSpec(t)
	for id, places := range marks {
		if entries[id] == nil {
			t.Errorf("the spec is marked with %s, which has no entry, at %v", id, places)
		}
	}
	for _, id := range ids {
		var named []string
		for _, found := range pointer.FindAllStringSubmatch(entries[id]["Where"], -1) {
			named = append(named, found[1])
		}
		if len(marks[id]) == 0 {
			t.Errorf("%s is marked nowhere in the spec", id)
		}
		if !slices.Equal(slices.Sorted(slices.Values(named)), slices.Sorted(slices.Values(marks[id]))) {
			t.Errorf("%s: Where is not what carries the mark, which is:\n`%s`", id, strings.Join(marks[id], "`, `"))
		}
	}
}

func TestReferencesBetweenDecisions(t *testing.T) {
	t.Parallel()
	_, entries, rows := decisions(t)
	for _, name := range []string{"decisions.md", "CHANGELOG.md"} {
		for _, id := range decisionID.FindAllString(read(t, name), -1) {
			if entries[id] == nil {
				t.Errorf("%s mentions %s, which has no entry", name, id)
			}
		}
	}
	if len(rows) == 0 {
		t.Fatal("the table of gaps is empty")
	}
	for _, row := range rows {
		if len(row) != 3 || row[0] == "" || row[1] == "" {
			t.Errorf("a row of the table of gaps is not section, gap, entry: %q", row)
		} else if len(decisionID.FindAllString(row[2], -1)) == 0 {
			t.Errorf("the gap %q points to no entry", row[1])
		}
	}
}

// The entry on idempotency publishes the algorithm of the fingerprint with one worked example.
func TestFingerprintExample(t *testing.T) {
	t.Parallel()
	_, entries, _ := decisions(t)
	example := regexp.MustCompile("(?s)```json\n(.*?)\n *```.*?`([0-9a-f]{64})`").
		FindStringSubmatch(entries["D-16"]["We do"])
	if example == nil {
		t.Fatal("D-16 has no canonical JSON followed by its SHA-256")
	}
	canonical := []byte(strings.TrimSpace(example[1]))
	var value struct {
		Operation string            `json:"operation"`
		Path      map[string]string `json:"path"`
		Body      map[string]any    `json:"body"`
	}
	if err := json.Unmarshal(canonical, &value); err != nil {
		t.Fatal(err)
	}
	// encoding/json sorts members and writes plain ASCII as RFC 8785 does.
	sorted, err := json.Marshal(map[string]any{"operation": value.Operation, "path": value.Path, "body": value.Body})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(sorted, canonical) {
		t.Errorf("the example is not canonical, want\n%s", sorted)
	}
	if sum := sha256.Sum256(canonical); hex.EncodeToString(sum[:]) != example[2] {
		t.Errorf("the fingerprint of the example is %x", sum)
	}
	if document(t).Paths.Value("/users/{user_id}/transactions").Post.OperationID != value.Operation {
		t.Errorf("the example is of %q, which does not create a transaction", value.Operation)
	}
}

// decisions parses decisions.md: the numbers in order, the entries, and the rows of the table of gaps.
func decisions(t *testing.T) (ids []string, entries map[string]entry, rows [][]string) {
	t.Helper()
	entries = map[string]entry{}
	for _, section := range strings.Split(read(t, "decisions.md"), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		if title == gaps {
			rows = table(text)
			continue
		}
		found := heading.FindStringSubmatch(title)
		if found == nil {
			t.Fatalf("heading %q is not of the form D-01 Title", title)
		}
		ids = append(ids, found[1])
		entries[found[1]] = entry{}
		for _, line := range strings.Split("\n"+strings.TrimSpace(text), "\n- **")[1:] {
			label, rest, ok := strings.Cut(line, ":** ")
			if !ok || entries[found[1]][label] != "" {
				t.Errorf("%s: %q is not one labelled line", found[1], line)
			}
			entries[found[1]][label] = rest
		}
	}
	return ids, entries, rows
}

func table(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		cells, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
		if !ok {
			continue
		}
		row := strings.Split(strings.TrimSuffix(cells, "|"), "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	return rows[min(2, len(rows)):] // the head and its rule
}

// marksOfTheSpec returns the places of each decision as JSON pointers. It walks the YAML nodes, because a parsed document
// loses extensions next to a $ref, and which of two equal schemas has a mark.
func marksOfTheSpec(t *testing.T) map[string][]string {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal(openapi.YAML(), &root); err != nil {
		t.Fatal(err)
	}
	marks := map[string][]string{}
	var walk func(node *yaml.Node, at string)
	walk = func(node *yaml.Node, at string) {
		switch node.Kind {
		case yaml.SequenceNode:
			for i, item := range node.Content {
				walk(item, at+"/"+strconv.Itoa(i))
			}
		case yaml.MappingNode:
			for i := 0; i < len(node.Content); i += 2 {
				name, value := node.Content[i].Value, node.Content[i+1]
				if name != "x-decision" {
					walk(value, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
					continue
				}
				ids := decided(t, at, value)
				for _, id := range ids {
					marks[id] = append(marks[id], at)
				}
			}
		}
	}
	walk(root.Content[0], "#")
	return marks
}

// decided parses a mark: one number, or an ascending list.
func decided(t *testing.T, at string, mark *yaml.Node) (ids []string) {
	t.Helper()
	if mark.Kind == yaml.ScalarNode {
		ids = []string{mark.Value}
	} else if err := mark.Decode(&ids); err != nil || len(ids) < 2 {
		t.Errorf("%s: a mark is one number or a list of several: %v", at, err)
	}
	for i, id := range ids {
		if !oneDecision.MatchString(id) {
			t.Errorf("%s: %q is not the number of a decision", at, id)
		}
		if i > 0 && ids[i-1] >= id {
			t.Errorf("%s: %v is not in ascending order without repeats", at, ids)
		}
	}
	return ids
}
