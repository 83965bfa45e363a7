package main

import (
	"context"
	"net"
	"os"
	"runtime/pprof"
	"time"

	"github.com/crossborder-payouts/payouts/server"
)

func inproc(ctx context.Context, database, file string) (string, func(), error) {
	srv, err := server.New(ctx, server.Config{Database: database, Sandbox: true, ClientsFor: 5 * time.Second})
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go srv.Serve(ctx, l)
	f, err := os.Create(file)
	if err != nil {
		return "", nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return "", nil, err
	}
	return l.Addr().String(), func() { pprof.StopCPUProfile(); f.Close() }, nil
}
