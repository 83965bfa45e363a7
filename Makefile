.DEFAULT_GOAL := help
# The race detector needs cgo, which Go turns off where there is no C compiler. It leaves out the SQLite library: generated
# code of another project, which it makes many times slower.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race -gcflags=modernc.org/...=-race=false)
# Packages whose tests share things between many goroutines.
CONCURRENT := ./client ./openapi/contract ./server/store ./server/httpapi ./server/e2e/concurrency ./server/e2e/monitoring
# Tests of the service that depend on the database engine.
ENGINE := $(addprefix ./server/e2e/,concurrency crash events idempotency memory monitoring outage plans roundtrips webhooks)
# Tests of the service in which transactions compete.
COMPETING := $(addprefix ./server/e2e/,concurrency events idempotency transactions)
# Packages in which goroutines share things, for a short run with the race detector.
RACING := $(CONCURRENT) ./server ./server/webhooks $(addprefix ./server/e2e/,events idempotency webhooks)
# The newer of the two versions of Go that the SDK supports; go.mod names the older one.
NEXT_GO := go1.27.1
# Other systems than this one on which the SDK runs.
SYSTEMS := windows darwin
GOLANGCI_LINT_VERSION := v2.15.0
LINT := .bin/golangci-lint-$(GOLANGCI_LINT_VERSION)

.PHONY: help
help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Run a sandbox on SQLite at http://127.0.0.1:8080 (override with PAYOUTD_LISTEN, PAYOUTD_DATABASE)
	@mkdir -p .tmp
	@echo "Building; the first time takes two or three minutes, and then seconds."
	@go build -o .bin/payoutd ./server/payoutd
	@PAYOUTD_DATABASE=$${PAYOUTD_DATABASE:-sqlite:.tmp/sandbox.db} exec .bin/payoutd serve --sandbox

.PHONY: reset
reset: ## Delete the database of a sandbox that is stopped, so that make run begins anew
	@go build -o .bin/payoutd ./server/payoutd
	@PAYOUTD_DATABASE=$${PAYOUTD_DATABASE:-sqlite:.tmp/sandbox.db} exec .bin/payoutd reset

.PHONY: demo
demo: ## Run payouts to their end with the SDK against a fresh sandbox: paid, failed, held; prints the webhooks
	@go run ./server/demo

.PHONY: test
test: ## Run all tests on SQLite, and those that depend on the engine on PostgreSQL as well
	@$(MAKE) --no-print-directory -j2 test-sqlite test-postgres

# A package has more than the ten minutes of go test, because others run beside it.
SHORT_TEST := go test -short -timeout 20m

# Two at the same time, because tests wait about as long as they compute.
.PHONY: test-sqlite
test-sqlite:
	@# The first package waits most of its time, while others run. The second implementation is a consumer. With RACED=1, races runs the rest.
	$(SHORT_TEST) $(if $(RACED),,./server/webhooks) $$(go list ./... | grep -v -e /e2e/browser -e /e2e/story -e /server/webhooks -e /consumers/second \
		$(if $(RACED),| grep -vxF "$$(go list $(RACING))"))
	@# In its own folder, because only there does go print the output of a passing run: that a namespace is missing.
	cd server/e2e/story && $(SHORT_TEST)

.PHONY: test-postgres
test-postgres:
	PAYOUTD_TEST_ENGINE=postgres $(SHORT_TEST) $(ENGINE)
	PAYOUTD_TEST_ENGINE=postgres PAYOUTD_TEST_ISOLATION=serializable $(SHORT_TEST) $(COMPETING)
	@# In their own folders, too: that Chromium or PostgreSQL is missing.
	cd server/e2e/browser && $(SHORT_TEST)
	cd server/e2e/operations && PAYOUTD_TEST_ENGINE=postgres $(SHORT_TEST)
	@# The other tests there are of the suite, and do not depend on the engine.
	cd conformance && PAYOUTD_TEST_ENGINE=postgres $(SHORT_TEST) -run TestOurServer
	$(if $(RACE),$(SHORT_TEST) $(RACE) $(CONCURRENT))

.PHONY: test-go-next
test-go-next: ## Run the tests of the SDK with the newer of the two versions of Go that it supports
	GOTOOLCHAIN=$(NEXT_GO) go vet ./client/...
	GOTOOLCHAIN=$(NEXT_GO) go test -short ./client/...

.PHONY: races
races: ## Run all tests with the race detector, and races between callers and replicas at full length (SHORT=-short for the packages that share most)
ifdef SHORT
	go test -short -timeout 30m $(RACE) ./server/webhooks $(filter-out ./server/webhooks,$(RACING))
else
	go test -timeout 30m $(RACE) ./server/webhooks $$(go list ./... | grep -v -e /server/webhooks -e /conformance/mutants -e /consumers/second -e /openapi/compat -e /server/e2e/docs -e /server/e2e/memory -e /e2e/browser)
	@# Without the race detector, because replicas race more often when they are faster.
	PAYOUTD_TEST_ENGINE=postgres go test -timeout 30m ./server/e2e/concurrency ./server/e2e/outage
endif

.PHONY: conform
conform: ## Run the conformance suite against the service on both engines; reports in .tmp/conformance
	@cd conformance && failed=0 && for engine in sqlite postgres; do \
		PAYOUTD_TEST_ENGINE=$$engine CONFORM_REPORT=$(CURDIR)/.tmp/conformance CONFORM_COMMIT=$$(git rev-parse HEAD) go test -run TestReports -count=1 || failed=1; \
	done && exit $$failed

.PHONY: mutants
mutants: ## Prove the suite itself: break each thing that the contract names, and print which checks fail
	@cd conformance/mutants && CONFORM_MUTANTS=all go test -run TestEveryMutantIsKilled -count=1 -timeout 30m

.PHONY: lint-spec
lint-spec: ## Run Spectral, with the rules of OWASP, and Redocly on openapi/openapi.yaml
	@$(MAKE) --no-print-directory consumers ONLY="spectral redocly"

.PHONY: consumers
consumers: ## Generate clients with other projects' tools and run a story with each (ONLY=NAME,... for some); table in .tmp/consumers.md
	@go run ./conformance/consumers --only="$(ONLY)"
	@# In its own folder, because only there does go print the output of a passing run: that Python is missing.
	$(if $(ONLY),,cd conformance/consumers/second && go test -count=1)

.PHONY: axe
axe: .tmp/axe/node_modules/axe-core/axe.min.js ## Install axe-core, which the tests in a browser need beside chromium

.tmp/axe/node_modules/axe-core/axe.min.js: conformance/consumers/axe/package.json conformance/consumers/axe/package-lock.json
	mkdir -p .tmp/axe && cp $^ .tmp/axe && cd .tmp/axe && npm ci --no-audit --no-fund
	@touch $@ # the package has times of its own

.PHONY: pictures
pictures: axe ## Take pictures of the console, the documentation and a conformance report into .tmp/pictures, and those of README
	@mkdir -p .tmp/pictures
	@cd server/e2e/browser && PAYOUTD_TEST_PICTURES=$(CURDIR)/.tmp/pictures go test -run TestPictures -count=1 -timeout 10m
	@mkdir -p server/docs/pictures && cp .tmp/pictures/console.png .tmp/pictures/docs.png server/docs/pictures

server/bench/ogenapi: openapi/openapi.yaml server/bench/ogen.yml server/bench/go.mod
	@mkdir -p .tmp && cd server/bench && go generate 2>../../.tmp/ogen.log || { cat ../../.tmp/ogen.log; exit 1; }
	@touch $@

.PHONY: bench
bench: server/bench/ogenapi ## Compare with ogen, stock kin-openapi, pgbench and Prism in turns (ONLY=GROUP,... for some, BEFORE=FILE: another payoutd, SHORT=-short); see .tmp/bench
	@cd server/bench && go run . -only="$(ONLY)" -before="$(BEFORE)" $(SHORT)

.PHONY: growth
growth: ## Compare a transaction in a database of 1,000,000 with one of 1,000, and the last page of long lists with the first, in turns
	PAYOUTD_TEST_TRANSACTIONS=1000000 PAYOUTD_TEST_ENGINE=postgres go test -run '^$$' -bench Growth -benchtime 1x -timeout 30m ./server/e2e/plans

.PHONY: bench-parts
bench-parts: ## Measure the overhead of the SDK, the contract checks, the front and the metrics, as ratios
	go test -run '^$$' -bench . -benchmem ./client ./openapi/contract ./openapi/contract/front ./server/httpapi ./server/store

.PHONY: bodies
bodies: ## Compare what accepts bodies fast with kin-openapi, on BODIES (10000000) mutated bodies of all operations
	go test ./openapi/contract -run TestAcceptorsAgreeWithTheJudge -count=1 -timeout 2h -v -contract.bodies=$(or $(BODIES),10000000)

.PHONY: failover
failover: ## Break a Patroni cluster under load: nothing may be lost or doubled (MODE=async for the counter-proof, FAULTS=PART,... for some)
	@cd server/e2e/failover && PAYOUTD_TEST_FAILOVER=$(or $(MODE),sync) PAYOUTD_TEST_FAILOVER_FAULTS="$(FAULTS)" go test -run TestFailover -count=1 -timeout 15m -v

.PHONY: storm
storm: ## Pay PAYOUTS (1000) while half of all requests meet a fault, drawn from SEED (the time); prints what the SDK said of each
	@cd client && PAYOUTD_TEST_STORM=$(or $(PAYOUTS),1000) PAYOUTD_TEST_STORM_SEED=$(or $(SEED),$(shell date +%s)) go test -run TestStorm -count=1 -timeout 30m -v

.PHONY: crash
crash: ## Kill replicas and PostgreSQL while payouts make MOVES (2000) transitions, on both engines, drawn from SEED (the time)
	@cd server/e2e/crash && for engine in sqlite postgres; do \
		PAYOUTD_TEST_ENGINE=$$engine PAYOUTD_TEST_CRASH=$(or $(MOVES),2000) PAYOUTD_TEST_CRASH_SEED=$(or $(SEED),$(shell date +%s)) \
			go test -run TestCrash -count=1 -timeout 30m -v || exit 1; \
	done

.PHONY: citus
citus: ## Test the store, races and crashes on the Citus cluster that PAYOUTD_TEST_CITUS names, and kill nodes of another (PAYOUTD_TEST_CITUS_PROGRAMS)
	go test -short -run 'Citus|Distribut' -parallel 2 -timeout 30m ./server/store ./server/payoutd
	PAYOUTD_TEST_ENGINE=citus go test -short -timeout 30m ./server/e2e/concurrency ./server/e2e/crash
	go test -short -run 'Citus' -parallel 2 -timeout 30m ./server/e2e/outage ./server/e2e/webhooks

.PHONY: soak
soak: ## Run payoutd on PostgreSQL at half load for DURATION (20m): memory, goroutines and descriptors must stay flat
	@cd server/e2e/soak && PAYOUTD_TEST_SOAK=$(or $(DURATION),20m) go test -run TestSoak -count=1 -timeout 24h -v

.PHONY: explain
explain: ## Check that every SQL statement uses an index, at 1,000,000 transactions
	PAYOUTD_TEST_TRANSACTIONS=1000000 PAYOUTD_TEST_ENGINE=postgres go test ./server/e2e/plans -count=1 -v

.PHONY: feed
feed: ## Read a feed of EVENTS (1000000) at its beginning and its end, and delete most of it while others write, on both engines
	@cd server/e2e/events && for engine in sqlite postgres; do \
		PAYOUTD_TEST_ENGINE=$$engine PAYOUTD_TEST_EVENTS=$(or $(EVENTS),1000000) go test -run 'TestTheEndOfTheFeed|TestOldEvents' -count=1 -timeout 30m -v || exit 1; \
	done

.PHONY: isolation
isolation: ## Deliver webhooks to ENDPOINTS (1000), one of them dead or just back, and print the delays of the others
	@cd server/webhooks && PAYOUTD_TEST_ENDPOINTS=$(or $(ENDPOINTS),1000) go test -run TestADeadEndpoint -count=1 -timeout 60m -v

.PHONY: generate
generate: ## Generate gen/, the error codes of the SDK and conformance/CLAUSES.md from openapi/openapi.yaml
	@go run ./openapi/internal/hints >.hints && mv .hints openapi/hints.gen.yaml
	@for part in types client server; do \
		go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen \
			-config openapi/$$part.cfg.yaml openapi/openapi.yaml || exit 1; \
	done
	@go run ./client/internal/codes -o client/codes.gen.go
	@go run ./conformance/conform --clauses >.clauses && mv .clauses conformance/CLAUSES.md

# The newest commit that is on origin too, else the last one: a change of the contract since then needs a line in its changelog.
SINCE ?= $(shell git merge-base HEAD origin/HEAD 2>/dev/null || git rev-parse --verify --quiet HEAD)

.PHONY: spec-diff
spec-diff: ## Print what changes from the newest released contract, and check the version and the changelog
	@go run ./openapi/compat/spec-diff --since="$(SINCE)"

.PHONY: release-spec
release-spec: spec-diff ## Copy openapi/openapi.yaml to openapi/released, where it never changes again
	@version=$$(awk '$$1 == "version:" {print $$2; exit}' openapi/openapi.yaml) && cd openapi/released && \
		if [ -e $$version.yaml ]; then echo "$$version is released already"; exit 1; fi && \
		cp ../openapi.yaml $$version.yaml && sha256sum $$version.yaml >>SHA256SUMS && echo "Commit openapi/released."

.PHONY: verify
verify: generate ## Check that generated code, formatting, module files and the changelog of the contract are up to date
	@go run ./openapi/compat/spec-diff --quiet --since="$(SINCE)" || { echo "make spec-diff lists what changes; openapi/released/README.md says what it needs."; exit 1; }
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
		if [ -n "$$unformatted" ]; then echo "not formatted: $$unformatted"; exit 1; fi
	@go mod tidy -diff
	@go mod verify
	@changed=$$(git status --porcelain -- gen openapi/hints.gen.yaml client/codes.gen.go conformance/CLAUSES.md); \
		if [ -n "$$changed" ]; then echo "These files were generated just now, and are not committed like this. Commit them with what they follow from:"; \
			echo "$$changed"; exit 1; fi

.PHONY: lint
lint: $(LINT) server/bench/ogenapi ## Run go vet, that of the SDK for Windows and macOS as well, and golangci-lint
	go vet ./...
	@# The SDK and its test kit run there as well; the service itself is for Linux.
	$(foreach system,$(SYSTEMS),GOOS=$(system) go vet ./client/... &&) true
	$(LINT) run ./...
	cd server/bench && $(CURDIR)/$(LINT) run ./...

$(LINT):
	GOBIN=$(CURDIR)/.bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv .bin/golangci-lint $@
