package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// line is one body and what our package says of it.
type line struct {
	Operation string   `json:"operation"`
	Body      string   `json:"body"`
	Reasons   []string `json:"reasons"` // empty if the body is valid
}

func main() {
	bodies := flag.Int("bodies", 16000, "how many bodies to write")
	seed := flag.Uint64("seed", 1, "of the random choices")
	flag.Parse()
	if err := write(*bodies, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "ajv:", err)
		os.Exit(1)
	}
}

// write spreads the bodies over all operations that take one, by their number of members.
func write(bodies int, seed uint64) error {
	document, err := openapi.Document()
	if err != nil {
		return err
	}
	published, err := contract.Published()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	random := rand.New(rand.NewPCG(seed, seed))
	for written := 0; written < bodies; {
		for _, op := range published.Operations() {
			body := document.Paths.Find(op.Path).GetOperation(op.Method).RequestBody
			if body == nil {
				continue
			}
			schema := body.Value.Content.Get("application/json").Schema.Value
			for range 1 + len(schema.Properties)/4 {
				l, err := newLine(random, op, schema)
				if err != nil {
					return fmt.Errorf("%s: %w", op.ID, err)
				}
				if err := lines.Encode(l); err != nil {
					return err
				}
				written++
			}
		}
	}
	return out.Flush()
}

// newLine makes a body, half of the time a damaged one.
func newLine(random *rand.Rand, op *contract.Operation, schema *openapi3.Schema) (line, error) {
	body, err := generate(random, schema, random.IntN(2) == 0)
	if err != nil {
		return line{}, err
	}
	reasons, err := judge(op, body)
	return line{op.ID, body, reasons}, err
}

// judge returns why our package refuses the body, or nothing.
func judge(op *contract.Operation, body string) ([]string, error) {
	r, err := http.NewRequestWithContext(context.Background(), op.Method, "/", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	path := map[string]string{}
	for _, segment := range strings.Split(op.Path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			path[strings.TrimSuffix(name, "}")] = uuid.NewString()
		}
	}
	reasons := []string{}
	_, err = op.CheckRequest(r, path, contract.DefaultBodyLimit)
	var refused *contract.Error
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusBadRequest:
		for _, v := range refused.Violations {
			if v.In != "body" {
				return nil, err
			}
			reasons = append(reasons, v.Reason)
		}
	case err != nil:
		return nil, err
	}
	return reasons, nil
}
