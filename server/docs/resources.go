package docs

import (
	"net/http"
	"slices"
	"strings"
)

// resources finds out which ids of the examples name the same thing: what a creation or a list answers in an example is what
// other examples mean by that id. So "Try it" can replace the id of an example by the one that the reader has created.
func (w *walker) resources() {
	for _, isSource := range []func(*operation) bool{(*operation).creates, func(op *operation) bool { return op.Method == http.MethodGet }} {
		for _, op := range w.ref.operations() {
			last := op.Path[strings.LastIndex(op.Path, "/")+1:]
			if !isSource(op) || strings.Contains(last, "{") {
				continue
			}
			name := strings.ReplaceAll(singular(last), "-", "_") + "_id"
			for _, id := range w.answeredIDs(op) {
				if w.ref.Examples[id] != "" {
					continue
				}
				w.ref.Examples[id] = name
				if _, ok := w.ref.Resources[name]; !ok {
					w.ref.Resources[name] = resource{strings.ReplaceAll(strings.TrimSuffix(name, "_id"), "_", " "), op.ID}
				}
			}
		}
	}
	for _, op := range w.ref.operations() {
		for _, id := range w.answeredIDs(op) {
			op.Resource = w.ref.Examples[id]
		}
	}
}

func (op *operation) creates() bool {
	return op.Method == http.MethodPost && slices.ContainsFunc(op.Parameters, func(p *property) bool { return p.Fresh })
}

func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(word, "s")
}

// answeredIDs returns the member id of the examples of success: of the answer, or of each item of a list.
func (w *walker) answeredIDs(op *operation) []string {
	var ids []string
	for _, r := range op.responses {
		if !strings.HasPrefix(r.status, "2") {
			continue
		}
		for _, ex := range w.examplesOf(r.node) {
			value := ex.at("value")
			if items := value.at("items"); items != nil {
				value = items
			}
			for _, item := range value.list() {
				if id := item.at("id").text(); uuid.MatchString(id) {
					ids = append(ids, id)
				}
			}
		}
	}
	return ids
}
