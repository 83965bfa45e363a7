package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/store"
)

// serve is `payoutd serve`.
type serve struct {
	database
	Listen    string `help:"Address to listen on." default:"127.0.0.1:8080"`
	Sandbox   bool   `help:"Seed two clients with public secrets, sample payers and banks, and mount the /sandbox operations."`
	RateLimit int    `help:"Requests a second that each client may send; 0 is no limit." default:"1000"`
	LogLevel  string `help:"Least level to log: debug, info, warn or error." default:"info" enum:"debug,info,warn,error"`
	LogFormat string `help:"json or text." default:"json" enum:"json,text"`
}

// Run serves until ctx ends.
func (s serve) Run(ctx context.Context, std streams) (err error) {
	if s.RateLimit < 0 {
		return usageError{"rate-limit", errors.New("must not be negative")}
	}
	log := logger(std.errs, s.LogLevel, s.LogFormat)
	srv, err := server.New(ctx, server.Config{
		Database: s.Database, Sandbox: s.Sandbox, RateLimit: s.RateLimit, Logger: log,
	})
	switch {
	case errors.Is(err, store.ErrDatabaseURL), errors.Is(err, server.ErrIsSandbox), errors.Is(err, server.ErrNotSandbox):
		return usageError{"database", err}
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return usageError{"listen", err}
	}
	address := "http://" + listener.Addr().String()
	log.Info("listening", slog.String("address", address), slog.Bool("sandbox", s.Sandbox))
	if s.Sandbox {
		welcome(std.out, address)
	}
	return srv.Serve(ctx, listener)
}

// welcome prints what a newcomer needs for the first call.
func welcome(out io.Writer, address string) {
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	fmt.Fprintf(out, `
Sandbox    %[1]s
Docs       %[1]s/docs
Clients    %[2]s / %[3]s
           %[4]s / %[5]s

Create a user:

curl -sS %[1]s/users \
  -H 'X-Client-Id: %[2]s' -H 'X-Client-Secret: %[3]s' -H 'Content-Type: application/json' \
  -d '{"first_name":"Asha","last_name":"Example","email":"asha@example.com","country":"US","type":"SEND"}'

`, address, first.ID, first.Secret, second.ID, second.Secret)
}
