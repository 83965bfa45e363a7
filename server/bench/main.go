package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

var profile string

func main() {
	binary := flag.String("payoutd", "", "an existing binary")
	engine := flag.String("engine", "postgres", "")
	callers := flag.Int("callers", 32, "")
	d := flag.Duration("d", 5*time.Second, "")
	what := flag.String("what", "create", "")
	extra := flag.String("params", "", "more parameters of the database URL")
	flag.StringVar(&profile, "profile", "", "")
	flag.Parse()
	if err := run(context.Background(), *binary, *engine, *callers, *d, *what, *extra); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, engine string, callers int, d time.Duration, what, extra string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	if binary == "" {
		if binary, err = build(ctx, dir); err != nil {
			return err
		}
	}
	database := "sqlite:" + dir + "/payouts.db"
	if engine == "postgres" {
		cluster, err := pgtest.Start(dir, "fsync=on")
		if err != nil {
			return err
		}
		defer cluster.Stop()
		database = cluster.URL + extra
	}
	var p *daemon
	if profile != "" {
		a, stop, err := inproc(ctx, database, profile)
		if err != nil {
			return err
		}
		defer stop()
		p = &daemon{address: a}
	} else {
		if p, err = start(binary, database); err != nil {
			return err
		}
		defer p.stop()
	}
	all, err := senders(ctx, p.address, callers)
	if err != nil {
		return err
	}
	credentials := http.Header{"X-Client-Id": {server.SandboxClients[0].ID}, "X-Client-Secret": {server.SandboxClients[0].Secret}}
	for turn := range 3 {
		l, err := send(ctx, p.address, callers, d, 200, func(caller, n int) []byte {
			switch what {
			case "healthz":
				return message("GET", "/healthz", nil, nil)
			case "payers":
				return message("GET", "/payers?country=NP", credentials, nil)
			}
			h := credentials.Clone()
			h.Set("X-Idempotency-Key", strconv.Itoa(turn)+"-"+strconv.Itoa(caller)+"-"+strconv.Itoa(n)+"-0123456789")
			return message("POST", all[caller].path, h, all[caller].body)
		})
		if err != nil {
			return err
		}
		fmt.Printf("%s %s: %.0f/s p50 %s p99 %s\n", engine, what, l.rate(), l.quantile(.5), l.quantile(.99))
	}
	return nil
}
