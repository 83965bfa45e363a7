//go:build unix

package docs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// shell is a terminal in an empty folder, in which the blocks of a document run one after the other. Variables and functions
// of a block are known to the next one.
type shell struct {
	*testing.T
	Dir     string
	address string            // where the document's service listens instead of 127.0.0.1:8080
	replace map[string]string // what a document writes, and what it stands for here
	exit    int               // code with which the next commands must fail, or 0

	in     io.WriteCloser
	lines  chan string
	blocks int
}

// prelude makes the commands of documents work in another folder than the repository.
const prelude = `
set -o pipefail
exec 9>&1 # kept by everything that is started, so that the end of the output is the end of all programs
declare -A serving
trap 'echo "@@failed with $?: $BASH_COMMAND"' ERR
go() {
	if [ "$1" = run ]; then
		command go -C "$REPOSITORY" build -o "$PROGRAMS/" "$2" && ${BACKGROUND:+exec} "$PROGRAMS/$(basename "$2")" "${@:3}"
	else
		command go -C "$REPOSITORY" "$@"
	fi
}
# Others run all tests, or change the repository: that the target exists must do.
make() {
	case $1 in
	run | demo | spec-diff) command make --no-print-directory -C "$REPOSITORY" "$@" ;;
	*) command make -C "$REPOSITORY" --dry-run "$@" >/dev/null ;;
	esac
}
curl() { command curl --fail-with-body "$@"; }
`

// newShell starts a shell that ends, with all that it started, when the test does.
func newShell(t *testing.T, variables ...string) *shell {
	t.Helper()
	needs(t, "bash", "curl", "make")
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{T: t, Dir: t.TempDir(), address: pgtest.FreeAddress(t), lines: make(chan string)}
	s.replace = map[string]string{"127.0.0.1:8080": s.address, "127.0.0.1:8090": pgtest.FreeAddress(t), "127.0.0.1:9090": pgtest.FreeAddress(t)}
	programs := t.TempDir()
	bash := exec.Command("bash")
	bash.Dir = s.Dir
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	bash.Env = append(os.Environ(), append([]string{
		"REPOSITORY=" + root, "PROGRAMS=" + programs, "PATH=" + programs + ":" + os.Getenv("PATH"),
		"PAYOUTD_LISTEN=" + s.address, "PAYOUTD_DATABASE=sqlite:" + filepath.Join(s.Dir, "payouts.db"), "PAYOUTD_RATE_LIMIT=0",
	}, variables...)...)
	if s.in, err = bash.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := bash.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	bash.Stderr = bash.Stdout
	if err := bash.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			s.lines <- scan.Text()
		}
	}()
	t.Cleanup(func() {
		syscall.Kill(-bash.Process.Pid, syscall.SIGTERM)
		for range s.lines { // until everything that the shell started has ended
		}
		bash.Wait()
	})
	s.Run(prelude)
	return s
}

// Run runs commands and returns what they print. The test fails if one of them does.
func (s *shell) Run(commands string) string {
	s.Helper()
	for written, meant := range s.replace {
		commands = strings.ReplaceAll(commands, written, meant)
	}
	s.blocks++
	done := fmt.Sprintf("@@done %d", s.blocks)
	if _, err := fmt.Fprintf(s.in, "{ :\n%s\n} </dev/null\necho; echo '%s'\n", commands, done); err != nil {
		s.Fatal(err)
	}
	var out strings.Builder
	patience := time.After(5 * time.Minute)
	for {
		select {
		case line, ok := <-s.lines:
			switch {
			case !ok:
				s.Fatalf("the shell ended in\n%s\n%s", commands, out.String())
			case line == done:
				s.judge(commands, out.String())
				return strings.TrimSpace(out.String())
			}
			out.WriteString(line + "\n")
		case <-patience:
			s.Fatalf("still running:\n%s\n%s", commands, out.String())
		}
	}
}

// judge compares how commands ended with how they should.
func (s *shell) judge(commands, out string) {
	s.Helper()
	failed, expected := strings.Count(out, "@@failed with "), strings.Count(out, fmt.Sprintf("@@failed with %d:", s.exit))
	if failed != expected || s.exit != 0 && failed == 0 {
		s.Errorf("%s\n\nmust exit with %d, and printed\n%s", commands, s.exit, out)
	}
}

// service matches a command that runs the service until it is stopped, starts one that runs the service or a proxy.
var (
	service = regexp.MustCompile(`(?m)^(make run|payoutd serve|go run \./server/payoutd serve)\b`)
	starts  = regexp.MustCompile(service.String() + `.*$|(?m)^go run \./openapi/contract/front\b.*$`)
)

// RunBlock runs the commands of a document. One that serves runs in the background, and the next one when it is ready.
func (s *shell) RunBlock(b block) (out string) {
	s.Helper()
	rest := b.code
	for at := starts.FindStringIndex(rest); at != nil; at = starts.FindStringIndex(rest) {
		out += s.Run(rest[:at[0]])
		command, _, _ := strings.Cut(rest[at[0]:at[1]], " #")
		s.serve(command)
		rest = rest[at[1]:]
	}
	return out + s.Run(rest)
}

// serve starts a server in the background, instead of one that has its address, and returns when it is ready.
func (s *shell) serve(command string) {
	s.Helper()
	address := "127.0.0.1:8080"
	if listen := regexp.MustCompile(`--listen (\S+)`).FindStringSubmatch(command); listen != nil {
		address = listen[1]
	}
	s.Run(fmt.Sprintf(`
if [ "${serving[%[1]s]}" ]; then kill ${serving[%[1]s]}; wait ${serving[%[1]s]} || true; fi
BACKGROUND=yes
%[2]s >>served.log 2>&1 &
serving[%[1]s]=$!
BACKGROUND=`, address, command))
	s.await(s.replace[address])
}

// await waits until the server at an address is ready.
func (s *shell) await(address string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 5*time.Minute) // which includes the time to build it
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
		if err != nil {
			s.Fatal(err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.Dir, "served.log"))
			s.Fatalf("nothing is ready at %s: %s", address, log[max(0, len(log)-2000):])
		case <-tick.C:
		}
	}
}

// Sandbox starts a sandbox, as a document says that it was started elsewhere.
func (s *shell) Sandbox() {
	s.Helper()
	s.RunBlock(block{code: "go run ./server/payoutd serve --sandbox"})
}

// Program runs a Go program with its address replaced, and returns what it prints.
func (s *shell) Program(source string) string {
	s.Helper()
	file := filepath.Join(s.Dir, "main.go")
	for written, meant := range s.replace {
		source = strings.ReplaceAll(source, written, meant)
	}
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		s.Fatal(err)
	}
	return s.Run("command go -C \"$REPOSITORY\" run " + file)
}

// needs skips the test with a warning if a program is missing; with CI=true that is a failure.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program+" is not installed")
		}
	}
}

func missing(t *testing.T, what string) {
	t.Helper()
	fmt.Fprintf(os.Stderr, "\n*** %s IS NOT RUN: %s ***\n\n", t.Name(), what)
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}
