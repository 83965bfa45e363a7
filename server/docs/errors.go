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
	codes := map[string]*failure{}
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
				f := codes[code]
				if f == nil {
					f = &failure{Status: r.status, Code: code, Example: ex.at("value").pretty()}
					codes[code] = f
					w.ref.Failures = append(w.ref.Failures, f)
				}
				if cause = cmp.Or(cause, refusal.Description); !slices.Contains(f.Causes, cause) {
					f.Causes = append(f.Causes, cause)
				}
			}
			op.Refusals = append(op.Refusals, refusal)
		}
	}
	slices.SortStableFunc(w.ref.Failures, func(a, b *failure) int { return cmp.Compare(a.Status, b.Status) })
}
