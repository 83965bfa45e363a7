//go:build tools

// Package tools pins the versions of the programs that `make generate` runs.
package tools

import (
	_ "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
)
