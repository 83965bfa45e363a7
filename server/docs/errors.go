package docs

import (
	"cmp"
	"slices"
	"strings"
)

// response is a response of an operation; name is that of its component, if it is one.
type response struct {
	status, name string
	node         *node
}

// examplesOf returns the named examples of a body.
func (w *walker) examplesOf(n *node) []*node {
	var all []*node
	for _, media := range n.at("content").members() {
		for _, named := range media.at("examples").members() {
			named, _ = w.follow(named)
			all = append(all, named)
		}
	}
	return all
}

// refusals reads what is no success: of each operation, and each code in all of them.
func (w *walker) refusals() {
	operations := w.ref.operations()
	uses := map[string]int{}
	for _, op := range operations {
		for _, r := range op.responses {
			uses[r.name]++
		}
	}
	found := failures{}
	for _, op := range operations {
		for _, r := range op.responses {
			if strings.HasPrefix(r.status, "2") {
				continue
			}
			refusal := refusal{
				Status: r.status, Description: r.node.at("description").text(),
				Everywhere: r.name != "" && uses[r.name] == len(operations),
			}
			for _, ex := range w.examplesOf(r.node) {
				code := ex.at("value", "code").text()
				if code == "" {
					continue
				}
				// A summary that is the code says nothing more.
				cause := strings.TrimPrefix(strings.TrimPrefix(ex.at("summary").text(), code), ", ")
				if i := slices.IndexFunc(refusal.Codes, func(c named) bool { return c.Name == code }); i < 0 {
					refusal.Codes = append(refusal.Codes, named{code, cause})
				} else {
					refusal.Codes[i].Description = ""
				}
				found.add(ex.at("value"), cmp.Or(cause, refusal.Description))
			}
			op.Refusals = append(op.Refusals, refusal)
		}
	}
	for name, r := range w.root.at("components", "responses").members() {
		if uses[name] == 0 { // that of a method which no operation has
			for _, ex := range w.examplesOf(r) {
				found.add(ex.at("value"), r.at("description").text())
			}
		}
	}
	// Every code has an anchor, to which the doc_url of an error leads (D-73).
	for _, code := range w.root.at("components", "schemas", "ErrorCode", "x-known-values").texts() {
		if found[code] == nil {
			found[code] = &failure{Code: code, Causes: []string{"No operation of this service answers it."}}
		}
		w.ref.Failures = append(w.ref.Failures, found[code])
	}
}

// failures are the errors of the contract by their codes.
type failures map[string]*failure

// add adds a cause of the error that is the value of an example.
func (f failures) add(value *node, cause string) {
	code := value.at("code").text()
	if f[code] == nil {
		f[code] = &failure{
			Status: value.at("status").text(), Code: code, Message: value.at("message").text(), Example: value.pretty(),
		}
	}
	if !slices.Contains(f[code].Causes, cause) {
		f[code].Causes = append(f[code].Causes, cause)
	}
}
