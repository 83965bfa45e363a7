package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run starts a sandbox on a database that is thrown away, and tells the story to out.
func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "payouts-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	srv, err := server.New(ctx, server.Config{Database: "sqlite:" + filepath.Join(dir, "demo.db"), Sandbox: true})
	if err != nil {
		return err
	}
	defer srv.Close() //nolint:errcheck // its folder goes with it
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(serving, listener) }()
	defer func() {
		stop()
		if ended := <-served; err == nil {
			err = ended
		}
	}()
	address := "http://" + listener.Addr().String()
	fmt.Fprintf(out, "A fresh sandbox answers at %s.\n", address)
	client, err := newClient(address)
	if err != nil {
		return err
	}
	return story{client, out}.tell(ctx)
}

func newClient(address string) (*api.ClientWithResponses, error) {
	sandbox := server.SandboxClients[0]
	credentials := func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-Client-Id", sandbox.ID)
		r.Header.Set("X-Client-Secret", sandbox.Secret)
		return nil
	}
	return api.NewClientWithResponses(address, api.WithRequestEditorFn(credentials))
}
