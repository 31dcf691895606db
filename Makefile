# make help lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
SCRATCH ?= .build
SOAK ?= 100000
LIVES ?= 10000
SEED ?= 1
N ?= 300
INSTALL ?= install
# Rounds on a network drive; a seed repeats the choices of a run that failed.
ROUNDS ?= 60
RIG_SEED ?=

# One program; the others are links to it.
LINKS := bzpack slate-backup tracker-export foldersync
PROGRAMS := satchel $(LINKS)
BUILD := $(SWIFT) build --scratch-path $(SCRATCH)
# What is installed is a release. TRIAL=yes links what the tests are built of in the same way instead of building it.
TRIAL ?=
RELEASE := $(SCRATCH)/$(if $(TRIAL),trial,release)
# All tests are built as a release is: that takes no longer than a debug build, and what they do takes a quarter of the
# time. One set of flags for all targets that need it, as other flags would build everything anew. The import check is
# one of them: it compares each target's imports with its line in Package.swift. SATCHEL_TESTED leaves the modules of
# the programs unoptimised: commands start as fast, and an export takes half as long again.
TESTED := $(SCRATCH)/tested
TESTED_FLAGS := -Xswiftc -enable-testing -debug-info-format none --explicit-target-dependency-import-check error
# BUILT=yes: nothing has changed since they were built.
BUILT ?=
BUILD_TESTED := $(if $(BUILT),@:,SATCHEL_TESTED=yes $(SWIFT) build --scratch-path $(TESTED) -c release $(TESTED_FLAGS))
STAGE := $(SCRATCH)/stage

# Programs that are installed carry Swift's own libraries, so that they run where no toolchain is, and no symbols.
ifeq ($(shell uname -s),Darwin)
RELEASE_FLAGS := -c release
UNITS :=
else
RELEASE_FLAGS := -c release --static-swift-stdlib -Xlinker -s
UNITS := $(notdir $(wildcard $(PROGRAMS:%=scripts/systemd/%.service) $(PROGRAMS:%=scripts/systemd/%.timer)))
endif

bindir := $(DESTDIR)$(PREFIX)/bin
mandir := $(DESTDIR)$(PREFIX)/share/man/man1
bashdir := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fishdir := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# In a home folder systemd looks for user units under share only.
unitdir := $(DESTDIR)$(PREFIX)/$(if $(filter $(HOME)/%,$(PREFIX)),share,lib)/systemd/user

.DEFAULT_GOAL := help
.PHONY: help setup build demo tested test quick examples nfs smb soak lives attack encrypted release stage install uninstall bench counts lint format imports check docs reference pictures clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z ]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the system libraries that are missing (Debian: apt-get), and say so
	@scripts/setup.sh

build: setup ## build the programs for development
	$(BUILD) --product satchel
	@scripts/links.sh $(SCRATCH)/debug

demo: setup ## the main jobs of the programs, on the files in fixtures/, checked
	$(BUILD_TESTED) --product satchel
	@scripts/links.sh $(TESTED)/release
	@scripts/demo.sh $(TESTED)/release

tested: setup
	$(BUILD_TESTED) --build-tests
	@scripts/links.sh $(TESTED)/release

test: setup ## build everything and run all tests; list what was skipped
	$(BUILD_TESTED) --build-tests
	@SWIFT="$(SWIFT)" SCRATCH="$(TESTED)" scripts/test.sh all

quick: setup ## build everything and run the fast tests
	$(BUILD) --build-tests
	@SWIFT="$(SWIFT)" SCRATCH="$(SCRATCH)" scripts/test.sh quick

# 77: something is missing on this machine, as was said.
nfs smb: setup ## ROUNDS of edits and faults by three devices over a drive that is really mounted, then an oracle
	$(BUILD_TESTED) --product satchel
	@scripts/links.sh $(TESTED)/release
	@RIG_SECONDS=$$((600 + 10 * $(ROUNDS))) Tests/Rigs/nfs/run $@ $(TESTED)/release $(ROUNDS) $(RIG_SEED) || [ $$? -eq 77 ]

examples: setup ## build and run the packages in Examples, as users of the libraries
	@SWIFT="$(SWIFT)" SCRATCH="$(TESTED)" FLAGS="$(TESTED_FLAGS)" scripts/examples.sh

soak: setup ## merge random changes of SOAK simulated worlds from seed SEED on, and hold them against an oracle
	$(BUILD_TESTED) --build-tests
	@SATCHEL_SOAK=$(SOAK) SATCHEL_SEED=$(SEED) SWIFT="$(SWIFT)" SCRATCH="$(TESTED)" scripts/test.sh SimulationTests

attack: setup ## plant N hostile files in a shared folder from seed SEED on, each over two devices that edit
	$(BUILD_TESTED) --build-tests
	@SATCHEL_ATTACK=$(N) SATCHEL_SEED=$(SEED) SWIFT="$(SWIFT)" SCRATCH="$(TESTED)" scripts/test.sh AttackTests

encrypted: setup ## run the sets that look at no file by its name once more, over encrypted folders
	$(BUILD_TESTED) --build-tests
	@SATCHEL_TEST_ENCRYPTED=1 SATCHEL_SYNC_SOAK=$(N) SATCHEL_SEED=$(SEED) SWIFT="$(SWIFT)" SCRATCH="$(TESTED)" scripts/test.sh \
	  'SoakTests|MeaningTests|DecisionTests|ReplicaTests|ExportTests|InterruptedTests|SyncFaultTests'

lives: setup ## live LIVES simulated lives from seed SEED on, and hold them against what the people entered
	$(BUILD_TESTED) --build-tests
	@LIVES=$(LIVES) SEED=$(SEED) SWIFT="$(SWIFT)" SCRATCH="$(TESTED)" scripts/test.sh LivesTests

release: $(if $(TRIAL),tested,setup)
	$(if $(TRIAL),@SWIFT="$(SWIFT)" scripts/link-static.sh $(TESTED)/release $(RELEASE)/satchel,$(BUILD) $(RELEASE_FLAGS) --product satchel)
	@scripts/links.sh $(RELEASE)

stage: release
	@SWIFT="$(SWIFT)" SCRATCH="$(SCRATCH)" BINDIR="$(abspath $(PREFIX))/bin" scripts/stage.sh $(STAGE) $(RELEASE) $(PROGRAMS)

install: stage ## build for release and install under PREFIX (and DESTDIR): programs, man pages, completions, units
	$(INSTALL) -d $(bindir) $(mandir) $(bashdir) $(zshdir) $(fishdir)
	$(INSTALL) -m 755 $(RELEASE)/satchel $(bindir)
	$(foreach link,$(LINKS),ln -sfn satchel $(bindir)/$(link) && ) true
	$(INSTALL) -m 644 $(PROGRAMS:%=$(STAGE)/%.1) $(mandir)
	$(INSTALL) -m 644 $(PROGRAMS:%=$(STAGE)/%.fish) $(fishdir)
	$(foreach program,$(PROGRAMS),$(INSTALL) -m 644 $(STAGE)/$(program).bash $(bashdir)/$(program) && ) \
	$(foreach program,$(PROGRAMS),$(INSTALL) -m 644 $(STAGE)/_$(program) $(zshdir)/_$(program) && ) true
	$(if $(UNITS),$(INSTALL) -d $(unitdir) && $(INSTALL) -m 644 $(UNITS:%=$(STAGE)/%) $(unitdir))

uninstall: ## remove what install put under PREFIX
	$(foreach program,$(PROGRAMS),rm -f $(bindir)/$(program) $(mandir)/$(program).1 $(bashdir)/$(program) \
	  $(zshdir)/_$(program) $(fishdir)/$(program).fish;)
	$(if $(UNITS),rm -f $(UNITS:%=$(unitdir)/%))

bench: setup ## measure against other tools, and write docs/performance.md
	@scripts/bench.sh

# 77: something is missing on this machine, as was said.
counts: setup ## count the instructions of twelve small jobs; fail where one takes over 5 % more than Benchmarks/counts.json says
	$(BUILD_TESTED) --product satchel
	@python3 Benchmarks/bench.py counts --programs $(TESTED)/release $(COUNTS) || [ $$? -eq 77 ]

lint: ## check the formatting and what the sources must not contain
	@SWIFT="$(SWIFT)" scripts/lint.sh

format: ## format the sources in place
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests

imports: ## check that each target imports only what its line in Package.swift names
	$(BUILD_TESTED) --build-tests

check: test lint imports ## what .ci/run runs, without the trial installation

docs: setup ## build the API documentation into $(SCRATCH)/docs
	SATCHEL_DOCS=1 SWIFT="$(SWIFT)" SCRATCH="$(SCRATCH)" scripts/docs.sh

reference: setup ## write docs/reference anew, from --help of each command
	$(BUILD_TESTED) --product satchel
	@scripts/reference.sh $(TESTED)/release

pictures: setup ## make the pictures of the README anew, in Chromium
	$(BUILD) --build-tests
	@SATCHEL_PICTURES="$(abspath docs/pictures)" $(SWIFT) test --scratch-path $(SCRATCH) --skip-build --disable-xctest \
	  --filter 'pictures of the README'
	@ls -l docs/pictures

clean: ## remove all build products
	rm -rf $(SCRATCH)
