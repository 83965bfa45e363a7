package compat

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/crossborder-payouts/payouts/openapi"
)

func TestTheContractMayFollowTheReleasedOne(t *testing.T) {
	t.Parallel()
	base, err := Newest(os.DirFS("../released"))
	if err != nil {
		t.Fatal(err)
	}
	head, err := Parse(openapi.YAML())
	if err != nil {
		t.Fatal(err)
	}
	changelog, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	changes, reasons := Judge(base, head, string(changelog), openapi.Decisions)
	for _, reason := range reasons {
		t.Error(reason)
	}
	if t.Failed() {
		for _, change := range changes {
			if change.Level != Prose {
				t.Log(change)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	var (
		text       = set("paths /a get summary", "Read it")
		compatible = set("paths /b", "{get: {operationId: b, responses: {'200': {description: B.}}}}")
		breaking   = set("paths /a get operationId", "other")
		removal    = drop("paths /a")
		deprecated = set("paths /a get deprecated", "true")
	)
	const entry = "# Changelog\n\n## [Unreleased]\n\n## [%s] - 2026-01-31\n\n### Changed\n\n- Something (D-07).\n"
	for _, c := range []struct {
		name    string
		before  []edit
		version string
		change  []edit
		want    string // a part of the reason; empty if it may be published
	}{
		{"nothing changes", nil, "1.2.0", nil, ""},
		{"text under the released version", nil, "1.2.0", []edit{text}, ""},
		{"text as a patch", nil, "1.2.1", []edit{text}, ""},
		{"a compatible change under the released version", nil, "1.2.0", []edit{compatible}, "1 compatible change: a new minor version is needed"},
		{"a compatible change as a patch", nil, "1.2.1", []edit{compatible}, "a patch (1.2.1) changes text and examples only"},
		{"a compatible change as a minor version", nil, "1.3.0", []edit{compatible}, ""},
		{"a compatible change as a major version", nil, "2.0.0", []edit{compatible}, ""},
		{"the tenth minor version", nil, "1.10.0", []edit{compatible}, ""},
		{"a breaking change under the released version", nil, "1.2.0", []edit{breaking}, "1 breaking change: a new major version is needed"},
		{"a breaking change as a minor version", nil, "1.3.0", []edit{breaking, compatible}, "1 breaking change: a new major version is needed"},
		{"a breaking change as a major version", nil, "2.0.0", []edit{breaking}, ""},
		{"a removal without notice", nil, "2.0.0", []edit{removal, compatible}, "GET /a: operation removed, but 1.2.0 had not marked it as deprecated"},
		{"a removal with notice", []edit{deprecated}, "2.0.0", []edit{removal, compatible}, ""},
		{"a lower version", nil, "1.1.9", nil, "info.version 1.1.9 is lower than the released 1.2.0"},
		{"a version that is none", nil, "1.2", nil, `info.version "1.2" is not of the form`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := tiny(t, "1.2.0", c.before...)
			head := tiny(t, c.version, slices.Concat(c.before, c.change)...)
			_, reasons := Judge(base, head, fmt.Sprintf(entry, c.version), decisions)
			if c.want == "" && len(reasons) > 0 || c.want != "" && (len(reasons) != 1 || !strings.Contains(reasons[0], c.want)) {
				t.Errorf("got %q, want %q", reasons, c.want)
			}
		})
	}
}

func TestAVersionNeedsAnEntry(t *testing.T) {
	t.Parallel()
	head := tiny(t, "1.3.0")
	for changelog, want := range map[string]bool{
		"## [1.3.0] - 2026-01-31\n\n### Added\n\n- Something.\n":               true,
		"## [1.3.0] - 2026-01-31\n\n## [1.2.0] - 2026-01-01\n\n- Something.\n": false,
		"## [Unreleased]\n\n- Something.\n":                                    false,
		"## [1.3.0]\n\n- Something without a date.\n":                          false,
		"## [1.3.01] - 2026-01-31\n\n- Something.\n":                           false,
	} {
		for _, base := range []*Document{nil, tiny(t, "1.2.0")} {
			if _, reasons := Judge(base, head, changelog, decisions); (len(reasons) == 0) != want {
				t.Errorf("%q: %q", changelog, reasons)
			}
		}
	}
}

const decisions = "# Decisions\n\n## D-07 Something\n\nText.\n\n## D-70 Another\n\nSee D-71.\n"

func TestAChangeNeedsADecision(t *testing.T) {
	t.Parallel()
	addition := set("paths /b", "{get: {operationId: b, responses: {'200': {description: B.}}}}")
	for names, want := range map[string]bool{"(D-07)": true, "(D-71, D-70)": true, "": false, "(D-71)": false, "(D-7)": false, "(XD-07)": false} {
		changelog := "## [1.3.0] - 2026-01-31\n\n- Something " + names + ".\n"
		_, reasons := Judge(tiny(t, "1.2.0"), tiny(t, "1.3.0", addition), changelog, decisions)
		if (len(reasons) == 0) != want {
			t.Errorf("%q: %q", names, reasons)
		}
		if _, reasons := Judge(tiny(t, "1.2.0"), tiny(t, "1.3.0"), changelog, decisions); len(reasons) != 0 {
			t.Errorf("%q without a change: %q", names, reasons)
		}
	}
}

// Under a version that is not released yet, a change needs a line beside those of the changes before it.
func TestAChangeNeedsALineOfItsOwn(t *testing.T) {
	t.Parallel()
	const before = "## [1.3.0] - 2026-01-31\n\n### Added\n\n- Something (D-07).\n"
	addition := set("paths /b", "{get: {operationId: b, responses: {'200': {description: B.}}}}")
	for name, c := range map[string]struct {
		version, changelog string
		change             []edit
		want               string
	}{
		"nothing changes":         {"1.3.0", before, nil, ""},
		"text":                    {"1.3.0", before, []edit{set("paths /a get summary", "Read it")}, ""},
		"no line":                 {"1.3.0", before, []edit{addition}, "the entry of 1.3.0 in the changelog does not say what is new, such as GET /b: operation added"},
		"a new date":              {"1.3.0", strings.Replace(before, "01-31", "02-01", 1), []edit{addition}, "does not say what is new"},
		"a line":                  {"1.3.0", before + "- Another (D-70).\n", []edit{addition}, ""},
		"a line under a heading":  {"1.3.0", before + "\n### Changed\n\n- Another (D-70).\n", []edit{addition}, ""},
		"a longer line":           {"1.3.0", strings.Replace(before, "Something", "Something\n  else", 1), []edit{addition}, ""},
		"a line without decision": {"1.3.0", before + "- Another.\n", []edit{addition}, "what is new in the entry of 1.3.0 in the changelog names no decision"},
		"a decision of nobody":    {"1.3.0", before + "- Another (D-71).\n", []edit{addition}, "names no decision"},
		"another version":         {"1.4.0", "## [1.4.0] - 2026-02-01\n\n- Another (D-70).\n\n" + before, []edit{addition}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reason := Unlisted(tiny(t, "1.3.0"), tiny(t, c.version, c.change...), before, c.changelog, decisions)
			if (reason == "") != (c.want == "") || !strings.Contains(reason, c.want) {
				t.Errorf("got %q, want %q", reason, c.want)
			}
		})
	}
}

func TestReleasedContractsNeverChange(t *testing.T) {
	t.Parallel()
	contract := func(version string) string {
		return strings.Replace(document, "VERSION", version, 1)
	}
	sums := func(texts ...string) string {
		var lines string
		for i := 0; i < len(texts); i += 2 {
			lines += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(texts[i+1])), texts[i])
		}
		return lines
	}
	older, newer := contract("1.9.0"), contract("1.10.0")
	both := sums("1.9.0.yaml", older, "1.10.0.yaml", newer)
	for name, c := range map[string]struct {
		files   map[string]string
		version string
		problem string
	}{
		"none":                 {nil, "", ""},
		"the newest of two":    {map[string]string{"1.9.0.yaml": older, "1.10.0.yaml": newer, Sums: both}, "1.10.0", ""},
		"one was edited":       {map[string]string{"1.9.0.yaml": older + "\n", "1.10.0.yaml": newer, Sums: both}, "", "1.9.0.yaml has the SHA-256"},
		"one is not listed":    {map[string]string{"1.9.0.yaml": older, Sums: ""}, "", "1.9.0.yaml has the SHA-256"},
		"nothing is listed":    {map[string]string{"1.9.0.yaml": older}, "", "SHA256SUMS"},
		"one was removed":      {map[string]string{"1.10.0.yaml": newer, Sums: both}, "", "lists 1.9.0.yaml, which is missing"},
		"one has another name": {map[string]string{"1.9.1.yaml": older, Sums: sums("1.9.1.yaml", older)}, "", "1.9.1.yaml has the info.version 1.9.0"},
		"one is not OpenAPI":   {map[string]string{"1.9.0.yaml": "{}", Sums: sums("1.9.0.yaml", "{}")}, "", "1.9.0.yaml: "},
	} {
		folder := fstest.MapFS{"README.md": {}}
		for file, text := range c.files {
			folder[file] = &fstest.MapFile{Data: []byte(text)}
		}
		newest, err := Newest(folder)
		switch {
		case c.problem != "":
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s: got %v, want %q", name, err, c.problem)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case c.version == "" && newest != nil || c.version != "" && newest.Version() != c.version:
			t.Errorf("%s: got another version than %q", name, c.version)
		}
	}
}

func TestDocumentsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":               "",
		"not YAML":            "a: [",
		"not OpenAPI":         "a: b",
		"a reference to none": strings.Replace(document, "{description: A.}", "{$ref: '#/components/responses/A'}", 1),
		"an alias":            strings.Replace(document, "title: Tiny", "title: &t Tiny\n  description: *t", 1),
	} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

const document = `
openapi: 3.0.3
info:
  title: Tiny
  version: VERSION
paths:
  /a: {get: {operationId: a, responses: {'200': {description: A.}}}}
`

// tiny returns a document of one operation.
func tiny(t *testing.T, version string, edits ...edit) *Document {
	t.Helper()
	d, err := Parse([]byte(strings.Replace(document, "VERSION", "'"+version+"'", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range edits {
		change(t, d)
	}
	return d
}
