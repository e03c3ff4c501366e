# SPDX-License-Identifier: Apache-2.0
#
#   make run      build for release and run Examples/orders.ndjson through plugins.json
#   make test     build for debugging, run all tests, compare the SDK's layout with SDK/ABI.txt, and show that plugins depend on
#                 nothing in the SDK but what its fingerprint covers
#   make test-packages  build and run the example plugins in Swift, C and Rust and the packages that gatehouse new makes, each by
#                 itself; install and uninstall in a temporary folder
#   make test-contributing  follow the first half hour of CONTRIBUTING.md in a new clone
#   make test-author  follow the path of a plugin's author in README.md and Writing-a-plugin.md in an empty folder
#   make test-console  test the console of a running host with a headless Chromium (installs chromium and redis-server); keeps
#                 screenshots in .build/console-screenshots
#   make test-control-groups  let workers of a host in a control group take too much memory and processor time (needs root, and control
#                 groups of version 2)
#   make check    what a change must pass: format, generated files, documentation and its links, tests in debug and
#                 release, linkage, the external plugins, installing, the service under systemd where that is possible,
#                 instructions
#   make docs     build the reference of the SDK's modules into .build/documentation
#   make sanitize run the tests of core, host and plugins under the thread sanitizer; fails on any report
#   make sanitize-address  run the tests of core and host about the ends of lifetimes under the address sanitizer
#   make fuzz     feed damaged files, lines, requests, answers, rings and flight recorders to their readers, FUZZ_SECONDS (60) for each target of FUZZ
#                 (all nine); C targets under the sanitizers for addresses and undefined behaviour, HTTP under that for addresses
#   make mutations  judge and describe ten thousand damaged libraries
#   make mutants  put MUTANTS (1000) defects into a copy of the sources, and check for each whether the tests notice; in all targets
#                 or in one ROOM, as Scripts/mutants lists them; with ALL=1 also by the tests elsewhere that reach what those of the room miss;
#                 SEED repeats a run, CONTINUE=1 goes on with it, RECORD=1 writes Tests/mutants-noticed.tsv for other clones to go on
#                 with; JOBS (2) at a time
#   make soak     reload 200 times while four writers send a million actions; with HOURS=8 keep a built host busy for so long instead,
#                 with reloads, upgrades, kills of workers and full disks, and compare what it takes at the end with the beginning;
#                 SEED repeats its moments
#   make torture  kill hosts with a journal KILLS (1000) times in each mode while four writers write, and check what they kept
#   make torture-plugins  let about 60 kinds of bad plugin end or block a supervised host with a journal while four writers write
#   make torture-edits  edit configurations and libraries after crashes by SEEDS (300) seeds, and compare each state with that of
#                 a host that had the same edits as reloads; SEED sets the first seed
#   make torture-try  have a running host try libraries with planted regressions over a journal of ACTIONS (1000000) actions, and REBUILT (100)
#                 sound ones; fails where one is judged wrongly, and compares the times with that of reading and reducing
#   make torture-binding  change CHANGES (50) bodies of the SDK under plugins that were built before, half as many interfaces, and
#                 CHANGES layouts and inlinable bodies, and check that a host loads or refuses them, and that workers of hosts built
#                 with the latter take what it refuses; SEED repeats a run
#   make laws     run CHAINS (20000) random chains of instances through a host and through the core's Store, and compare each step; and
#                 compare HOSTS (400) under random configurations with what crashes, starts, failed reloads and power failures make of them;
#                 SEED sets the first seed
#   make torture-upgrade  upgrade a host to another build and back UPGRADES (200) times, with programs that fail in between, while four writers
#                         send ACTIONS (1000000) actions over connections that must not end
#   make torture-pipeline  send WEBHOOKS (10000) webhooks through eleven instances to a service that fails nearly half of the time, while
#                 the host is killed KILLS (40) times and reloaded RELOADS (100) times; SEED repeats a run
#   make load-http  open CONNECTIONS (1100, 5000 and 15000) idle connections to a host, and check who is served; reload it RELOADS
#                 (100) times, and crash it a fifth as often, while clients ask on new connections; keep it busy for LOAD (20)
#                 seconds by wrk and fake clients (installs wrk), and check what operators can do meanwhile
#   make bench-recovery  time a start that replays a million actions of one generation, and of ten
#   make simulate-cluster  simulate failing members of 1,000 clusters, and of 20 with 100 members and 4,096 partitions
#   make simulate-host  let hosts with a journal live and die on simulated disks and clocks by SEEDS (100000) seeds, each with a
#                 worker, and check after each death what is left; SEED sets the first seed
#   make torture-damage  flip FLIPS (200) bits in each file of a journal left by a crash, cut it at each page, and start on the remains
#   make torture-cluster  kill, pause, cut off and start members of a cluster KILLS (50) times while four writers write
#                 ACTIONS (1000000) actions, and compare what they reduced with a single host (installs redis-server); SEED
#                 repeats a run; also with a failing network and a Redis that dies, is full or may evict; last, count what
#                 reaches a service while partitions change hands
#   make test-cluster  run the tests of clusters on the server of SERVER (redis, or valkey, which Debian 12 has in its backports); the two
#                 targets around this one take SERVER too (installs redis-server, or valkey-server)
#   make torture-failover  kill, pause and cut off the primary of a Redis with two replicas and three Sentinels FAILOVERS (20) times
#                 while four writers write ACTIONS (200000) actions to three members, and compare what they reduced with a single
#                 host; fails where a failover takes more than 10 s (installs redis-server); SEED repeats a run
#   make evidence  kill Gatehouse, Redis and NATS JetStream KILLS (50) times at the same moments while four writers write ACTIONS
#                 (100000) actions to each, also on a file system that forgets what was not synced, and print what each has lost,
#                 doubled and reordered; SEED repeats a run (installs redis-server, nats-server, gcc, pkg-config, libfuse3-dev,
#                 fuse3)
#   make attack   run ATTACKS (10000) damaged libraries through the host, each beside a healthy plugin; 2,000 hostile answers of an
#                 engine, 2,000 changed journals, 200 ambiguous requests, and hostile texts in everything that is printed
#   make bench    measure dispatch, threads, memory, start and input; needs a quiet machine; BENCH=--json for programs
#   make bench-journal  compare the journal's writer with SQLite alone, a file and Redis on this disk, and show the whole host
#                 beside it (installs redis-server)
#   make bench-cluster  compare the throughput of a member of a cluster with that of its Redis, and time checkpoints and the start of
#                 members with 4,096 partitions, and count bytes for large states; needs a quiet machine (installs
#                 redis-server, socat)
#   make bench-worker  compare a worker with the host and with a process behind a Unix socket, and count instructions of the thread
#                 that dispatches; needs a quiet machine
#   make bench-console  measure what the console takes of a browser with 1,000 instances and 10,000 actions a second (installs
#                 chromium, curl, socat)
#   make bench-http  compare lines by HTTP with lines at a socket, and time single webhooks; needs a quiet machine (installs curl, socat)
#   make instructions  count instructions of a dispatch and of a line; fails above Benchmarks/instructions.txt
#   make build    build for release and stage the bundled plugin libraries in .build/plugins
#   make install  copy the built host, plugins, manual pages, completions, unit files and SDK sources below PREFIX (default
#                 /usr/local); builds nothing
#   make dist     build for release, and pack a relocatable tarball and Debian packages into .build/dist; the same sources give the
#                 same bytes; SUFFIX=+2 appends to the version (installs dpkg-dev)
#   make test-dist  take what make dist made to a new Debian 12 without a toolchain: install, upgrade and remove it there (needs root,
#                 control groups and a mirror of Debian; installs buildah, debootstrap, gpg)
#   make test-reproducible  run make dist in two clones of other names, and compare the bytes
#   make uninstall  remove the files that make install put below PREFIX
#   make clean    remove all build results
#
# Each target that builds first installs missing Debian packages (Scripts/install-packages).

SHELL := /bin/bash
PREFIX ?= /usr/local
# The build that make install copies; check-install overrides it with debug where that is the one.
BUILT ?= release
FUZZ_SECONDS ?= 60
FUZZ ?= ELF Note Configuration Ingress Worker HTTP RESP TLS Ring FlightRecorder Account
ATTACKS ?= 10000
KILLS ?= 1000
FLIPS ?= 200

# The native build system is pinned: the other one of Swift 6.3.1 writes a SONAME that the loader cannot find.
SWIFT_FLAGS := --build-system native

# The tests reach internal declarations, which needs a flag that the normal release build lacks.
RELEASE_TEST_FLAGS := -c release -Xswiftc -enable-testing --scratch-path .build/release-tests

# A shell may have these for plugins of another host; they must not affect this build.
unexport GATEHOUSE_SDK GATEHOUSE_MANIFEST_TOOL GATEHOUSE_SCRATCH GATEHOUSE_CONFIGURATION

.DEFAULT_GOAL := build
.PHONY: test-cluster test-control-groups bench-partitions bench-cluster bench-console bench-http bench-worker run test test-packages test-contributing test-author test-console check docs sanitize sanitize-address fuzz mutations mutants soak torture torture-damage torture-plugins torture-edits torture-try torture-binding torture-upgrade laws torture-pipeline load-http bench-recovery simulate-host simulate-cluster torture-cluster torture-failover evidence attack bench bench-journal instructions benchmarks build install uninstall dist test-dist test-reproducible clean packages \
	format-check

run: build
	.build/release/gatehouse run --config plugins.json --input Examples/orders.ndjson --print state

test: packages
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	Scripts/run-tests --skip ConsoleTests
	Scripts/check-abi
	Scripts/check-binding

test-packages: packages
	Scripts/swift-build $(SWIFT_FLAGS)
	Scripts/check-external-plugin debug
	Scripts/check-new debug
	Scripts/check-foreign debug
	Scripts/check-install debug

test-contributing: packages
	Scripts/check-contributing

test-author: build
	Scripts/check-author release

test-console: packages
	Scripts/install-packages chromium redis-server
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	Scripts/run-tests --filter ConsoleTests

test-control-groups: packages
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	Scripts/check-control-groups debug

check: packages format-check test test-packages test-contributing test-console test-author
	swift Scripts/generate-lifts.swift --check
	Scripts/check-links
	Scripts/check-examples
	Scripts/check-documentation
	Scripts/install-packages python3
	Scripts/check-evidence
	Scripts/build-documentation
	Scripts/swift-build $(SWIFT_FLAGS) $(RELEASE_TEST_FLAGS) --build-tests
	Scripts/run-tests --build .build/release-tests/release --skip ConsoleTests
	Scripts/check-linkage release
	Scripts/check-external-plugin release
	Scripts/check-new release
	Scripts/check-foreign release
	Scripts/check-install release
	Scripts/check-service release
	Scripts/check-control-groups debug
	$(MAKE) instructions

docs: packages
	Scripts/swift-build $(SWIFT_FLAGS)
	Scripts/build-documentation

# SANITIZE_THREAD makes the library lock in a way that the sanitizer sees; see SDK/Sources/Gatehouse/Drain/Lock.swift.
SANITIZE_FLAGS := --sanitize=thread -Xswiftc -DSANITIZE_THREAD --scratch-path .build/sanitize

# Tests of memory use would measure the sanitizer's. Members of a cluster run as separate processes; tests that end one of
# them take too long here.
sanitize: packages
	Scripts/swift-build $(SWIFT_FLAGS) $(SANITIZE_FLAGS) --build-tests
	TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$(CURDIR)/Tests/thread-sanitizer.supp $(TSAN_OPTIONS)" \
		Scripts/run-tests --build .build/sanitize/debug --skip InspectionMemoryTests \
		--filter 'GatehouseTests|SuasTests|Gatehouse(Support|Library|Plan|Journal|Runtime|Control|Reload|History|Member|Checks|Testing)Tests|PluginTests'
	TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$(CURDIR)/Tests/thread-sanitizer.supp $(TSAN_OPTIONS)" \
		Scripts/run-tests --build .build/sanitize/debug --skip 'ends its host again' \
		--filter 'Cluster(Member|Control|Resize|Torture)Tests'

# Objects on the path of an action are not reference-counted; this proves that none is freed too early. Leaks are not
# checked: the Swift runtime keeps metadata for ever, and images are never unloaded.
sanitize-address: packages
	Scripts/swift-build $(SWIFT_FLAGS) --sanitize=address --scratch-path .build/sanitize-address --build-tests
	ASAN_OPTIONS="detect_leaks=0 exitcode=66 $(ASAN_OPTIONS)" \
		Scripts/run-tests --build .build/sanitize-address/debug \
		--filter 'GatehouseTests|SuasTests|HostLifetimeTests|InterceptionTests|RouteTableTests|GateTests|HostTypesTests|Foreign(Plugin|Port|Run)Tests'

fuzz: packages
	Scripts/swift-build $(SWIFT_FLAGS)
	Scripts/install-packages openssl
	for target in $(FUZZ); do Scripts/fuzz $$target $(FUZZ_SECONDS) || exit 1; done

mutations: packages
	GATEHOUSE_MUTATIONS=10000 swift test $(SWIFT_FLAGS) --filter LibraryMutationTests

# Builds in its own copy.
mutants: MUTANTS = 1000
mutants: packages
	Scripts/mutants $(if $(filter 1,$(ALL)),--all) $(if $(filter 1,$(CONTINUE)),--continue) $(if $(filter 1,$(RECORD)),--record) $(if $(ROOM),--room $(ROOM)) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS)) $(MUTANTS)

ifdef HOURS
soak: build
	Scripts/install-packages python3 e2fsprogs
	Scripts/soak $(HOURS) $(if $(SEED),--seed $(SEED))
else
soak: packages
	GATEHOUSE_RELOADS=200 swift test $(SWIFT_FLAGS) --filter ReloadUnderLoadTests
endif

torture: packages
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	Scripts/torture-journal $(KILLS)

torture-damage: packages
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	GATEHOUSE_FLIPS=$(FLIPS) Scripts/run-tests --filter JournalTortureTests

torture-plugins: packages
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	GATEHOUSE_BAD_PLUGINS=all Scripts/run-tests --filter BadPluginTests

torture-edits: SEEDS = 300
torture-edits: packages
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	Scripts/torture-edits $(SEEDS) $(SEED)

torture-try: ACTIONS = 1000000
torture-try: REBUILT = 100
torture-try: build
	Scripts/install-packages sqlite3
	Scripts/swift-build $(SWIFT_FLAGS) -c release --product PlantedPlugin
	Scripts/torture-try $(ACTIONS) $(REBUILT)

torture-binding: CHANGES = 50
torture-binding: packages
	Scripts/torture-binding $(CHANGES) $(SEED)

laws: CHAINS = 20000
laws: HOSTS = 400
laws:
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	CHAINS=$(CHAINS) HOSTS=$(HOSTS) SEED=$(or $(SEED),1) Scripts/run-tests --filter 'StoreLawTests|ReloadLawTests'

torture-upgrade: UPGRADES = 200
torture-upgrade: ACTIONS ?= 1000000
torture-upgrade: packages
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	Scripts/torture-upgrade $(UPGRADES) $(ACTIONS) $(SEED)

torture-pipeline: WEBHOOKS = 10000
torture-pipeline: KILLS = 40
torture-pipeline: RELOADS = 100
torture-pipeline: packages
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	Scripts/torture-pipeline $(WEBHOOKS) $(KILLS) $(RELOADS) $(SEED)

load-http: CONNECTIONS ?= 1100 5000 15000
load-http: RELOADS ?= 100
load-http: LOAD ?= 20
load-http: packages
	Scripts/install-packages wrk
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	set -e; for count in $(CONNECTIONS); do \
		GATEHOUSE_CONNECTIONS=$$count Scripts/run-tests --filter HTTPDoorTests; \
	done
	GATEHOUSE_RELOADS=$(RELOADS) Scripts/run-tests --filter HTTPPortTests
	GATEHOUSE_LOAD=$(LOAD) Scripts/run-tests --filter HTTPLoadTests

bench-recovery: build
	Scripts/install-packages sqlite3
	Scripts/bench-recovery

simulate-cluster: packages
	Scripts/swift-build $(SWIFT_FLAGS) -c release --product simulate-cluster
	.build/release/simulate-cluster 1000
	.build/release/simulate-cluster 20 100 4096

simulate-host: SEEDS = 100000
simulate-host: packages
	Scripts/swift-build $(SWIFT_FLAGS) -c release --product simulate-host
	.build/release/simulate-host $(SEEDS) $(SEED)

SERVER ?= redis
# Which programs the tests and tortures of clusters start.
on_server = GATEHOUSE_TEST_SERVER=$(SERVER)

test-cluster: packages
	Scripts/install-packages $(SERVER)-server
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	$(on_server) Scripts/run-tests --filter 'GatehouseClusterTests|GatehouseMemberTests|CLITests.*(Cluster|Failover|Partition|Limit)'

torture-cluster: KILLS = 50
torture-cluster: ACTIONS ?= 1000000
torture-cluster: packages
	Scripts/install-packages $(SERVER)-server
	Scripts/swift-build -c release $(SWIFT_FLAGS)
	$(on_server) Scripts/torture-cluster $(KILLS) $(ACTIONS) $(SEED)
	GATEHOUSE_LOCAL_KILLS=$(KILLS) Scripts/run-tests --filter CLITests.LocalClusterTests

torture-failover: FAILOVERS = 20
torture-failover: ACTIONS ?= 200000
torture-failover: packages
	Scripts/install-packages $(SERVER)-server
	Scripts/swift-build -c release $(SWIFT_FLAGS)
	$(on_server) .build/release/torture-cluster $(FAILOVERS) $(ACTIONS) $(or $(SEED),$$RANDOM) failover

evidence: KILLS = 50
evidence: ACTIONS ?= 100000
evidence: build
	Scripts/install-packages python3 redis-server nats-server gcc pkg-config libfuse3-dev fuse3
	Scripts/evidence --kills $(KILLS) --actions $(ACTIONS) $(if $(SEED),--seed $(SEED))

attack: build
	Scripts/attack $(ATTACKS)
	Scripts/swift-build $(SWIFT_FLAGS) --build-tests
	GATEHOUSE_HOSTILE_REPLIES=2000 Scripts/run-tests --filter HostileEngineTests
	GATEHOUSE_HOSTILE_JOURNALS=2000 Scripts/run-tests --filter JournalTortureTests
	Scripts/run-tests --filter 'HTTPDaemonTests|HeaderFieldsTests|HostileTextsTests'

bench: build benchmarks
	.build/release/Benchmarks $(BENCH)

bench-worker: build benchmarks
	Scripts/bench-worker

bench-console: build
	Scripts/install-packages chromium curl socat
	Scripts/bench-console

bench-http: build
	Scripts/install-packages curl socat openssl
	Scripts/bench-http release

bench-journal: build benchmarks
	Scripts/install-packages redis-server
	Scripts/bench-journal

bench-cluster: build
	Scripts/install-packages redis-server socat
	.build/release/bench-cluster
	Scripts/bench-cluster-checkpoints
	Scripts/bench-cluster-join

bench-partitions: build
	Scripts/bench-partitions

instructions: build benchmarks
	Scripts/install-packages valgrind
	Scripts/count-instructions

benchmarks: packages
	GATEHOUSE_BENCHMARKS=1 Scripts/swift-build -c release $(SWIFT_FLAGS)

build: packages
	Scripts/swift-build -c release $(SWIFT_FLAGS)
	Scripts/stage-plugins release .build/plugins

install:
	Scripts/install-below "$(DESTDIR)$(PREFIX)" $(BUILT) "$(PREFIX)"

uninstall:
	Scripts/uninstall-below "$(DESTDIR)$(PREFIX)"

clean:
	rm -rf .build SDK/.build Examples/ExternalPlugin/.build Examples/CPlugin/.build Examples/RustPlugin/target

# SwiftPM notices added or removed files of the SDK only when a package is newer than its plan.
packages:
	@touch Package.swift SDK/Package.swift
	@Scripts/install-packages
	@Scripts/require-swift

dist: packages
	Scripts/install-packages dpkg-dev
	Scripts/make-dist $(SUFFIX)

test-dist: dist
	Scripts/install-packages buildah debootstrap gpg make
	Scripts/check-dist

test-reproducible: packages
	Scripts/install-packages dpkg-dev git
	Scripts/check-reproducible

format-check:
	swift format lint --strict --recursive Package.swift Sources SDK Plugins Tests Examples Fuzzing \
		Benchmarks/Sources Benchmarks/Plugins
