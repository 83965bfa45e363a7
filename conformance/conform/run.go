package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/conformance/report"
)

// Exit codes; those of a run are of [conformance.Verdict.ExitCode].
const (
	exitDone   = 0
	exitUnable = 2
)

const description = `Run the conformance suite against a server.

Exit codes: 0 CONFORMANT, every check of the profile and condition ran and passed; 1 NOT CONFORMANT, the server breaks a rule; ` +
	`2 NOT JUDGED, or the suite could not run: a flag is wrong, the server does not answer, is another service or refuses the credentials, ` +
	`or the run was interrupted; 3 INCOMPLETE, nothing failed, but a filter, a missing second client, no receiver of webhooks, missing fixtures or missing data ` +
	`of the server kept checks from running.

Every flag has an environment variable, which keeps secrets out of the process list, and a key in the file of --config: ` +
	`--client-id is $CONFORM_CLIENT_ID and client_id. A flag takes precedence over a variable, a variable over the file.

conform diff OLD NEW compares two reports.`

// options are the flags; [settings] adds the environment and the file of --config.
type options struct {
	URL               string        `help:"Base URL of the server." placeholder:"URL"`
	ClientID          string        `help:"Id of a client." placeholder:"ID"`
	ClientSecret      string        `help:"Its secret." placeholder:"SECRET"`
	OtherClientID     string        `help:"Id of a second client. Without one, checks with two clients are skipped." placeholder:"ID"`
	OtherClientSecret string        `help:"Its secret." placeholder:"SECRET"`
	Profile           string        `help:"Which operations to test: all (full), or only those of the interface document (document)." enum:"full,document" default:"full"`
	Condition         string        `help:"The state of the server: ${enum}." enum:"normal,rate-limited,unavailable,broken" default:"normal"`
	Receiver          string        `help:"Receive webhooks on this address, such as 127.0.0.1:9099. Without one, checks of their delivery are skipped." placeholder:"ADDRESS"`
	ReceiverURL       string        `help:"URL at which the server reaches that address, if it is not http://ADDRESS." placeholder:"URL"`
	Fixtures          string        `help:"YAML file with facts about the server and what already exists on it." placeholder:"FILE"`
	Header            []string      `help:"Send this header with each request; repeatable. Reports do not contain its value." placeholder:"'NAME: VALUE'" sep:"none"`
	CA                string        `name:"ca" help:"PEM file with CA certificates to trust in addition to those of the system." placeholder:"FILE"`
	ClientCert        string        `help:"PEM file with a TLS client certificate." placeholder:"FILE"`
	ClientKey         string        `help:"PEM file with its key." placeholder:"FILE"`
	Only              []string      `help:"Run only checks with these ids, or below them." placeholder:"ID"`
	Operation         []string      `help:"Run only checks of these operations." placeholder:"OPERATION"`
	Clause            []string      `help:"Run only checks of these clauses or decisions." placeholder:"CLAUSE"`
	Parallel          int           `help:"Number of concurrent checks." default:"8"`
	MaxFailures       int           `help:"Stop after this many failed checks; 0 means never." placeholder:"N"`
	Timeout           time.Duration `help:"Timeout of a request." default:"15s"`
	Commit            string        `help:"Commit of the server, for the report." placeholder:"COMMIT"`
	Report            string        `help:"Write report.html, report.json and junit.xml to this folder." placeholder:"DIR"`
	Config            string        `help:"YAML file with these options." placeholder:"FILE"`
	List              bool          `help:"List the checks that would run, and exit."`
	Clauses           bool          `help:"Print CLAUSES.md, and exit."`
}

// exit is the panic value with which kong ends the program, such as after --help.
type exit int

// run is the program. Results go to out, progress and errors to errs. When ctx ends, it reports what is known so far.
func run(ctx context.Context, args []string, getenv func(string) string, out, errs io.Writer) (code int) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case exit:
			code = int(ended)
		default:
			panic(ended)
		}
	}()
	name := "conform"
	parse := func(into any, description string, resolver ...kong.Resolver) error {
		parser, err := kong.New(into, kong.Name(name), kong.Description(description), kong.Writers(out, errs),
			kong.Exit(func(code int) { panic(exit(code)) }), kong.Resolvers(resolver...))
		if err == nil {
			_, err = parser.Parse(args)
		}
		return err
	}
	var err error
	if len(args) > 0 && args[0] == "diff" {
		var d diff
		name, args = "conform diff", args[1:]
		if err = parse(&d, diffDescription); err == nil {
			code, err = d.run(out)
		}
	} else {
		var o options
		if err = parse(&o, description, &settings{getenv: getenv}); err == nil {
			code, err = o.run(ctx, getenv, out, errs)
		}
	}
	if err != nil {
		fmt.Fprintf(errs, "%s: %s\nTry: %s --help\n", name, strings.TrimPrefix(err.Error(), "conformance: "), name)
		return exitUnable
	}
	return code
}

func (o options) run(ctx context.Context, getenv func(string) string, out, errs io.Writer) (int, error) {
	switch target, err := o.target(); {
	case err != nil:
		return exitUnable, err
	case o.Clauses:
		return exitDone, writeClauses(out)
	case o.List:
		return exitDone, list(out, target)
	case o.URL == "":
		return exitUnable, fmt.Errorf("--url (or $%s) is needed", variable("url"))
	default:
		return o.test(ctx, target, getenv, out, errs)
	}
}

func (o options) test(ctx context.Context, target conformance.Target, getenv func(string) string, out, errs io.Writer) (int, error) {
	all, err := conformance.Checks()
	if err != nil {
		return exitUnable, err
	}
	live := progress{out: errs, of: len(all)}
	if terminal(errs) {
		target.Progress = live.show
	}
	result, err := conformance.Run(ctx, target)
	live.clear()
	if err != nil {
		return exitUnable, err
	}
	if err := report.Console(out, result, terminal(out) && getenv("NO_COLOR") == ""); err != nil {
		return exitUnable, err
	}
	if o.Report != "" {
		if err := report.Write(o.Report, result); err != nil {
			return exitUnable, err
		}
		fmt.Fprintf(out, "Written to %s: %s, %s, %s\n", o.Report, report.HTMLFile, report.JSONFile, report.JUnitFile)
	}
	return result.Verdict.ExitCode(), nil
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress is a line with the progress of a run.
type progress struct {
	out             io.Writer
	of, done, wrong int
}

func (p *progress) show(r conformance.Result) {
	p.done++
	if r.Status >= probe.Failed {
		p.wrong++
	}
	fmt.Fprintf(p.out, "\r\x1b[K%d of %d checks, %d with problems", p.done, p.of, p.wrong)
}

func (p *progress) clear() {
	if p.done > 0 {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
