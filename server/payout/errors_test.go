package payout

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// declared reads the constants of a type from the source of this package.
func declared(t *testing.T, typeName string) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != typeName {
				return true
			}
			for _, value := range spec.Values {
				text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, text)
			}
			return true
		})
	}
	slices.Sort(values)
	return values
}

// Every constant of an enumeration is in its list, which is what others go by: a new one is forgotten nowhere.
func TestEnumerationsAreWhole(t *testing.T) {
	t.Parallel()
	for typeName, listed := range map[string][]string{
		"Code": texts(Codes()), "KYCStatus": texts(KYCStatuses()), "CIPStatus": texts(CIPStatuses()),
		"FundingAccountStatus": texts(FundingAccountStatuses()), "PayoutMethod": texts(PayoutMethods()),
		"CalculationMode": texts(CalculationModes()), "DocumentKind": texts(DocumentKinds()),
		"TransactionStatus": texts(TransactionStatuses()), "DeliveryStatus": texts(DeliveryStatuses()),
		"StatusReason": texts(StatusReasons()),
	} {
		slices.Sort(listed)
		if all := declared(t, typeName); len(all) < 2 || !slices.Equal(all, listed) || len(slices.Compact(all)) != len(listed) {
			t.Errorf("%s: declared %q, listed %q", typeName, all, listed)
		}
	}
}

func texts[T ~string](all []T) []string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = string(v)
	}
	return texts
}

func TestEachCodeHasItsOwnSentence(t *testing.T) {
	t.Parallel()
	seen := map[string]Code{}
	for _, code := range Codes() {
		e := NewError(code)
		if e.Code != code || !strings.HasSuffix(e.Message, ".") || len(e.Details) != 0 {
			t.Errorf("%s: %+v", code, e)
		}
		if other, ok := seen[e.Message]; ok {
			t.Errorf("%s and %s have the same message", code, other)
		}
		seen[e.Message] = code
	}
}

func TestTheCauseIsForTheLogAlone(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	e := NewError(CodeServiceUnavailable, InBody("/a/0", "must be so"), Violation{"header", "X-B", "must be there"}).Because(cause)
	const want = "SERVICE_UNAVAILABLE; body /a/0 must be so; header X-B must be there: disk on fire"
	if got := e.Error(); got != want {
		t.Errorf("the log has %q, want %q", got, want)
	}
	if strings.Contains(e.Message, cause.Error()) || strings.Contains(fmt.Sprint(e.Details), cause.Error()) {
		t.Errorf("the cause goes to the caller: %q %v", e.Message, e.Details)
	}
	if !errors.Is(e, cause) {
		t.Error("the cause cannot be found")
	}
	if got := NewError(CodeNotFound).Error(); got != "NOT_FOUND" {
		t.Errorf("without a cause the log has %q", got)
	}
}

func TestTheCodeOfAnErrorIsFoundThroughWrapping(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want Code
	}{
		{NewError(CodeLimitExceeded), CodeLimitExceeded},
		{fmt.Errorf("b: %w", errors.Join(errors.New("a"), NotFound("user"))), CodeNotFound},
		{NewError(CodeServiceUnavailable).Because(NewError(CodeNotFound)), CodeServiceUnavailable},
		{errors.New("anything"), CodeInternalError},
		{nil, CodeInternalError},
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("code of %v is %s, want %s", c.err, got, c.want)
		}
	}
}

func TestNotFoundNamesTheKindOfThing(t *testing.T) {
	t.Parallel()
	if e := NotFound("receive user"); e.Code != CodeNotFound || !strings.HasPrefix(e.Message, "There is no such receive user. ") {
		t.Errorf("%+v", e)
	}
}

func TestNothingIsRefusedWithoutAViolation(t *testing.T) {
	t.Parallel()
	if err := refused(nil); err != nil {
		t.Errorf("refused for nothing: %v", err)
	}
	err := refused([]Violation{InBody("/a", "b"), InBody("/c", "d")})
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeBadRequest || len(e.Details) != 2 {
		t.Errorf("%v", err)
	}
}

// D-08: a violation never contains a value. The reasons of this package are
// literals, joined to words of this package at most; none is formatted.
func TestReasonsAreMadeOfConstants(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	// These are kinds, methods and CIP tags of this package, a currency that is known to exist, and the errors of MinorUnits.
	words := []string{"kind", "string(m)", "tag", "reason", "err.Error()"}
	calls := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var reason ast.Expr
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "InBody" {
					reason = n.Args[1]
				}
			case *ast.CompositeLit:
				if f, ok := n.Type.(*ast.Ident); ok && f.Name == "Violation" {
					reason = n.Elts[2]
				}
			}
			if reason != nil {
				calls++
				checkConstant(t, name, reason, words)
			}
			return true
		})
	}
	if calls < 30 {
		t.Errorf("only %d violations were found in the source", calls)
	}
}

func checkConstant(t *testing.T, file string, e ast.Expr, words []string) {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
	case *ast.BinaryExpr:
		checkConstant(t, file, e.X, words)
		checkConstant(t, file, e.Y, words)
	default:
		if text := types.ExprString(e); !slices.Contains(words, text) {
			t.Errorf("%s: the reason of a violation has %s", file, text)
		}
	}
}
