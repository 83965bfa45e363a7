package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/alecthomas/kong"

	"github.com/crossborder-payouts/payouts/openapi/contract/listen"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/store"
)

// serve is `payoutd serve`.
type serve struct {
	database
	Listen           string        `help:"Address to listen on." default:"127.0.0.1:8080"`
	TLSCertificate   string        `help:"PEM file with a certificate: serve https. It is read again when it changes." placeholder:"FILE"`
	TLSKey           string        `help:"PEM file with its key." placeholder:"FILE"`
	Insecure         bool          `help:"Serve clear text at an address that others can reach, because TLS ends in front of it."`
	MetricsListen    string        `help:"Address of the listener for /metrics, without credentials; none if empty." placeholder:"ADDRESS"`
	Sandbox          bool          `help:"Create two clients with public secrets, sample payers and banks, and enable the /sandbox operations."`
	SandboxPublic    bool          `help:"Serve a sandbox at an address that others can reach."`
	RateLimit        int           `help:"Requests per second that each client may send; 0 is no limit." default:"1000"`
	FailureLimit     int           `help:"Requests with wrong credentials per minute that an address may send, and that a client id may have; 0 is no limit." default:"300"`
	Webhooks         string        `help:"Whether this replica delivers webhooks: on or off. Others deliver what it leaves." default:"on" enum:"on,off"`
	WebhookRescue    time.Duration `help:"Time after which the attempts of a replica that was killed are made again; more than 28s." default:"2m"`
	TrustedProxies   proxies       `help:"Addresses and networks (CIDR), separated by commas, of proxies in front of the service whose X-Forwarded-For is believed." placeholder:"LIST"`
	OmitAddresses    bool          `help:"Leave the addresses of callers out of the log."`
	Timeout          time.Duration `help:"Time to handle one request, once its body has arrived." default:"30s"`
	BodyMemory       int64         `help:"Memory for the bodies of requests, in bytes; 0 is a quarter of GOMEMLIMIT, or else of the memory of the container or machine, and at most 268435456. Bodies wait for room for two minutes." default:"0"`
	ClientsFor       time.Duration `help:"Time for which a client and its secrets are used without reading them again: a change by an operator is in force after it at the latest; at most 10s, 0 reads them for each request." default:"5s"`
	EventRetention   time.Duration `help:"How long events are kept for GET /events; 0 is for ever, otherwise at least 120h, so that webhooks can be delivered until then." default:"2160h"`
	ShutdownDelay    time.Duration `help:"Time to accept connections after SIGTERM, while /readyz answers 503." default:"0s"`
	ShutdownPatience time.Duration `help:"Time for requests in flight to finish after that." default:"20s"`
	SecretsKey       string        `help:"File with the key of webhook secrets, made by payoutd secrets-key create. Without it, a sandbox uses a public key, and production answers operations about webhooks with 503." placeholder:"FILE"`
	LogLevel         string        `help:"Minimum log level: debug, info, warn or error." default:"info" enum:"debug,info,warn,error"`
	LogFormat        string        `help:"Log format: json, text, or auto, which is text at a terminal and otherwise json." default:"auto" enum:"auto,json,text"`
}

// Run serves until ctx ends.
func (s serve) Run(ctx context.Context, command *kong.Context, std streams) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	switch {
	case s.Database == "" && s.Sandbox:
		s.Database = sandboxDatabase
	case s.Database == "":
		return errNoDatabase
	}
	log := logger(std.errs, s.LogLevel, s.LogFormat)
	endpoint, err := listen.New(listen.Config{
		Address: s.Listen, TLSCertificate: s.TLSCertificate, TLSKey: s.TLSKey, Insecure: s.Insecure, Log: log,
	})
	switch {
	case err != nil:
		return ofListening(err)
	case s.Sandbox && !s.SandboxPublic && !endpoint.Loopback():
		return usageError{"sandbox", fmt.Errorf("has public secrets, and others can reach %s: "+
			"listen on a loopback address, or set --sandbox-public", s.Listen)}
	}
	// The collector must know the limit of the container. Where there is no limit to be found, there is none.
	_, _ = memlimit.Set(memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)))
	srv, err := server.New(ctx, server.Config{
		WebhooksOff: s.Webhooks == "off", WebhookRescue: s.WebhookRescue,
		Database: s.Database, Sandbox: s.Sandbox, RateLimit: s.RateLimit, Logger: log,
		FailureLimit: s.FailureLimit, TrustedProxies: s.TrustedProxies, OmitAddresses: s.OmitAddresses,
		Timeout: s.Timeout, BodyMemory: s.BodyMemory, ClientsFor: s.ClientsFor, EventRetention: s.EventRetention, ShutdownDelay: s.ShutdownDelay, ShutdownPatience: s.ShutdownPatience,
		SecretsKey: s.SecretsKey,
	})
	switch {
	case errors.Is(err, store.ErrDatabaseURL), errors.Is(err, server.ErrIsSandbox), errors.Is(err, server.ErrNotSandbox):
		return usageError{"database", err}
	case err != nil:
		if key, ok := errors.AsType[server.SecretsKeyError](err); ok {
			return usageError{"secrets-key", key.Err}
		}
		return err
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	listener, err := endpoint.Listen(ctx)
	if err != nil {
		return inUse(command, "listen", s.Listen, ofListening(err))
	}
	address := endpoint.URL(listener)
	info := srv.Info()
	about := []any{
		slog.String("address", address), slog.Bool("sandbox", s.Sandbox), slog.String("version", info.Version),
		slog.String("contract", info.Contract), slog.String("database", info.Engine), // without the URL, which may hold a password
	}
	if s.MetricsListen != "" {
		metrics, failed := (&net.ListenConfig{}).Listen(ctx, "tcp", s.MetricsListen)
		if failed != nil {
			return errors.Join(inUse(command, "metrics-listen", s.MetricsListen, usageError{"metrics-listen", failed}), listener.Close())
		}
		about = append(about, slog.String("metrics", "http://"+metrics.Addr().String()+"/metrics"))
		stop := besides(ctx, func(ctx context.Context) error { return srv.ServeMetrics(ctx, metrics) })
		defer func() { err = errors.Join(err, stop()) }()
	}
	log.Info("listening", about...)
	if s.Sandbox {
		welcome(std.out, address, s.Database)
	}
	return srv.Serve(ctx, listener)
}

// check rejects invalid values that the types of the flags allow.
func (s serve) check() error {
	for _, flag := range []struct {
		name  string
		wrong bool
		want  string
	}{
		{"webhook-rescue", s.WebhookRescue <= 28*time.Second, "must be more than 28s"},
		{"rate-limit", s.RateLimit < 0, "must not be negative"},
		{"failure-limit", s.FailureLimit < 0, "must not be negative"},
		{"body-memory", s.BodyMemory < 0, "must not be negative"},
		{"timeout", s.Timeout <= 0, "must be more than 0"},
		{"clients-for", s.ClientsFor < 0 || s.ClientsFor > 10*time.Second, "must be 0s to 10s"},
		{"event-retention", s.EventRetention != 0 && s.EventRetention < 120*time.Hour, "must be 0 or at least 120h"},
		{"shutdown-delay", s.ShutdownDelay < 0, "must not be negative"},
		{"shutdown-patience", s.ShutdownPatience <= 0, "must be more than 0"},
	} {
		if flag.wrong {
			return usageError{flag.name, errors.New(flag.want)}
		}
	}
	return nil
}

// ofListening returns an error of package listen as one of its flag.
func ofListening(err error) error {
	if invalid, ok := errors.AsType[*listen.Error](err); ok {
		return usageError{invalid.Flag, invalid.Err}
	}
	return err
}

// inUse returns err, or for an address at which another program listens what to do about that: by the flag if the command has
// it, because a variable would change nothing then.
func inUse(command *kong.Context, flag, address string, err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	another := "127.0.0.1:0, for any free port"
	if host, port, err := net.SplitHostPort(address); err == nil {
		if n, err := strconv.Atoi(port); err == nil && n < 65535 {
			another = net.JoinHostPort(host, strconv.Itoa(n+1))
		}
	}
	name := variable(flag)
	if slices.ContainsFunc(command.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == flag && !p.Resolved }) {
		name = "--" + flag
	}
	return fmt.Errorf("another program listens on %s; run the same command with %s=%s", address, name, another)
}

// proxies are addresses and networks.
type proxies []netip.Prefix

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *proxies) UnmarshalText(text []byte) error {
	for each := range strings.SplitSeq(string(text), ",") {
		each = strings.TrimSpace(each)
		network, err := netip.ParsePrefix(each)
		if err != nil {
			address, failed := netip.ParseAddr(each)
			if failed != nil || address.Zone() != "" {
				return fmt.Errorf("%q is neither an address nor a network", each)
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		if network.Addr().Is4In6() {
			return fmt.Errorf("%q must be written as an address of IPv4", each)
		}
		*p = append(*p, network.Masked())
	}
	return nil
}

// besides runs fn until stop is called, even after ctx has ended: metrics must outlive a shutdown.
func besides(ctx context.Context, fn func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- fn(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// sandboxDatabase is the database of serve --sandbox if none is named, checkoutDatabase that of make run.
const (
	sandboxDatabase  = "sqlite:sandbox.db"
	checkoutDatabase = "sqlite:.tmp/sandbox.db"
)

// welcome prints what a developer needs for a first request.
func welcome(out io.Writer, address, database string) {
	place, reset := "PostgreSQL", "" // the URL may hold a password
	if file, ok := strings.CutPrefix(database, "sqlite:"); ok {
		place, reset = file, "\nStart over  stop it, then: payoutd reset --database="+database
		if absolute, err := filepath.Abs(file); err == nil {
			place = absolute
		}
		if database == checkoutDatabase {
			reset = "\nStart over  stop it with Ctrl-C, then: make reset"
		}
	}
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	fmt.Fprintf(out, `
Sandbox     %[1]s
Docs        %[1]s/docs
Console     %[1]s/console
Database    %[6]s%[7]s
Clients     %[2]s / %[3]s
            %[4]s / %[5]s

Create a user:

curl -sS %[1]s/users \
  -H 'X-Client-Id: %[2]s' -H 'X-Client-Secret: %[3]s' -H 'Content-Type: application/json' \
  -d '{"first_name":"Asha","last_name":"Example","email":"asha@example.com","country":"US","type":"SEND"}'

`, address, first.ID, first.Secret, second.ID, second.Secret, place, reset)
}
