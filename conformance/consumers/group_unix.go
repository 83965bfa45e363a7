//go:build unix

package main

import (
	"errors"
	"os/exec"
	"syscall"
)

// group makes a command a process group, which ends with it if its context does. end ends what is left of the group.
func group(cmd *exec.Cmd) (end func() error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	return func() error {
		if cmd.Process == nil {
			return nil
		}
		if err := kill(); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return nil
	}
}
