//go:build !linux

package pgtest

import "errors"

var errNotLinux = errors.New("only Linux lists the processes of a server, which are frozen one by one")

// Freeze returns an error.
func (c *Cluster) Freeze() error { return errNotLinux }

// Thaw returns an error.
func (c *Cluster) Thaw() error { return errNotLinux }

// Kill returns an error.
func (c *Cluster) Kill() error { return errNotLinux }

// Crash returns an error.
func (c *Cluster) Crash() error { return errNotLinux }
