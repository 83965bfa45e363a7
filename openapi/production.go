package openapi

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

var (
	production     = sync.OnceValues(func() (string, error) { return withoutSandbox(source) })
	productionJSON = sync.OnceValues(func() (string, error) {
		text, err := production()
		if err != nil {
			return "", err
		}
		return toJSON(text)
	})
)

// ProductionYAML returns the contract as services outside of sandbox mode publish it: [YAML] without the lines of the
// sandbox operations, of their tag, and of the components that only they use. Each call returns a new slice.
func ProductionYAML() ([]byte, error) {
	text, err := production()
	return []byte(text), err
}

// ProductionJSON returns [ProductionYAML] as JSON, as [JSON] does.
func ProductionJSON() ([]byte, error) {
	text, err := productionJSON()
	return []byte(text), err
}

// withoutSandbox removes lines instead of writing the document anew, so that comments and format stay.
func withoutSandbox(text string) (string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return "", fmt.Errorf("openapi: parse openapi.yaml: %w", err)
	}
	top := root.Content[0]
	paths, components := member(top, "paths"), member(top, "components")
	removed := lines{text: strings.SplitAfter(text, "\n")}

	all, usedByAll := values(paths, "tags"), reachable(top, components)
	for i := 0; i < len(paths.Content); i += 2 {
		if strings.HasPrefix(paths.Content[i].Value, "/sandbox/") {
			removed.remove(paths.Content[i])
			paths.Content = slices.Delete(paths.Content, i, i+2)
			i -= 2
		}
	}
	left := values(paths, "tags")
	for _, tag := range member(top, "tags").Content {
		if name := member(tag, "name").Value; all[name] && !left[name] {
			removed.remove(tag)
		}
	}
	used := reachable(top, components)
	for i := 0; i < len(components.Content); i += 2 {
		kind, group := components.Content[i], components.Content[i+1]
		var unused []*yaml.Node
		for j := 0; j < len(group.Content); j += 2 {
			name := "#/components/" + kind.Value + "/" + group.Content[j].Value
			if usedByAll[name] && !used[name] { // one that no operation uses at all is for another reader
				unused = append(unused, group.Content[j])
			}
		}
		if 2*len(unused) == len(group.Content) {
			unused = []*yaml.Node{kind}
		}
		for _, node := range unused {
			removed.remove(node)
		}
	}
	if removed.err != nil {
		return "", removed.err
	}
	return strings.Join(removed.text, ""), nil
}

// reachable returns the references to components from outside of them, directly or through others.
func reachable(top, components *yaml.Node) map[string]bool {
	used := map[string]bool{}
	var walk func(*yaml.Node)
	walk = func(node *yaml.Node) {
		if node == components {
			return
		}
		if name, ok := strings.CutPrefix(node.Value, "#/components/"); ok && node.Kind == yaml.ScalarNode && !used[node.Value] {
			used[node.Value] = true
			kind, name, _ := strings.Cut(name, "/")
			if target := member(member(components, kind), name); target != nil {
				walk(target)
			}
		}
		for _, child := range node.Content {
			walk(child)
		}
	}
	walk(top)
	for name := range values(top, "security") { // names its schemes without a reference
		used["#/components/securitySchemes/"+name] = true
	}
	return used
}

// values returns the scalars and names in all members with a name, however deep.
func values(node *yaml.Node, name string) map[string]bool {
	found := map[string]bool{}
	var walk func(node *yaml.Node, inside bool)
	walk = func(node *yaml.Node, inside bool) {
		if inside && node.Kind == yaml.ScalarNode {
			found[node.Value] = true
		}
		for i, child := range node.Content {
			walk(child, inside || node.Kind == yaml.MappingNode && i%2 == 1 && node.Content[i-1].Value == name)
		}
	}
	walk(node, false)
	return found
}

// member returns the value of a member of a mapping, or nil.
func member(mapping *yaml.Node, name string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// lines are the lines of a YAML text; removed ones are empty.
type lines struct {
	text []string
	err  error
}

// remove removes the block that starts at a node (the name of a member, or an item of a sequence), with the lines that are
// indented deeper and the comment above it.
func (l *lines) remove(node *yaml.Node) {
	first := node.Line - 1
	indent := indentation(l.text[first])
	if column := node.Column - 1; column != indent && !strings.HasPrefix(l.text[first][indent:], "- ") {
		l.err = fmt.Errorf("openapi: openapi.yaml:%d: must start its line, because it is removed outside of sandbox mode", node.Line)
		return
	}
	end := first + 1
	for end < len(l.text) && (strings.TrimSpace(l.text[end]) == "" || indentation(l.text[end]) > indent) {
		end++
	}
	for first > 0 && indentation(l.text[first-1]) == indent && strings.HasPrefix(l.text[first-1][indent:], "#") {
		first--
	}
	for i := first; i < end; i++ {
		l.text[i] = ""
	}
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
