# Parley's tasks. `make help` lists them.
# On a machine with Go, git and make, `make run` and `make test` need nothing else.
.DEFAULT_GOAL := help
.PHONY: help run build test check browser large kill bench retrieval profile cgroup lint fuzz mutants docs prose fresh FORCE

GO      ?= go

# The version comes from git where git will tell: in a checkout that belongs to
# another user, or in none at all, everything must build too.
VCS          := $(shell git rev-parse --git-dir >/dev/null 2>&1 && echo true || echo false)
BUILD_FLAGS   = -trimpath -ldflags '-s -w -funcalign=16' -buildvcs=$(VCS)
# A profile of the bench, from which the compiler learns the busy calls; make profile
# renews it. `make run` does without it, so that its compiled packages serve the tests too.
PROFILE       = cmd/gateway/release.pgo
PROFILE_ROWS  = latency,latency-tool,turns,burst,telegram-latency,telegram-turns,telegram-burst,slack-latency,slack-turns,slack-burst,web-latency,web-burst
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) -buildvcs=false)

LINT_VERSION = 2.15.0
FUZZTIME    ?= 5s
KILL_SEEDS  ?= 20

help:
	@echo 'make run      build the gateway and open the console; needs no key'
	@echo 'make test     every suite with small populations, in a few minutes'
	@echo 'make check    all tests, each crash point once; with the race detector where a C compiler works'
	@echo 'make browser  the page in chromium; pictures of it in bin/screens'
	@echo 'make build    bin/parley for release, and its size by module'
	@echo 'make kill     the crash points with $(KILL_SEEDS) seeds each'
	@echo 'make large    a start with 10,000 interrupted tasks, and a newcomer behind 20,000 chats'
	@echo 'make cgroup   runs of programs in control groups, in a virtual machine (qemu, busybox, a Linux image)'
	@echo 'make bench    the figures of docs/performance.md'
	@echo 'make retrieval  how well and how fast the index finds, beside FTS5 and bleve; needs apt-get and dpkg-deb'
	@echo 'make profile  renew the profile with which make build compiles, from the bench'
	@echo 'make lint     golangci-lint $(LINT_VERSION)'
	@echo 'make fuzz     each fuzz target for $(FUZZTIME)'
	@echo 'make mutants  planted defects and the tests that find them; goes on where it ended'
	@echo 'make docs     the pages of docs/tools, docs/models.md and docs/promises.md, from the code and docs/promises.yaml; docs/page.png from chromium, docs/console.svg from tmux'
	@echo 'make prose    rates of words that make comments and pages hard to read'
	@echo 'make fresh    a fresh clone on a bare PATH: the first answer with a tool call'

run: bin/parley
	@bin/parley chat $(ARGS) || { code=$$?; [ $$code -eq 130 ] || exit $$code; } # 130: Ctrl-C left

build: BUILD_FLAGS += -pgo=$(PROFILE)
build: bin/parley
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=$(VCS) -o bin/parley.symbols ./cmd/gateway < /dev/null
	@$(GO) run ./internal/tools/sizes/print bin/parley.symbols; rm -f bin/parley.symbols
	@bytes=$$(wc -c < bin/parley); \
	echo "$$(bin/parley version), $$((bytes / 1048576)).$$((bytes % 1048576 * 10 / 1048576)) MB"

# Always handed to go, which knows best which files are out of date. bin/gateway is the
# program's former name, kept as a link for one release.
bin/parley: FORCE
	@echo 'building bin/parley; the first time this takes a minute or two' >&2
	@CGO_ENABLED=0 $(GO) build $(BUILD_FLAGS) -o $@ ./cmd/gateway < /dev/null
	@ln -sf parley bin/gateway

FORCE:

test:
	@GO='$(GO)' sh scripts/test.sh

check:
	@GO='$(GO)' sh scripts/test.sh --all

browser:
	@(cd internal/test/browser && PARLEY_SCREENS=$${PARLEY_SCREENS:-$(CURDIR)/bin/screens} $(GO) test -json -count=1 -timeout 20m .) | \
		$(GO) run ./internal/tools/promises/check docs/promises.yaml

kill:
	PARLEY_KILL_SEEDS=$(KILL_SEEDS) $(GO) test -count=1 -timeout 60m -v ./internal/test/kill

large:
	PARLEY_LARGE=1 $(GO) test -count=1 -timeout 30m -v -run '^(TestAStartWithManyLostTasksAndDueJobs|TestANewcomerBehindACrowd)$$' ./internal/test/e2e

cgroup:
	@GO='$(GO)' sh scripts/cgroup-vm.sh

bench:
	$(GO) run ./internal/tools/bench

retrieval:
	@mkdir -p bin/retrieval
	cd internal/tools/retrieval && $(GO) run . -data $(CURDIR)/bin/retrieval $(ARGS)

# A figure that misses its bound does not keep the profile from being written.
profile:
	@rm -rf bin/profiles; mkdir -p bin/profiles
	-$(GO) run ./internal/tools/bench -profile bin/profiles -only $(PROFILE_ROWS)
	$(GO) tool pprof -proto -output $(PROFILE) bin/profiles/*.cpu

lint:
	@GO='$(GO)' LINT_VERSION='$(LINT_VERSION)' sh scripts/lint.sh

fuzz:
	@GO='$(GO)' FUZZTIME='$(FUZZTIME)' sh scripts/fuzz.sh

mutants:
	$(GO) run ./internal/tools/mutants/plant $(ARGS)

docs:
	$(GO) run ./internal/tools/tooldocs/write
	$(GO) run ./internal/tools/modeldocs/write
	$(GO) run ./internal/tools/promises/write
	PARLEY_PICTURE=$(CURDIR)/docs/console.svg $(GO) test -count=1 -run '^TestThePictureOfTheReadme$$' ./internal/test/terminal
	cd internal/test/browser && PARLEY_PICTURE=$(CURDIR)/docs/page.png $(GO) test -count=1 -v -run '^TestThePictureOfTheReadme$$' .

prose:
	@GO='$(GO)' sh scripts/prose.sh

fresh:
	@GO='$(GO)' sh scripts/fresh-clone.sh
