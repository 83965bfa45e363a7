// Command bench measures the service beside its peers on one machine, in turns, so that what else the machine does meets all of
// them alike: the checks of a request beside ogen and stock kin-openapi, transactions beside pgbench, reference data beside
// /healthz, and the front beside Prism. It prints ratios, and writes a table and a picture into .tmp/bench.
//
// It is a module of its own, so that the product does not depend on the peers. `make bench` generates ogenapi first.
package main

//go:generate go tool ogen --config ogen.yml --target ogenapi --package ogenapi --clean ../../openapi/openapi.yaml
