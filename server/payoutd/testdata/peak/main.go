//go:build unix

// Peak runs a command, and writes its peak memory in KiB to standard error. A process counts the memory of the one that started
// it as its own, so that a large test cannot measure by itself.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	command := exec.Command(os.Args[1], os.Args[2:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stdout
	if err := command.Run(); err != nil {
		fmt.Println(err)
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			os.Exit(ended.ExitCode())
		}
		os.Exit(1)
	}
	fmt.Fprint(os.Stderr, command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}
