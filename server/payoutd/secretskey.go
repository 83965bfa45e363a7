package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/crossborder-payouts/payouts/server/seal"
)

// secretsKey has the commands about the file of serve --secrets-key.
type secretsKey struct {
	Create secretsKeyCreate `cmd:"" help:"Make a file with new keys, readable by its owner alone. Back it up: without it, webhook secrets are lost."`
	Rotate secretsKeyRotate `cmd:"" help:"Encrypt with the next key from now on, and add another. Secrets of before remain readable."`
}

type secretsKeyCreate struct {
	File string `arg:"" help:"File to write."`
}

// Run makes a keyset.
func (c secretsKeyCreate) Run(std streams) error {
	err := seal.Create(c.File)
	switch {
	case errors.Is(err, fs.ErrExist):
		return usageError{"<file>", fmt.Errorf("%s exists already; payoutd secrets-key rotate replaces its key", c.File)}
	case err != nil:
		return err
	}
	fmt.Fprintf(std.out, "%s has new keys. Back it up, and give it to every replica with --secrets-key.\n", c.File)
	return nil
}

type secretsKeyRotate struct {
	File string `arg:"" help:"File to change."`
}

// Run replaces the key of a keyset.
func (r secretsKeyRotate) Run(std streams) error {
	err := seal.Rotate(r.File)
	switch {
	case errors.Is(err, seal.ErrNotKeyset), errors.Is(err, fs.ErrNotExist):
		return usageError{"<file>", err}
	case err != nil:
		return err
	}
	fmt.Fprintf(std.out, "%s has a new key. Back it up, give it to every replica, and restart them one after the other.\n", r.File)
	return nil
}
