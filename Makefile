# SPDX-License-Identifier: Apache-2.0
#
# Everything needs Go, git and make; nothing else. `make ci` is what a change must pass.

GO          ?= go
FUZZTIME    ?= 3s
BENCHTIME   ?= 1s
TESTFLAGS   ?=
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Weft is pure Go. Only the race detector needs a C compiler; with the tag, no C code of a library is compiled even then.
export CGO_ENABLED = 0
RACETAGS = pebblegozstd
CC_FOUND := $(shell command -v $$($(GO) env CC) 2>/dev/null)

# The packages of all modules of go.work. test/judges is a module of its own outside of it: see judges. Package bench is measured, not tested: its own
# tests run in a long run.
TESTED = ./... ./test/... ./zorder/zdynamo/...
ALL    = $(TESTED) ./bench/...

# The number by which random tests multiply their rounds: 1 for a change, 50 for a night. WEFT_TEST_SEED repeats a run.
NIGHT = 50

.PHONY: build test race race-all judges tpch vet lint format staticcheck fuzz fuzz-short generate generate-clean bench long test-clients test-families \
	engines chinese console console-clean test-console newcomer rolling ci

# The binary, in bin/; weft-tikv also has the client of TiKV, which takes long to build. They are without the tables of debuggers, which are a quarter
# of the size: traces of panics and profiles name functions without them.
build:
	$(GO) build -trimpath -ldflags "-s -w" -o bin/ ./cmd/weft
	$(GO) build -trimpath -ldflags "-s -w" -tags tikv -o bin/weft-tikv ./cmd/weft

# All tests that need nothing but Go, in the rounds that a change needs. A package whose files did not change is not run again.
test:
	@GO="$(GO)" .ci/test $(TESTFLAGS) $(TESTED)

# The packages that hold locks: they always run under the race detector.
LOCKING = kv/pebble kv/mem internal/rows/record internal/data/catalog internal/background/gateway internal/history/journal internal/background/job internal/background/task internal/database \
	internal/resource/memory internal/server/mysqlwire internal/server/dynamohttp weftsql

# Tests under the race detector, with a tenth of the rounds: the packages that hold locks, and those of a change in which it can find something
# (.ci/concurrent). race-all runs all in which it can. Where there is no C compiler there is no detector.
race:
ifeq ($(CC_FOUND),)
	@echo "no C compiler ($$($(GO) env CC)) found: there is no race detector"
else
	CGO_ENABLED=1 $(GO) test -race -vet=off -p 4 -timeout 60m -tags $(RACETAGS) $(TESTFLAGS) $(LOCKING:%=./%) $$(.ci/changed ./... ./test/... | xargs -r .ci/concurrent)
endif

race-all:
ifeq ($(CC_FOUND),)
	@echo "no C compiler ($$($(GO) env CC)) found: there is no race detector"
else
	CGO_ENABLED=1 $(GO) test -race -vet=off -p 4 -timeout 4h -tags $(RACETAGS) $(TESTFLAGS) $$(.ci/concurrent ./... ./test/...)
endif

# Answers to random queries over several tables, and to calls of every function, beside those of MySQL 8, MariaDB and go-mysql-server. It is a module
# of its own. MySQL is fetched by mvn, MariaDB is installed where the system's packages can be.
judges:
	@test/judges/install
	@cd test/judges && if $(GO) mod download; then $(GO) test -vet=off -timeout 3h .; else echo "the modules of test/judges can't be had: its tests are skipped"; fi

# tpch compares the answers to TPC-H's queries at scale factor 0.1 with MariaDB's, and tells both times. Its data comes from tpchgen-cli, a package of Python.
TPCH = $(CURDIR)/test/judges/tpch
tpch:
	python3 -m venv $(TPCH)/venv && $(TPCH)/venv/bin/pip install -q tpchgen-cli==4.0.0 && $(TPCH)/venv/bin/tpchgen-cli tbl -s 0.1 --output-dir $(TPCH)
	cd test/judges && WEFT_TPCH=$(TPCH) $(GO) test -count=1 -timeout 1h -v -run TestTPCH .

# The tags add files to the binary.
vet:
	$(GO) vet $(ALL)
	$(GO) vet -tags tikv,weft_ik ./cmd/weft ./internal/index/search

# The laws on imports, sizes, names and comments: internal/testing/lint.
lint:
	$(GO) test -count=1 ./internal/testing/lint

# Fails if gofmt would change a file.
format:
	@changed=$$(gofmt -l .); \
	if [ -n "$$changed" ]; then echo "run gofmt -w on:"; echo "$$changed"; exit 1; fi

staticcheck:
	$(GO) run $(STATICCHECK) $(ALL)

# The web console: console/ is built, compressed, and written to internal/server/console/dist. This needs npm; nothing else does, since the result is in git.
console:
	@console/install
	cd console && npm run --silent build

# Fails if internal/server/console/dist is not what console/ says. Where npm's packages can't be had, that is said.
console-clean:
	@if console/install; then cd console && npm run --silent check; fi

# The web console in a browser: every page, its flows, and what other web pages must not be able to do. CONSOLE_SHOTS=1 also takes the pictures of docs.
test-console:
	@if console/install browser; then $(GO) build -trimpath -o bin/ ./cmd/weft && cd console && npm run --silent test; fi

# The analyzer of Chinese words, which only binaries with the build tag weft_ik have.
chinese:
	$(GO) test -count=1 -tags weft_ik -run "TestChinese|Fuzz" ./internal/index/search

# The fuzz targets of the packages that a change touches, for FUZZTIME each; fuzz runs them all. Their corpora are part of `make test`.
fuzz-short:
	@GO="$(GO)" FUZZTIME="$(FUZZTIME)" .ci/fuzz $$(.ci/changed $(TESTED))

fuzz:
	@GO="$(GO)" FUZZTIME="$(FUZZTIME)" .ci/fuzz $$($(GO) list $(TESTED))

generate:
	$(GO) generate $(ALL)

# Fails if generated files are not what their sources say.
generate-clean:
	@before=$$(.ci/fingerprint) && $(MAKE) --no-print-directory generate && \
	if [ "$$before" != "$$(.ci/fingerprint)" ]; then echo "go generate changed files: commit what it wrote"; git status --short; exit 1; fi

bench:
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(ALL)

# For a night: everything in full length, all clients, everything under the race detector several times, and a minute for each fuzz target. A fault
# that it finds and `make test` does not becomes a fixed case.
long:
	WEFT_ROUNDS=$(NIGHT) $(GO) test -count=1 -timeout 12h $(ALL)
	$(MAKE) race-all TESTFLAGS="-count=5"
	$(MAKE) fuzz FUZZTIME=60s
	WEFT_ROUNDS=$(NIGHT) $(MAKE) engines judges
	$(MAKE) chinese test-clients test-console rolling

# Gateways of an older commit are replaced by present ones, one after the other, over one store. ROLLING names the commit; 1 is one of some hours before.
# Without history, or where that commit lacks what the test's gateway needs, it is skipped with a line.
ROLLING = 1
rolling:
	cd test && WEFT_ROLLING=$(ROLLING) $(GO) test -count=1 -vet=off -v ./rolling

# A clone of the last commit, README's commands and what README shows, line by line, with the time of each step. It takes the default ports, in a network
# of its own where that can be had. It builds as test-console does, so that one of both finds all packages built. TestDemo compares README's first
# queries with their answers.
newcomer:
	@test/newcomer/run

# Real clients against the real binary: the AWS CLI, boto3, pydynamodb, the SDKs for JavaScript and Go, ElectroDB, OneTable, DynamoDB-Toolbox, Dynamoose,
# Terraform's calls; MySQL's command line, mysqldump, mycli, the drivers for Python, Java, Node.js and Go, and Knex, Kysely, Drizzle,
# Sequelize, TypeORM, SQLAlchemy, Alembic, Django, HikariCP, Flyway, Liquibase, Hibernate and MyBatis, and the
# statements of Grafana and Metabase; HBase's Java API, happybase, and Thrift's libraries for Python, Node.js and Go, and HBase itself; and the decisions of policies beside those of iam-simulate. Installs what is missing where it can; what can't be had is skipped with a line that says so.
CLIENTS = .
test-clients:
	@test/clients/install
	@{ WEFT_TEST_CLIENTS=1 $(GO) test -count=1 -timeout 60m -v -run '$(CLIENTS)' ./test/clients/... ./internal/security/policy -datadriven-quiet; echo "exit $$?"; } | \
	awk '/^exit [0-9]+$$/ { code = $$2; next } !/^=== / { print } END { exit code }'

# One client of each family, for a change. All run at night, and by hand where a change touches a dialect or a server.
test-families:
	@$(MAKE) --no-print-directory test-clients CLIENTS='^(TestCommandLine|TestBoto3|TestJavaScript|TestMariaDB|TestRestore|TestJDBC|TestPythonORM|TestHappybase|TestHBaseJava|TestStreamsBoto3|TestSignIn|TestTLS|TestSimulator|TestTable)'

# The higher tests on the engine tikv: the mock cluster with regions that split, merge and change leaders, or the cluster of WEFT_TEST_TIKV_PD. Left out
# is what shows where regions begin, which the cluster decides there, and what measures memory, of which the mock takes its own.
engines:
	WEFT_TEST_ENGINE=tikv $(GO) test -vet=off -p 4 -timeout 60m -skip 'TestItems/.*/(scan|explain)|TestTables/regions|TestStatements|TestRoundTrip|TestMemoryIsBounded' \
		./internal/rows/record ./internal/data/catalog ./internal/background/job ./internal/rows/query ./internal/index/tuning \
		./internal/dynamodb ./internal/dynamodb/control ./internal/sql/execute ./internal/sql/schemas
	WEFT_TEST_ENGINE=tikv $(GO) test -vet=off -parallel 8 -timeout 60m -run '^(TestStreamTellsAll|TestPrincipal|TestNearest)$$' ./internal/database

# What a change must pass. Three lanes run side by side: what computes, what waits for other programs, and the static checks. Each prints its output when
# it ends, and a table at the end says what took how long. WEFT_TEST_SEED is the commit, so that each commit has other random tests, and a failure can be repeated.
ci: export WEFT_TEST_SEED ?= $(shell printf '%d' 0x$$(git rev-parse --short=8 HEAD))
ci: export FUZZTIME = 3s
ci:
	@.ci/stages "test race engines chinese fuzz-short" "test-families judges test-console newcomer" "format vet staticcheck console-clean"
	@$(MAKE) --no-print-directory generate-clean
