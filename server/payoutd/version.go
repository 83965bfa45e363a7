package main

import (
	"fmt"
	"runtime"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/store"
)

// version is `payoutd version`.
type version struct {
	JSON bool `help:"Print JSON instead of a line."`
}

// versionJSON is what this program is.
type versionJSON struct {
	Version  string `json:"version"`
	Contract string `json:"contract"`
	Schema   int64  `json:"schema"` // of the database: its newest migration
	Go       string `json:"go"`
}

// Run prints the versions of the program, of the contract and of the schema.
func (v version) Run(std streams) error {
	contract, err := openapi.Document()
	if err != nil {
		return err
	}
	shown := versionJSON{server.Version(), contract.Info.Version, store.SchemaVersion(), runtime.Version()}
	if v.JSON {
		return printJSON(std.out, shown)
	}
	_, err = fmt.Fprintf(std.out, "payoutd %s, contract %s, schema %d, %s\n", shown.Version, shown.Contract, shown.Schema, shown.Go)
	return err
}
