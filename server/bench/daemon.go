package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
)

// daemon is a process of payoutd in sandbox mode.
type daemon struct {
	cmd     *exec.Cmd
	address string // host and port
	last    string // line of the log
}

// build builds a program of this repository and returns its path.
func build(ctx context.Context, dir, program string) (string, error) {
	binary := filepath.Join(dir, filepath.Base(program))
	cmd := exec.CommandContext(ctx, "go", "build", "-C", "../..", "-o", binary, program) //nolint:gosec // one of ours
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", program, err, out)
	}
	return binary, nil
}

// start starts payoutd on a database, and returns when it listens.
func start(ctx context.Context, binary, database string) (*daemon, error) {
	// Interrupted, it ends as it does with stop.
	d := &daemon{cmd: exec.CommandContext(context.WithoutCancel(ctx), binary, "serve", "--sandbox", "--listen=127.0.0.1:0", "--rate-limit=0")}
	d.cmd.Env = append(os.Environ(), "PAYOUTD_DATABASE="+database)
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := d.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(log)
	var last []byte
	for lines.Scan() {
		last = lines.Bytes()
		if !bytes.Contains(last, []byte(`"msg":"listening"`)) {
			continue
		}
		var about struct{ Address string }
		if err := json.Unmarshal(last, &about); err != nil {
			return nil, err
		}
		u, err := url.Parse(about.Address)
		if err != nil {
			return nil, err
		}
		d.address = u.Host
		go func() {
			for lines.Scan() { // as a log collector does
				d.last = lines.Text()
			}
		}()
		return d, nil
	}
	return nil, errors.Join(fmt.Errorf("payoutd ended: %s", last), d.cmd.Wait())
}

func (d *daemon) stop() error {
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := d.cmd.Wait(); err != nil {
		return fmt.Errorf("payoutd ended with %w: %s", err, d.last)
	}
	return nil
}

// sender is who can pay, and the body of a payment.
type sender struct {
	path string
	body []byte
}

// senders registers as many senders as there are callers, each with a payee.
func senders(ctx context.Context, address string, n int) ([]sender, error) {
	credentials := server.SandboxClients[0]
	c, err := client.New("http://"+address, credentials.ID, credentials.Secret)
	if err != nil {
		return nil, err
	}
	all := make([]sender, n)
	for i := range all {
		if all[i], err = newSender(ctx, c); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func newSender(ctx context.Context, c *client.Client) (sender, error) {
	user, err := c.CreateUser(ctx, api.UserRequest{FirstName: "Asha", Email: "asha@example.com", Country: "US", Type: new(api.UserTypeSend)})
	if err != nil {
		return sender{}, err
	}
	if _, err := c.SetVerification(ctx, user.ID, api.VerificationRequest{KycStatus: new(api.KycStatusVerified)}); err != nil {
		return sender{}, err
	}
	card, err := c.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"})
	if err != nil {
		return sender{}, err
	}
	if _, err := c.SetFundingAccountStatus(ctx, user.ID, card.ID, api.FundingAccountStatusActive); err != nil {
		return sender{}, err
	}
	receiver, err := c.CreateReceiveUser(ctx, user.ID, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"})
	if err != nil {
		return sender{}, err
	}
	account, err := c.CreateBankAccount(ctx, user.ID, receiver.ID, api.BankAccountRequest{BankID: 2001, AccountNumber: "0001234567", Currency: "NPR"})
	if err != nil {
		return sender{}, err
	}
	body, err := json.Marshal(api.TransactionRequest{
		FromAmount: client.MustAmount("0.01"), FromCurrency: "USD", FromFundID: card.ID, ToCurrency: "NPR",
		ExchangeRate: client.MustAmount("132.25"), To: client.BankDeposit(receiver.ID, account.ID), Note: new("School fee, second term"),
	})
	return sender{"/users/" + user.ID.String() + "/transactions", body}, err
}
