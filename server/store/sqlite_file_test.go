//go:build linux

package store_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// wantRefused fails the test unless the store refuses writes as an outage, and is not ready for a reason.
func wantRefused(t *testing.T, s *store.Store, reason string) {
	t.Helper()
	if err := register(t, s, "refused"); payout.CodeOf(err) != payout.CodeServiceUnavailable {
		t.Errorf("write: %v", err)
	}
	err := s.Ready(t.Context())
	var e *payout.Error
	if !errors.As(err, &e) || e.Code != payout.CodeServiceUnavailable || e.Message != reason || !errors.Is(err, store.ErrNotWritable) {
		t.Errorf("ready: %v, want %q", err, reason)
	}
}

// Writes to a deleted file would be acknowledged and lost when the process ends.
func TestALostFileTakesNoWrites(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		for name, lose := range map[string]func(file string) error{
			"deleted": os.Remove,
			"moved":   func(file string) error { return os.Rename(file, file+".moved") },
			"replaced": func(file string) error {
				return errors.Join(os.WriteFile(file+".new", nil, 0o600), os.Rename(file+".new", file))
			},
		} {
			t.Run(name+suffix, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "payouts.db")
				s := openLosing(t, file)
				if err := errors.Join(register(t, s, "acme"), s.Ready(t.Context())); err != nil {
					t.Fatal(err)
				}
				if err := lose(file + suffix); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					wantRefused(t, s, "The database file was deleted, moved or replaced.")
				}
				if name == "moved" {
					if err := os.Rename(file+suffix+".moved", file+suffix); err != nil {
						t.Fatal(err)
					}
					if err := errors.Join(register(t, s, "after"), s.Ready(t.Context()), s.Close()); err != nil {
						t.Errorf("after it was moved back: %v", err)
					}
				}
			})
		}
	}
}

// openLosing opens a store whose files a test takes away.
func openLosing(t *testing.T, file string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Connections that are opened after the file was deleted do not make an empty one in its place.
func TestADeletedFileIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payouts.db")
	s := openLosing(t, file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	for range 4 * runtime.NumCPU() {
		go func() {
			_, _ = s.ClientIDs(t.Context()) // some read what is left of the file
			done <- true
		}()
	}
	for range 4 * runtime.NumCPU() {
		<-done
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

// SQLite deletes the log by name with its last connection. After the database was replaced it is the log of another one.
func TestClosingALostDatabaseLeavesTheLogOfAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, other := filepath.Join(dir, "payouts.db"), filepath.Join(dir, "other.db")
	s := openLosing(t, file)
	if err := register(t, open(t, other), "acme"); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(other + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatalf("log of %d bytes, %v", len(log), err)
	}
	for _, suffix := range []string{"", "-wal"} { // a restored copy
		text, err := os.ReadFile(other + suffix)
		if err := errors.Join(err, os.WriteFile(file+".new", text, 0o600), os.Rename(file+".new", file+suffix)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "was deleted, moved or replaced") {
		t.Errorf("close: %v", err)
	}
	if kept, err := os.ReadFile(file + "-wal"); err != nil || !bytes.Equal(kept, log) {
		t.Errorf("the log has %d bytes, %v, want %d", len(kept), err, len(log))
	}
}

// Only the operating user reads the files, whatever the umask.
func TestFilesAreOfTheirOwnerAlone(t *testing.T) { //nolint:paralleltest // the umask is of the whole process
	previous := syscall.Umask(0)
	defer syscall.Umask(previous)
	file := filepath.Join(t.TempDir(), "payouts.db")
	s := open(t, file)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(file + suffix); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", suffix, info, err)
		}
	}
	if got := s.Exposed(); got != nil {
		t.Errorf("exposed: %q", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode][]string{
		0o640: {file, file + "-shm", file + "-wal"}, 0o604: {file, file + "-shm", file + "-wal"}, 0o600: nil, 0o700: nil,
	} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		s := open(t, file)
		if got := s.Exposed(); !reflect.DeepEqual(got, want) {
			t.Errorf("mode %o: exposed %q, want %q", mode, got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// processVariable tells the test's own process, started again, to run a scenario that changes the whole process.
const processVariable = "PAYOUTD_TEST_PROCESS"

// ownProcess runs a scenario in a process of its own.
func ownProcess(t *testing.T, scenario func(t *testing.T)) {
	t.Helper()
	if os.Getenv(processVariable) == t.Name() {
		scenario(t)
		return
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), processVariable+"="+t.Name())
	if out, err := again.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name()+" ")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// A limit of the size of files stands for a disk that fails.
func TestADiskThatFailsTakesNoWrites(t *testing.T) {
	t.Parallel()
	ownProcess(t, func(t *testing.T) {
		t.Helper()
		signal.Ignore(syscall.SIGXFSZ)
		s := open(t, filepath.Join(t.TempDir(), "payouts.db"))
		if err := register(t, s, "before"); err != nil {
			t.Fatal(err)
		}
		var before syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1, Max: before.Max}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			wantRefused(t, s, "The disk of the database fails.")
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
		wantWrites(t, s, "before", "after")
	})
}

// wantWrites fails the test unless the store is ready and takes a write, and has only clients that were acknowledged.
func wantWrites(t *testing.T, s *store.Store, before, after payout.ClientID) {
	t.Helper()
	if err := errors.Join(s.Ready(t.Context()), register(t, s, after)); err != nil {
		t.Error(err)
	}
	if ids, err := s.ClientIDs(t.Context()); err != nil || !reflect.DeepEqual(ids, []payout.ClientID{after, before}) {
		t.Errorf("clients %q, %v", ids, err)
	}
}

func TestAFullDiskTakesNoWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("needs a small file system: %v", err) // TestADiskThatFailsTakesNoWrites needs none
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	s := open(t, filepath.Join(dir, "payouts.db"))
	if err := register(t, s, "before"); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 4<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	for range 3 {
		wantRefused(t, s, "The disk of the database is full.")
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	wantWrites(t, s, "before", "after")
}

// A file that the process may only read is served for reading.
func TestAReadOnlyFileTakesNoWrites(t *testing.T) {
	t.Parallel()
	ownProcess(t, func(t *testing.T) {
		t.Helper()
		dir := t.TempDir()
		file := filepath.Join(dir, "payouts.db")
		first := openLosing(t, file)
		if err := errors.Join(register(t, first, "acme"), first.Close(), os.Chmod(file, 0o444), os.Chmod(dir, 0o777),
			os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
			t.Fatal(err)
		}
		if os.Getuid() == 0 { // who may write to any file
			if err := syscall.Setreuid(-1, 65534); err != nil {
				t.Fatal(err)
			}
			defer syscall.Setreuid(-1, 0)
		}
		s, err := store.Connect(t.Context(), "sqlite:"+file)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		wantRefused(t, s, "The database is read-only.")
		if ids, err := s.ClientIDs(t.Context()); err != nil || !reflect.DeepEqual(ids, []payout.ClientID{"acme"}) {
			t.Errorf("clients %q, %v", ids, err)
		}
	})
}
