package openapi_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
)

func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	doc := document(t)
	described := func(what, description string) {
		if strings.TrimSpace(description) == "" {
			t.Errorf("%s has no description", what)
		}
	}
	for _, server := range doc.Servers {
		described("server "+server.URL, server.Description)
	}
	for _, tag := range doc.Tags {
		described("tag "+tag.Name, tag.Description)
	}
	for name, op := range operations(t) {
		described(name, op.Description)
		for _, p := range op.Parameters {
			described(name+", parameter "+p.Value.Name, p.Value.Description)
		}
		for status, response := range op.Responses.Map() {
			described(name+", response "+status, *response.Value.Description)
			for header, h := range response.Value.Headers {
				described(name+", response "+status+", header "+header, h.Value.Description)
			}
		}
	}
	for name, scheme := range doc.Components.SecuritySchemes {
		described("security scheme "+name, scheme.Value.Description)
	}
	for name, schema := range doc.Components.Schemas {
		described("schema "+name, schema.Value.Description)
		for property, p := range schema.Value.Properties {
			described("schema "+name+", property "+property, p.Value.Description)
			if p.Ref == "" && len(p.Value.Properties) > 0 {
				t.Errorf("schema %s, property %s: an object is a schema of its own", name, property)
			}
		}
	}
}

// errorRow is a row of the table in the guide: code, status, whether to send the same request again.
var errorRow = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| ([0-9]{3}) \\| (yes|no) \\| [^|]+ \\| [^|]+ \\|$")

func TestTheTableOfErrorsIsComplete(t *testing.T) {
	t.Parallel()
	_, guide, _ := strings.Cut(document(t).Info.Description, "\n## Errors\n")
	guide, _, _ = strings.Cut(guide, "\n## ")
	listed := map[string]string{}
	for _, row := range errorRow.FindAllStringSubmatch(guide, -1) {
		code, status, again := row[1], row[2], row[3]
		number, err := strconv.Atoi(status)
		if err != nil {
			t.Fatal(err)
		}
		if listed[code] != "" {
			t.Errorf("%s has two rows", code)
		}
		listed[code] = status
		if e := (client.Error{Status: number}); e.Temporary() != (again == "yes") {
			t.Errorf("%s: the guide says %s, the SDK repeats it: %t", code, again, e.Temporary())
		}
	}
	shown := statusOfCodes(t)
	for code, status := range shown {
		if listed[code] != status {
			t.Errorf("%s: the guide says %q, the examples show %s", code, listed[code], status)
		}
	}
	if got, want := names(listed), names(shown); !slices.Equal(got, want) {
		t.Errorf("the guide lists %v, the contract has %v", got, want)
	}
}

// The guide on retries names the statuses that the SDK repeats.
func TestTheGuideNamesWhatIsRepeated(t *testing.T) {
	t.Parallel()
	_, guide, _ := strings.Cut(document(t).Info.Description, "\n## Retries and rate limits\n")
	sentence, _, _ := strings.Cut(guide, ";")
	for status := 400; status < 500; status++ {
		named := strings.Contains(sentence, " "+strconv.Itoa(status))
		if e := (client.Error{Status: status}); e.Temporary() != named {
			t.Errorf("%d: the guide names it: %t, the SDK repeats it: %t", status, named, e.Temporary())
		}
	}
	if e := (client.Error{Status: 502}); !strings.Contains(sentence, " 5xx") || !e.Temporary() {
		t.Error("a failure of a gateway is not repeated")
	}
}

func TestLinksInTextsLeadSomewhere(t *testing.T) {
	t.Parallel()
	texts := string(asJSON(t)) // with one spelling of each line break
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(document(t).Info.Description, -1) {
		anchors["#"+strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-")] = true
	}
	files := []string{"decisions.md", "CHANGELOG.md"}
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(texts, -1)
	if len(links) == 0 {
		t.Fatal("no links found")
	}
	for _, link := range links {
		if !anchors[link[1]] && !slices.Contains(files, link[1]) {
			t.Errorf("%s is neither a heading of the guides nor a file beside the contract", link[1])
		}
	}
	decisions := read(t, "decisions.md")
	for _, id := range regexp.MustCompile(`\bD-[0-9]{2}\b`).FindAllString(texts, -1) {
		if !strings.Contains(decisions, "\n## "+id+" ") {
			t.Errorf("there is no decision %s", id)
		}
	}
}
