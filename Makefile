.DEFAULT_GOAL := help
# Where a C compiler is missing, cgo is off and with it the race detector.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)
GOLANGCI_LINT := v2.15.0

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: generate
generate: ## Make gen/ from openapi/openapi.yaml
	@for part in types client server; do \
		go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen -config openapi/$$part.cfg.yaml openapi/openapi.yaml || exit 1; \
	done
