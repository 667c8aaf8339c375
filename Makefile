# `make` alone lists what there is. Every target works on a machine with Go and
# nothing else; what more it can use, it says.

# gVisor starts this program again inside of a chroot, so every build is static.
# The same flags everywhere let builds, tests and linters share one cache.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false

VERSION       ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS       := -s -w -X main.stamped=$(VERSION)
GOLANGCI_LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GORELEASER    := go run github.com/goreleaser/goreleaser/v2@v2.17.0
APIDIFF       := go run golang.org/x/exp/cmd/apidiff@v0.0.0-20261113113407-e3970619a1a4
CYCLONEDX     := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
OPA           := go tool opa
FUZZTIME      ?= 20s
OLDEST_PYTHON ?= python3.11
# The commit that the newest released section of CHANGELOG.md describes.
API_BASE      ?= 26f91b9
TESTFLAGS     ?=
BENCHFLAGS    ?=

# On Linux the program also holds gVisor as a file of its own: that one starts in
# a third of the time the whole program needs, for every sandbox.
ARCH  := $(or $(GOARCH),$(shell go env GOARCH))
EMBED := $(filter linux/amd64 linux/arm64,$(or $(GOOS),$(shell go env GOOS))/$(ARCH))
RUNSC := sandbox/gvisor/embedded/runsc-$(ARCH)

# Go packages under testdata are left out of ./..., so they are named.
PACKAGES := ./... $(sort $(patsubst %/,./%,$(dir $(wildcard testdata/*/*.go))))
# Packages that need no sandbox: quick to test under the race detector.
PURE := ./bridge ./bridge/record ./bridge/replay ./bridge/schema ./bridge/stub ./bridge/upstream ./sandbox ./sandbox/internal/protocol ./sandbox/rawio ./sandbox/wire ./cmd/mcp-code-mode/internal/... ./internal/... ./engine/celrule

.DEFAULT_GOAL := help
.PHONY: help build test lint race bench soak fuzz demo cross snapshot release apidiff api-base clean runsc servers have-docker have-python have-node have-cc

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(if $(EMBED),runsc) ## bin/mcp-code-mode and bin/toyserver (the first build takes some minutes)
	go build $(if $(EMBED),-tags embed_runsc) -ldflags '$(LDFLAGS)' -o bin/mcp-code-mode ./cmd/mcp-code-mode
	go build -ldflags '-s -w' -o bin/toyserver ./testdata/toyserver

runsc:
	go build -ldflags '-s -w' -o $(RUNSC) ./sandbox/gvisor/runsc
	@gzip -9nc $(RUNSC) >$(RUNSC).gz.new
	@cmp -s $(RUNSC).gz.new $(RUNSC).gz || cp $(RUNSC).gz.new $(RUNSC).gz
	@rm -f $(RUNSC).gz.new

demo: ## watch policy decide about the calls of one short program
	@echo 'building (the first time this takes some minutes)'
	@$(MAKE) --no-print-directory -s build
	@go run ./testdata/demo

test: build have-docker have-python servers ## every test that can run here
	$(OPA) test policies
	E2E_BIN=$(CURDIR)/bin go test -timeout 20m $(TESTFLAGS) $(PACKAGES)
	@! command -v $(OLDEST_PYTHON) >/dev/null || \
	  { set -x; RUNNER_PYTHON=$$(command -v $(OLDEST_PYTHON)) go test -timeout 20m $(TESTFLAGS) ./sandbox ./sandbox/sandboxtest; }
	@$(MAKE) --no-print-directory race

race: have-cc ## the packages without a sandbox, under the race detector
	@! command -v cc >/dev/null || { set -x; CGO_ENABLED=1 go test -race -timeout 20m $(TESTFLAGS) $(PURE); }

lint: ## formatting, vet, golangci-lint, tidy go.mod, Rego
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "run gofmt -w on: $$unformatted"; exit 1; }
	go mod tidy -diff
	go vet $(PACKAGES)
	$(GOLANGCI_LINT) run $(PACKAGES)
	$(OPA) fmt --fail --list policies
	$(OPA) check --strict --schema policies/schemas --capabilities policies/capabilities.json policies

bench: build ## what a run, a call and a decision cost here, in one table (some minutes)
	@go run ./testdata/bench $(BENCHFLAGS)

soak: ## 1,000 runs in each sandbox, and what they leave behind counted
	SOAK=1 go test -v -count 1 -timeout 60m -run TestRunsInARowLeaveNothingGrowing $(TESTFLAGS) ./bridge/server

fuzz: ## every fuzz target for FUZZTIME (20s) each
	@grep -l '^func Fuzz' $$(git ls-files '*_test.go') | while read -r file; do \
	  for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$$file"); do \
	    echo "fuzzing $$target in $$(dirname "$$file")"; \
	    go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")" || exit 1; \
	  done; \
	done

cross: ## builds for macOS and Windows, which have the docker driver only
	GOOS=darwin GOARCH=arm64 go build -ldflags '$(LDFLAGS)' -o dist/mcp-code-mode-darwin-arm64 ./cmd/mcp-code-mode
	GOOS=windows GOARCH=amd64 go build -ldflags '$(LDFLAGS)' -o dist/mcp-code-mode-windows-amd64.exe ./cmd/mcp-code-mode

snapshot: ## archives, .deb and .rpm packages, checksums and SBOMs of this tree, in dist/
	GOBIN=$(CURDIR)/bin/tools go install $(CYCLONEDX)
	PATH="$(CURDIR)/bin/tools:$$PATH" $(GORELEASER) release --clean --snapshot

release: # of the tag that is checked out; only .github/workflows/release.yml does this
	GOBIN=$(CURDIR)/bin/tools go install $(CYCLONEDX)
	PATH="$(CURDIR)/bin/tools:$$PATH" $(GORELEASER) release --clean

api-base:
	@echo $(API_BASE)

apidiff: ## what changed in the Go API since API_BASE; a break that CHANGELOG.md does not name is an error
	APIDIFF='$(APIDIFF)' .ci/apidiff $(API_BASE)

clean: ## remove what the other targets made
	rm -rf bin dist sandbox/gvisor/embedded/runsc* testdata/servers/node_modules testdata/inspector/node_modules

# The real servers and the real client of the end-to-end tests, at the versions of
# their lock files. Their install scripts are not run.
servers: have-node
	@! command -v npm >/dev/null || for dir in servers inspector; do \
	  test testdata/$$dir/node_modules/.package-lock.json -nt testdata/$$dir/package-lock.json || \
	    (set -x; cd testdata/$$dir && npm ci --ignore-scripts --no-audit --no-fund) || exit 1; \
	done

# What is missing is said out loud. With CI=true it is an error.
define missing
{ echo; echo "**** NOT TESTED: $(1)"; echo; test "$${CI:-}" != true; }
endef

have-docker: build
	@bin/mcp-code-mode doctor || true
	@bin/mcp-code-mode doctor --json | grep -q '"docker":true' || $(call missing,no Docker engine answers$(,) so the docker driver is not tested here)

have-python:
	@command -v $(OLDEST_PYTHON) >/dev/null || $(call missing,$(OLDEST_PYTHON)$(,) the oldest that --base may bring$(,) is not installed$(,) so the runner is tested on the embedded Python only)

have-node:
	@command -v npm >/dev/null || $(call missing,npm is not installed$(,) so nothing is tested against the real MCP servers from npm)

have-cc:
	@command -v cc >/dev/null || $(call missing,there is no C compiler$(,) so nothing is tested under the race detector)

, := ,
