package monitoring_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-08: /readyz distinguishes a database with pending migrations from one that is unavailable.
func TestReadyNeedsTheNewestMigration(t *testing.T) {
	t.Parallel()
	s, srv, _ := serve(t, server.Config{})
	if status, text := handled(t, srv, "/readyz"); status != http.StatusOK || text != "ready\n" {
		t.Errorf("/readyz answers %d %q", status, text)
	}
	servertest.Exec(t, s.Beside(t), "delete from goose_db_version where version_id = (select max(version_id) from goose_db_version)")
	status, text := handled(t, srv, "/readyz")
	if want := "not ready\nThe database does not have the newest migration.\n"; status != http.StatusServiceUnavailable || string(text) != want {
		t.Errorf("/readyz answers %d %q, want %q", status, text, want)
	}
	servertest.Exec(t, s.Beside(t), "alter table goose_db_version rename column version_id to lost")
	status, text = handled(t, srv, "/readyz")
	if want := "not ready\nThe database does not answer.\n"; status != http.StatusServiceUnavailable || string(text) != want {
		t.Errorf("/readyz answers %d %q, want %q", status, text, want)
	}
}

// A replica turns unready and refuses writes when a newer version has migrated the database to a schema that excludes it, and
// recovers when the migration is taken back.
func TestReadyNeedsASchemaThatAllowsTheVersion(t *testing.T) {
	t.Parallel()
	s, srv, _ := serve(t, server.Config{})
	if status := create(t, s); status != http.StatusOK {
		t.Errorf("POST /users answers %d before", status)
	}
	servertest.Exec(t, s.Beside(t), "insert into schema_requirements (version, min_writer_version) values (9001, 9001)")
	if status := create(t, s); status != http.StatusServiceUnavailable {
		t.Errorf("POST /users answers %d", status)
	}
	status, text := handled(t, srv, "/readyz")
	if want := "not ready\nA newer version of the service has migrated the database.\n"; status != http.StatusServiceUnavailable || string(text) != want {
		t.Errorf("/readyz answers %d %q, want %q", status, text, want)
	}
	servertest.Exec(t, s.Beside(t), "delete from schema_requirements where version = 9001")
	if status := create(t, s); status != http.StatusOK {
		t.Errorf("POST /users answers %d afterwards", status)
	}
	if status, text := handled(t, srv, "/readyz"); status != http.StatusOK {
		t.Errorf("/readyz answers %d %q afterwards", status, text)
	}
}

// create registers a user and returns the status of the answer. A 503 says when to try again.
func create(t *testing.T, s *servertest.Server) int {
	t.Helper()
	r, err := s.Client.CreateUserWithResponse(t.Context(), nil, api.UserRequest{FirstName: "A", Email: "a@example.com", Country: "US"})
	if err != nil {
		t.Fatal(err)
	}
	if status := r.StatusCode(); status == http.StatusServiceUnavailable && r.HTTPResponse.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	return r.StatusCode()
}

// What is written to a deleted file is lost when the process ends, so that it is not acknowledged.
func TestReadyNeedsTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payouts.db")
	s, srv := servertest.Serve(t, server.Config{Database: "sqlite:" + file})
	t.Cleanup(func() { srv.Close() })
	if status := create(t, s); status != http.StatusOK {
		t.Errorf("POST /users answers %d before", status)
	}
	if err := os.Rename(file, file+".moved"); err != nil {
		t.Fatal(err)
	}
	if status := create(t, s); status != http.StatusServiceUnavailable {
		t.Errorf("POST /users answers %d", status)
	}
	status, text := handled(t, srv, "/readyz")
	if want := "not ready\nThe database file was deleted, moved or replaced.\n"; status != http.StatusServiceUnavailable || string(text) != want {
		t.Errorf("/readyz answers %d %q, want %q", status, text, want)
	}
	if err := os.Rename(file+".moved", file); err != nil {
		t.Fatal(err)
	}
	if status := create(t, s); status != http.StatusOK {
		t.Errorf("POST /users answers %d afterwards", status)
	}
}

// awaitedMessage closes seen when the message is logged.
type awaitedMessage struct {
	message string
	seen    chan struct{}
}

// Write implements io.Writer.
func (l awaitedMessage) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(l.message)) {
		close(l.seen)
	}
	return len(line), nil
}

// While the service shuts down, /readyz answers 503 at once, on new connections too while they are accepted, and a request
// in flight is answered.
func TestReadyWhileShuttingDown(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, 10 * time.Second} {
		t.Run("delay "+delay.String(), func(t *testing.T) {
			t.Parallel()
			log := awaitedMessage{`"msg":"shutting down"`, make(chan struct{})}
			srv, err := server.New(t.Context(), server.Config{
				Database: servertest.Database(t), Sandbox: true, ShutdownDelay: delay, Logger: slog.New(slog.NewJSONHandler(log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- srv.Serve(ctx, listener) }()
			address := listener.Addr().String()
			if status, text := get(t, "http://"+address+"/readyz"); status != http.StatusOK || text != "ready\n" {
				t.Errorf("/readyz answers %d %q before", status, text)
			}
			finish := requestInFlight(t, "http://"+address)
			stop()
			<-log.seen
			status, text := handled(t, srv, "/readyz")
			if delay > 0 {
				status, text = get(t, "http://"+address+"/readyz")
			}
			if status != http.StatusServiceUnavailable || text != "not ready\nThe service is shutting down.\n" {
				t.Errorf("/readyz answers %d %q", status, text)
			}
			if status, text := handled(t, srv, "/healthz"); status != http.StatusOK || text != "ok\n" {
				t.Errorf("/healthz answers %d %q", status, text)
			}
			select {
			case err := <-ended:
				t.Fatalf("the service ended before its request: %v", err)
			default:
			}
			if status := finish(); status != http.StatusOK {
				t.Errorf("the request in flight was answered %d", status)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// handled sends a request to the handler, without the listener.
func handled(t testing.TB, srv *server.Server, path string) (int, exposition) {
	t.Helper()
	w := httptest.NewRecorder()
	srv.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, exposition(w.Body.String())
}

// requestInFlight sends half of a request. finish sends the rest and returns the status.
func requestInFlight(t testing.TB, url string) (finish func() int) {
	t.Helper()
	upload, body := io.Pipe()
	reading := make(chan struct{})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reading) }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/users", upload)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Expect", "100-continue") // the service answers it once it reads the body
	transport := &http.Transport{ExpectContinueTimeout: time.Minute}
	t.Cleanup(transport.CloseIdleConnections)
	status := make(chan int, 1)
	go func() {
		resp, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		resp.Body.Close()
		status <- resp.StatusCode
	}()
	<-reading
	fmt.Fprint(body, `{"first_name":"Asha","email":"asha@`)
	return func() int {
		fmt.Fprint(body, `example.com","country":"US"}`)
		body.Close()
		return <-status
	}
}
