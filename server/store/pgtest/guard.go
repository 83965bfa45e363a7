package pgtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// guardian is a shell script that starts and ends a program on orders from its standard input. When its input ends, which
// happens however this process ends, it ends the program, even one that is frozen, and removes its folder. It leaves signals to
// the whole process group to this process.
const guardian = `trap '' INT TERM
dir=$1 end=$2 server=
shift 2
while read -r order; do
	case $order in
	start) "$@" >>"$dir/log" 2>&1 & server=$! ;;
	*) kill -"$order" "$server"; wait "$server"; server= ;;
	esac
	echo kept
done
[ -z "$server" ] || { kill -"$end" "$server"; kill -CONT "$server"; wait "$server"; }
rm -rf "$dir"`

// guarded is a program that ends with this process.
type guarded struct {
	orders io.WriteCloser
	kept   *bufio.Scanner
	done   chan error
}

// guard prepares a program that writes its log into its own folder; end is the signal that ends it at once.
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

// order returns when it was carried out: after "start" the program is starting, after the name of a signal it has ended.
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
