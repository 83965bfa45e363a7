package main

import (
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// A database that hangs, or that is away, ends every command and a starting service soon, with one line that names its hosts
// and not the password.
func TestADatabaseThatDoesNotAnswerEndsEveryCommand(t *testing.T) {
	t.Parallel()
	hung, away := pgtest.Listening(t), pgtest.Listening(t)
	hosts := away.Address() + "," + hung.Address()
	database := "postgres://postgres:hunter2@" + hosts + "/postgres?target_session_attrs=read-write"
	if err := away.Halt(pgtest.Immediate); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := once(t, nil, "migrate", "up", "--database", database); code != exitOK {
		t.Fatal(errs)
	}
	if err := hung.Freeze(); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"serve --listen 127.0.0.1:0", "migrate status", "migrate up", "check", "users list --client acme", "clients list",
		"transactions list --client acme", "funding-accounts list --client acme --user 01a200bf-fe45-776d-a8b9-8fe83efd1f1f",
		"reference export payers",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p := start(t, nil, append(strings.Fields(command), "--database", database)...)
			select {
			case code := <-p.code:
				if code != exitFailure {
					t.Errorf("exit code %d", code)
				}
			case <-time.After(30 * time.Second): // of which connecting takes 2
				t.Fatal("it does not end")
			}
			errs := p.errs.String()
			if strings.Count(errs, "\n") != 1 || !strings.Contains(errs, hosts) || strings.Contains(errs, "hunter2") {
				t.Errorf("it says %q", errs)
			}
			t.Log(errs)
		})
	}
}
