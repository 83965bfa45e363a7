package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/crossborder-payouts/payouts/server/store"
)

// check is `payoutd check`.
type check struct {
	database
	listing
}

// Run prints each difference on a line, or all as one JSON object, and a summary at the end.
func (c check) Run(ctx context.Context, std streams) error {
	return c.with(ctx, func(db *store.Store) error {
		out := bufio.NewWriter(std.out)
		done, err := c.differences(ctx, db, out)
		if err == nil {
			err = c.summary(out, done)
		}
		if flushed := out.Flush(); err == nil {
			err = flushed
		}
		if err == nil && done.Differences > 0 {
			err = fmt.Errorf("%d %s", done.Differences, plural(done.Differences, "difference"))
		}
		return err
	})
}

// differences prints each difference as it is found, because there may be many.
func (c check) differences(ctx context.Context, db *store.Store, out io.Writer) (store.Checked, error) {
	if c.JSON {
		fmt.Fprint(out, `{"differences":[`)
	}
	first := true
	return db.Check(ctx, func(d store.Difference) error {
		if !c.JSON {
			_, err := fmt.Fprintln(out, d)
			return err
		}
		text, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if !first {
			fmt.Fprint(out, ",")
		}
		first = false
		_, err = fmt.Fprintf(out, "\n%s", text)
		return err
	})
}

func (c check) summary(out io.Writer, done store.Checked) error {
	if c.JSON {
		text, err := json.Marshal(done)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "],\n\"checked\":%s}\n", text)
		return err
	}
	found := "no differences"
	if done.Differences > 0 {
		found = fmt.Sprintf("%d %s", done.Differences, plural(done.Differences, "difference"))
	}
	_, err := fmt.Fprintf(out, "%s: %d %s, %d %s, %d %s, %d %s, %d %s, %d %s, %d %s and %d rows of reference data\n", found,
		done.Clients, plural(done.Clients, "client"), done.Users, plural(done.Users, "user"),
		done.Accounts, plural(done.Accounts, "account"), done.Transactions, plural(done.Transactions, "transaction"),
		done.Documents, plural(done.Documents, "document"), done.Keys, plural(done.Keys, "key"),
		done.Counters, plural(done.Counters, "counter"), done.Reference)
	return err
}

func plural(n int, one string) string {
	if n == 1 {
		return one
	}
	return one + "s"
}
