// Command spec-diff prints what changes from the newest released contract to the present one, and exits with 1 if the present
// one may not be published after it. Exit code 2 means that a file could not be read.
//
// What belongs here: flags, files and output. What does not: judging (openapi/compat).
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/crossborder-payouts/payouts/openapi/compat"
)

var errRejected = errors.New("the contract may not be published like this")

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errRejected):
		fmt.Fprintln(os.Stderr, "spec-diff:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "spec-diff:", err)
		os.Exit(2)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("spec-diff", flag.ContinueOnError)
	flags.SetOutput(out)
	baseFile := flags.String("base", "", "the earlier contract; the newest one of --released if empty")
	headFile := flags.String("head", "openapi/openapi.yaml", "the later contract")
	changelogFile := flags.String("changelog", "openapi/CHANGELOG.md", "the changelog that has an entry for the later contract")
	decisionsFile := flags.String("decisions", "openapi/decisions.md", "the decisions that the changelog names")
	quiet := flags.Bool("quiet", false, "print only why the later contract is rejected")
	released := flags.String("released", "openapi/released", "the folder of released contracts")
	since := flags.String("since", "", "a commit: what has changed after it needs a new line in the changelog")
	if err := flags.Parse(args); err != nil {
		return err
	}
	base, err := compat.Newest(os.DirFS(*released))
	if err != nil {
		return fmt.Errorf("%s: %w", *released, err)
	}
	if *baseFile != "" {
		if base, err = read(*baseFile); err != nil {
			return err
		}
	}
	head, err := read(*headFile)
	if err != nil {
		return err
	}
	changelog, err := os.ReadFile(*changelogFile)
	if err != nil {
		return err
	}
	decisions, err := os.ReadFile(*decisionsFile)
	if err != nil {
		return err
	}
	changes, reasons := compat.Judge(base, head, string(changelog), string(decisions))
	if *since != "" && len(reasons) == 0 { // else the same fault would be reported twice
		reason, err := unlisted(*since, *headFile, *changelogFile, head, string(changelog), string(decisions))
		if err != nil {
			return err
		}
		if reason != "" {
			reasons = append(reasons, reason)
		}
	}
	if !*quiet {
		report(out, base, head, changes)
	}
	for _, reason := range reasons {
		fmt.Fprintln(out, "Rejected:", reason)
	}
	if len(reasons) > 0 {
		return errRejected
	}
	return nil
}

func report(out io.Writer, base, head *compat.Document, changes []compat.Change) {
	for _, change := range changes {
		fmt.Fprintln(out, change)
	}
	if base == nil {
		fmt.Fprintf(out, "No contract was released yet; %s would be the first.\n", head.Version())
	} else {
		fmt.Fprintf(out, "Compared %s with the released %s; changes: %d.\n", head.Version(), base.Version(), len(changes))
	}
}

// unlisted compares with the contract and the changelog of a commit.
func unlisted(commit, headFile, changelogFile string, head *compat.Document, changelog, decisions string) (string, error) {
	contract, err := committed(commit, headFile)
	if err != nil {
		return "", err
	}
	before, err := compat.Parse(contract)
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w", headFile, commit, err)
	}
	changelogBefore, err := committed(commit, changelogFile)
	if err != nil {
		return "", err
	}
	return compat.Unlisted(before, head, string(changelogBefore), changelog, decisions), nil
}

// committed returns a file as it is in a commit.
func committed(commit, file string) ([]byte, error) {
	var said bytes.Buffer
	git := exec.CommandContext(context.Background(), "git", "show", commit+":./"+filepath.Base(file)) //nolint:gosec // what the caller names
	git.Dir, git.Stderr = filepath.Dir(file), &said
	text, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git show: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return text, nil
}

func read(file string) (*compat.Document, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the file that the caller names
	if err != nil {
		return nil, err
	}
	document, err := compat.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return document, nil
}
