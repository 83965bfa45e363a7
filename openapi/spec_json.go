package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// toJSON converts YAML nodes, not Go values, which would sort the members and convert the amounts of the examples (100.00) to
// floats. What JSON cannot express (aliases, hexadecimal numbers, dates) is an error.
func toJSON(text string) (string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return "", fmt.Errorf("openapi: parse openapi.yaml: %w", err)
	}
	if root.Kind != yaml.DocumentNode {
		return "", errors.New("openapi: openapi.yaml is empty")
	}
	var out bytes.Buffer
	if err := writeJSON(&out, root.Content[0]); err != nil {
		return "", err
	}
	return out.String(), nil
}

func writeJSON(out *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		return writeObject(out, node)
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range node.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := writeJSON(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		return writeScalar(out, node)
	}
	return notJSON(node)
}

func writeObject(out *bytes.Buffer, node *yaml.Node) error {
	seen := map[string]bool{}
	out.WriteByte('{')
	for i := 0; i < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" {
			return notJSON(name)
		}
		if seen[name.Value] {
			return fmt.Errorf("openapi: openapi.yaml:%d: %q is given twice", name.Line, name.Value)
		}
		seen[name.Value] = true
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeScalar(out, name); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := writeJSON(out, value); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

func writeScalar(out *bytes.Buffer, node *yaml.Node) error {
	switch node.ShortTag() {
	case "!!str":
		text := json.NewEncoder(out)
		text.SetEscapeHTML(false)
		if err := text.Encode(node.Value); err != nil {
			return err
		}
		out.Truncate(out.Len() - 1) // the encoder appends a line break
	case "!!null":
		out.WriteString("null")
	case "!!bool", "!!int", "!!float":
		// Plain numbers, true and false are the same in both; other notations (0x1F, .inf, True) are rejected.
		if !json.Valid([]byte(node.Value)) {
			return notJSON(node)
		}
		out.WriteString(node.Value)
	default:
		return notJSON(node)
	}
	return nil
}

func notJSON(node *yaml.Node) error {
	return fmt.Errorf("openapi: openapi.yaml:%d: %q has no exact form in JSON, quote it", node.Line, node.Value)
}
