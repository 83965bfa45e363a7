//go:build !unix

package main

import (
	"errors"
	"os/exec"
)

// group makes the command fail: the scripts are for a Unix shell, and what they start must end with them.
func group(cmd *exec.Cmd) (end func() error) {
	cmd.Err = errors.New("the scripts of the consumers need Unix")
	return func() error { return nil }
}
