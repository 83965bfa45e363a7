package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"golang.org/x/term"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // it failed, or found nothing
	exitUsage   = 2 // a flag, variable or argument is invalid
)

// commands is the command line. Each flag has an environment variable: --rate-limit is PAYOUTD_RATE_LIMIT.
type commands struct {
	Serve           serve           `cmd:"" help:"Run the service."`
	Clients         clients         `cmd:"" help:"Manage client organisations: profiles and secrets."`
	Users           users           `cmd:"" help:"Show users, and set their verification."`
	FundingAccounts fundingAccounts `cmd:"" help:"Show funding accounts, and set their status."`
	Transactions    transactions    `cmd:"" help:"Show transactions."`
	Limits          limits          `cmd:"" help:"Show what a user may still send."`
	Webhooks        webhooks        `cmd:"" help:"Show webhook endpoints, and what became of deliveries."`
	Find            find            `cmd:"" help:"Say where a payout is, by an id, an idempotency key, a request id, a reference, an email address or a name; of anything else, the command that shows it."`
	Reference       referenceData   `cmd:"" help:"Import and export payers, banks and states."`
	Audit           audit           `cmd:"" help:"Show what commands have changed, and who ran them."`
	SecretsKey      secretsKey      `cmd:"" help:"Make and replace the key that encrypts webhook secrets."`
	Migrate         migrate         `cmd:"" help:"Manage the database schema."`
	Check           check           `cmd:"" help:"Compare counters with transactions, and rows with each other. Exit code 1 if something differs."`
	Reset           reset           `cmd:"" help:"Delete the SQLite database of a sandbox that is stopped. The default is that of serve --sandbox."`
	Version         version         `cmd:"" help:"Print the versions of the program, the contract and the schema."`

	Completion kongcompletion.Completion `cmd:"" help:"Print how to complete commands and flags with the tab key in bash, zsh or fish."`
}

// exit carries the code with which kong ends the program, after --help for example.
type exit int

// run runs the command of args until ctx ends, and returns the exit code. Variables are NAME=value, as in os.Environ. Logs go
// to errs, other output to out.
func run(ctx context.Context, args, environ []string, out, errs io.Writer) (code int) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case exit:
			code = int(ended)
		default:
			panic(ended)
		}
	}()
	var c commands
	variables := newEnvironment(environ)
	parser, err := kong.New(&c,
		kong.Name("payoutd"),
		kong.Description("A cross-border payout service.\n\nExit codes: 0 success; 1 failure, or not found; "+
			"2 an invalid flag, variable, argument or input file."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(out, errs),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.Resolvers(variables),
		kong.WithBeforeResolve(variables.BeforeResolve),
		kong.ValueFormatter(func(v *kong.Value) string {
			if v.Flag == nil || v.Name == "help" {
				return kong.DefaultHelpValueFormatter(v)
			}
			return strings.TrimSuffix(kong.DefaultHelpValueFormatter(v), ".") + " ($" + variable(v.Name) + ")."
		}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(streams{out, errs}),
	)
	if err != nil {
		fmt.Fprintln(errs, "payoutd:", err)
		return exitUsage
	}
	kongcompletion.Register(parser) // answers the shell if it asks what may follow
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(errs, "payoutd: %s\nTry: payoutd --help\n", withVariable(err))
		return exitUsage
	}
	if err := command.Run(); err != nil {
		fmt.Fprintln(errs, "payoutd:", err)
		var usage usageError
		if errors.As(err, &usage) {
			return exitUsage
		}
		return exitFailure
	}
	return exitOK
}

// streams are where commands write.
type streams struct{ out, errs io.Writer }

// usageError is an invalid value of a flag, or of an argument in angle brackets.
type usageError struct {
	flag string
	err  error
}

// Error names the flag and the variable.
func (e usageError) Error() string {
	if strings.HasPrefix(e.flag, "<") { // an argument has no variable
		return fmt.Sprintf("%s %v", e.flag, e.err)
	}
	return fmt.Sprintf("--%s (or $%s) %v", e.flag, variable(e.flag), e.err)
}

// Unwrap returns the reason.
func (e usageError) Unwrap() error { return e.err }

// withVariable adds the variable to the flag with which an error of kong begins.
func withVariable(err error) string {
	text := err.Error()
	end := strings.IndexAny(text, ": ")
	if !strings.HasPrefix(text, "--") || end < 0 {
		return text
	}
	return text[:end] + " (or $" + variable(text[2:end]) + ")" + text[end:]
}

// logger returns a logger for JSON lines or text. The format auto is text for people at a terminal, and otherwise JSON.
func logger(w io.Writer, level, format string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // kong allows only the four names
	options := &slog.HandlerOptions{Level: l}
	switch {
	case format == "auto" && isTerminal(w):
		options.ReplaceAttr = forPeople
		return slog.New(slog.NewTextHandler(w, options))
	case format == "text":
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// forPeople shortens the time, and leaves out what is empty.
func forPeople(groups []string, a slog.Attr) slog.Attr {
	switch {
	case len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime:
		return slog.String(slog.TimeKey, a.Value.Time().Format(time.TimeOnly))
	case a.Value.Kind() == slog.KindString && a.Value.String() == "":
		return slog.Attr{}
	}
	return a
}

// isTerminal reports whether people read what is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
