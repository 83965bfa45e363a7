//go:build !unix

package pgtest

import (
	"errors"
	"syscall"
)

// Unprivileged returns an error, with which tests of PostgreSQL are skipped: guardian is a script of a Unix shell. A server
// that [Variable] names can be used.
func Unprivileged(string) (*syscall.SysProcAttr, error) {
	return nil, errors.New("private servers need Unix")
}
