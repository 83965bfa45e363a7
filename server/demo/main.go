package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run starts a sandbox on a temporary database, and prints the story to out.
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
	sandbox := server.SandboxClients[0]
	c, err := client.New(address, sandbox.ID, sandbox.Secret)
	if err != nil {
		return err
	}
	defer c.CloseIdleConnections() // or the server waits for them
	hooks, err := receive(ctx, c)
	if err != nil {
		return err
	}
	defer hooks.close()
	return story{c, hooks.events, out}.tell(ctx)
}
