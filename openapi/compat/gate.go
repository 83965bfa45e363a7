package compat

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Sums is the name of the file that lists the SHA-256 of every released contract, in the form that sha256sum checks.
const Sums = "SHA256SUMS"

// Newest returns the newest contract of a folder of released ones, which are named MAJOR.MINOR.PATCH.yaml, or nil if there is
// none. It is an error if a file is not what was released: its name is not its info.version, or its SHA-256 not the listed one.
func Newest(released fs.FS) (*Document, error) {
	files, err := fs.Glob(released, "*.yaml")
	if err != nil {
		return nil, err
	}
	sums, err := fs.ReadFile(released, Sums)
	if err != nil && (len(files) > 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = sum
	}
	var newest *Document
	for _, name := range files {
		text, err := fs.ReadFile(released, name)
		if err != nil {
			return nil, err
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); sum != listed[name] {
			return nil, fmt.Errorf("%s has the SHA-256 %s, which is not the one in %s: a released contract never changes", name, sum, Sums)
		}
		delete(listed, name)
		document, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		version, err := parseVersion(document.Version())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name != document.Version()+".yaml" {
			return nil, fmt.Errorf("%s has the info.version %s", name, document.Version())
		}
		if newest == nil {
			newest = document
		} else if other, err := parseVersion(newest.Version()); err == nil && slices.Compare(version, other) > 0 {
			newest = document
		}
	}
	for name := range listed {
		return nil, fmt.Errorf("%s lists %s, which is missing: a released contract stays", Sums, path.Base(name))
	}
	return newest, nil
}

const addDecision = "add one to decisions.md, and its number, such as (D-31), to the entry"

// Judge returns what changes from base, the newest released contract, to head, and why head may not be published after it:
// one sentence for each reason, none if it may. A nil base means that nothing was released. The changelog is in the form of
// Keep a Changelog; its entry for a change that is no mere text names a decision, such as D-31, which has a heading in
// decisions.
func Judge(base, head *Document, changelog, decisions string) (changes []Change, reasons []string) {
	version, err := parseVersion(head.Version())
	if err != nil {
		return nil, []string{err.Error()}
	}
	entry := entryOf(changelog, head.Version())
	if entry == "" {
		reasons = append(reasons, fmt.Sprintf("the changelog has no entry ## [%s] - DATE that lists something", head.Version()))
	}
	if base == nil {
		return nil, reasons
	}
	before, err := parseVersion(base.Version())
	if err != nil {
		return nil, append(reasons, err.Error())
	}
	changes = Compare(base, head)
	reject := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	breaking, compatible := count(changes, Breaking), count(changes, Compatible)
	switch {
	case slices.Compare(version, before) < 0:
		reject("info.version %s is lower than the released %s", head.Version(), base.Version())
	case breaking > 0 && version[0] == before[0]:
		reject("%s: a new major version is needed, because info.version is %s and %s is released",
			plural(breaking, "breaking change"), head.Version(), base.Version())
	case breaking+compatible > 0 && slices.Equal(version, before):
		reject("%s: a new minor version is needed, because %s is released", plural(compatible, "compatible change"), base.Version())
	case breaking+compatible > 0 && slices.Equal(version[:2], before[:2]):
		reject("%s: a new minor version is needed, because a patch (%s) changes text and examples only",
			plural(compatible, "compatible change"), head.Version())
	}
	if breaking+compatible > 0 && entry != "" && !namesDecision(entry, decisions) {
		reject("the entry of %s in the changelog names no decision: "+addDecision, head.Version())
	}
	for _, change := range changes {
		if change.Abrupt && version[0] > before[0] {
			reject("%s: %s, but %s had not marked it as deprecated", change.Where, change.What, base.Version())
		}
	}
	return changes, reasons
}

// Unlisted returns why head needs another line in its changelog after a commit that had the contract and the changelog of before,
// empty if it needs none: what callers meet has changed, and the entry of the version is the same, or what it says anew names no
// decision. Judge alone cannot know, because the entry of a version that is not released may be about other changes.
func Unlisted(before, head *Document, changelogBefore, changelog, decisions string) (reason string) {
	changes := slices.DeleteFunc(Compare(before, head), func(c Change) bool { return c.Level == Prose })
	if len(changes) == 0 {
		return ""
	}
	known := itemsOf(entryOf(changelogBefore, head.Version()))
	added := slices.DeleteFunc(itemsOf(entryOf(changelog, head.Version())), func(item string) bool { return slices.Contains(known, item) })
	switch {
	case len(added) == 0:
		return fmt.Sprintf("the entry of %s in the changelog does not say what is new, such as %s: %s", head.Version(), changes[0].Where, changes[0].What)
	case !namesDecision(strings.Join(added, "\n"), decisions):
		return fmt.Sprintf("what is new in the entry of %s in the changelog names no decision: "+addDecision, head.Version())
	}
	return ""
}

func count(changes []Change, level Level) (n int) {
	for _, change := range changes {
		if change.Level == level {
			n++
		}
	}
	return n
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

var semantic = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$`)

// parseVersion returns the three numbers of a version.
func parseVersion(version string) ([]int, error) {
	parts := semantic.FindStringSubmatch(version)
	if parts == nil {
		return nil, fmt.Errorf("info.version %q is not of the form MAJOR.MINOR.PATCH", version)
	}
	var numbers []int
	for _, part := range parts[1:] {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, fmt.Errorf("info.version %q: %w", version, err)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// entryOf returns the dated section of a version with at least one item, empty if there is none.
func entryOf(changelog, version string) string {
	heading := regexp.MustCompile(`^` + regexp.QuoteMeta("["+version+"]") + ` - [0-9]{4}-[0-9]{2}-[0-9]{2}\n`)
	for _, section := range strings.Split("\n"+changelog, "\n## ") {
		if heading.MatchString(section) && strings.Contains(section, "\n- ") {
			return section
		}
	}
	return ""
}

// itemsOf returns the items of an entry.
func itemsOf(entry string) (items []string) {
	for _, item := range strings.Split(entry, "\n- ")[1:] {
		item, _, _ = strings.Cut(item, "\n#") // the heading of other items
		items = append(items, strings.TrimSpace(item))
	}
	return items
}

var decisionNumber = regexp.MustCompile(`\bD-[0-9]{2,}\b`)

// namesDecision reports whether an entry names a decision that there is.
func namesDecision(entry, decisions string) bool {
	return slices.ContainsFunc(decisionNumber.FindAllString(entry, -1), func(number string) bool {
		return strings.Contains("\n"+decisions, "\n## "+number+" ")
	})
}
