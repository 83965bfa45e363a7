.DEFAULT_GOAL := help
# Where there is no C compiler, Go turns cgo off, and the race detector needs cgo.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)
GOLANGCI_LINT_VERSION := v2.15.0
LINT := .bin/golangci-lint-$(GOLANGCI_LINT_VERSION)

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Run a sandbox on SQLite at http://127.0.0.1:8080 (PAYOUTD_LISTEN, PAYOUTD_DATABASE change that)
	@mkdir -p .tmp
	@go build -o .bin/payoutd ./server/payoutd
	@PAYOUTD_DATABASE=$${PAYOUTD_DATABASE:-sqlite:.tmp/sandbox.db} exec .bin/payoutd serve --sandbox

.PHONY: demo
demo: ## Walk through a whole payout with the SDK, against a fresh sandbox
	@go run ./server/demo

.PHONY: test
test: ## Run all tests, those of the service on SQLite and on PostgreSQL
	go test $(RACE) $$(go list ./... | grep -v /conformance/mutants)
	@# Hundreds of broken servers, where a race would be one of the test's own.
	go test ./conformance/mutants
	@# Without the race detector, which has seen the same Go code above, so that the replicas race more often.
	PAYOUTD_TEST_ENGINE=postgres go test $$(go list ./server/e2e/... | grep -v /operations)
	@# In their own folders, because only there go shows what a run that succeeds has to say: that there is no PostgreSQL.
	cd server/e2e/operations && PAYOUTD_TEST_ENGINE=postgres go test
	cd conformance && PAYOUTD_TEST_ENGINE=postgres go test

.PHONY: conform
conform: ## Prove the service against the contract, on SQLite and PostgreSQL; reports go to .tmp/conformance
	@cd conformance && failed=0 && for engine in sqlite postgres; do \
		PAYOUTD_TEST_ENGINE=$$engine CONFORM_REPORT=$(CURDIR)/.tmp/conformance CONFORM_COMMIT=$$(git rev-parse HEAD) go test -run TestReports -count=1 || failed=1; \
	done && exit $$failed

.PHONY: mutants
mutants: ## Prove the suite itself: break each thing that the contract names, and print which checks fail
	@cd conformance/mutants && CONFORM_MUTANTS=all go test -run TestEveryMutantIsKilled -count=1 -timeout 30m

.PHONY: bench
bench: ## Measure what the SDK, the contract and the metrics cost, as ratios
	go test -run '^$$' -bench . -benchmem ./client ./openapi/contract ./server/httpapi

.PHONY: explain
explain: ## Check the plan of every statement of a request at 1,000,000 transactions
	PAYOUTD_TEST_TRANSACTIONS=1000000 PAYOUTD_TEST_ENGINE=postgres go test ./server/e2e/plans -count=1 -v

.PHONY: generate
generate: ## Make from openapi/openapi.yaml what is generated: gen/, the codes of the SDK, conformance/CLAUSES.md
	@for part in types client server; do \
		go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen \
			-config openapi/$$part.cfg.yaml openapi/openapi.yaml || exit 1; \
	done
	@go run ./client/internal/codes -o client/codes.gen.go
	@go run ./conformance/conform --clauses >.clauses && mv .clauses conformance/CLAUSES.md

.PHONY: verify
verify: generate ## Check that generated code, formatting and module files are clean
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
		if [ -n "$$unformatted" ]; then echo "not formatted: $$unformatted"; exit 1; fi
	@go mod tidy -diff
	@go mod verify
	@changed=$$(git status --porcelain -- gen client/codes.gen.go conformance/CLAUSES.md); \
		if [ -n "$$changed" ]; then echo "Not what make generate makes; run it and commit:"; echo "$$changed"; exit 1; fi

.PHONY: lint
lint: $(LINT) ## Run go vet and golangci-lint
	go vet ./...
	$(LINT) run ./...

$(LINT):
	GOBIN=$(CURDIR)/.bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv .bin/golangci-lint $@
