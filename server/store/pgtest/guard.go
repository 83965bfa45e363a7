package pgtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// guardian starts and ends a program as its standard input orders it. When that ends, which the end of this process
// brings about however it comes, the program ends too and its folder goes. An interrupt from the terminal is left to this
// process.
const guardian = `trap '' INT
dir=$1 end=$2 server=
shift 2
while read -r order; do
	case $order in
	start) "$@" >>"$dir/log" 2>&1 & server=$! ;;
	*) kill -"$order" "$server"; wait "$server"; server= ;;
	esac
	echo kept
done
[ -z "$server" ] || { kill -"$end" "$server"; wait "$server"; }
rm -rf "$dir"`

// guarded is a program that ends with this process.
type guarded struct {
	orders io.WriteCloser
	kept   *bufio.Scanner
	done   chan error
}

// guard prepares a program that writes its log into the folder, which is its own; end is the signal that ends it at once.
func guard(as *syscall.SysProcAttr, dir, end, program string, args ...string) (*guarded, error) {
	kept, answers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer answers.Close()                                                                            //nolint:errcheck // the guardian has its own
	cmd := exec.Command("sh", append([]string{"-c", guardian, "sh", dir, end, program}, args...)...) //nolint:gosec,noctx // programs of the machine
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout = dir, as, answers
	g := &guarded{kept: bufio.NewScanner(kept), done: make(chan error, 1)}
	if g.orders, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	go func() { g.done <- cmd.Wait() }()
	return g, nil
}

// order is kept when it returns: "start" has begun to start the program, and the name of a signal has ended it.
func (g *guarded) order(text string) error {
	if _, err := fmt.Fprintln(g.orders, text); err != nil {
		return err
	}
	if !g.kept.Scan() {
		return fmt.Errorf("the guardian is gone: %w", io.ErrUnexpectedEOF)
	}
	return nil
}

// end ends the program and removes its folder.
func (g *guarded) end() error {
	if err := g.orders.Close(); err != nil {
		return err
	}
	return <-g.done
}
