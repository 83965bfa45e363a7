package checks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A check passes only if it has judged an answer.
func TestACheckThatJudgesNothingIsAnError(t *testing.T) {
	t.Parallel()
	session, err := probe.NewSession(probe.Target{URL: "http://localhost"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		run  func(*probe.T)
		want probe.Status
	}{
		"nothing":        {func(*probe.T) {}, probe.Error},
		"an expectation": {func(t *probe.T) { t.Expect(true, "") }, probe.Passed},
		"a failure":      {func(t *probe.T) { t.Failf("wrong") }, probe.Failed},
		"skipped":        {func(t *probe.T) { t.Skipf("no data") }, probe.Skipped},
	} {
		if got := session.Run(t.Context(), probe.Check{Run: of.run}, nil).Status; got != of.want {
			t.Errorf("%s: %s, want %s", name, got, of.want)
		}
	}
}

// A check that leaves early has said why: a bare return in it directly follows a call with its T, as in Failf or Refused.
// (Skipf, Fatalf and Brokenf do not return.)
func TestNoCheckReturnsSilently(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		found += silentReturns(t, files, file)
	}
	if found == 0 {
		t.Error("no return was found: the test looks at the wrong files")
	}
}

// silentReturns reports the bare returns of a file that follow no call with t, and returns how many bare returns there are.
func silentReturns(t *testing.T, files *token.FileSet, file *ast.File) (found int) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		for i, statement := range block.List {
			if leave, ok := statement.(*ast.ReturnStmt); !ok || len(leave.Results) > 0 {
				continue
			}
			found++
			if i == 0 || !callsWithT(block.List[i-1]) {
				t.Errorf("%s: the check returns and has judged nothing", files.Position(statement.Pos()))
			}
		}
		return true
	})
	return found
}

// callsWithT reports whether a statement is a call of a method of t, or of a function that takes t first.
func callsWithT(s ast.Stmt) bool {
	expression, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := expression.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	isT := func(e ast.Expr) bool {
		name, ok := e.(*ast.Ident)
		return ok && name.Name == "t"
	}
	if method, ok := call.Fun.(*ast.SelectorExpr); ok && isT(method.X) {
		return true
	}
	return len(call.Args) > 0 && isT(call.Args[0])
}

// passWithoutTransactions are the checks of createTransaction that send no well-formed creation, or need none to be accepted.
var passWithoutTransactions = []string{
	"users.registration.destination", // judges the registration where that is refused
	"http.methods", "http.allow", "http.options",
	"errors.status", "errors.request-id", "errors.message", "errors.doc-url", // a 500 has the error body too
	"contract.createTransaction", // a 500 is an answer of the contract
}

// A server that answers 500 to the creation of every transaction passes no check that needs one.
func TestNothingAboutTransactionsPassesWithoutTransactions(t *testing.T) {
	t.Parallel()
	srv, err := server.New(t.Context(), server.Config{Sandbox: true, Database: servertest.Database(t), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	creation := regexp.MustCompile(`^/users/[^/]+/transactions$`)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !creation.MatchString(r.URL.Path) {
			srv.Handler().ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "conformance")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(`{"status":500,"code":"INTERNAL_ERROR","message":"An internal error.","request_id":"conformance"}`))
	}))
	t.Cleanup(web.Close)
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	for _, profile := range []probe.Profile{probe.Full, probe.Document} {
		report, err := conformance.Run(t.Context(), conformance.Target{Target: probe.Target{
			URL: web.URL, ClientID: first.ID, ClientSecret: first.Secret, OtherClientID: second.ID, OtherClientSecret: second.Secret, Profile: profile,
			Timeout: 2 * time.Minute, // beside other tests
		}})
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for _, r := range report.Results {
			switch {
			case !slices.Contains(r.Operations, "createTransaction"):
			case r.Status == probe.Passed && !slices.Contains(passWithoutTransactions, r.ID):
				t.Errorf("%s: %s passes: %s", profile, r.ID, r.Title)
			case r.Status == probe.Failed:
				failed++
			}
		}
		if failed == 0 {
			t.Errorf("%s: nothing fails", profile)
		}
	}
}
