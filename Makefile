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

# The packages of all modules of go.work. test/judges is a module of its own outside of it: see judges.
ALL = ./... ./bench/... ./test/... ./zorder/zdynamo/...

.PHONY: build test race judges tpch metamorphic vet lint format staticcheck fuzz-short generate generate-clean bench long test-clients histories engines chinese console console-clean test-console ci

# The binary, in bin/.
build:
	$(GO) build -trimpath -o bin/ ./cmd/...

test:
	$(GO) test -timeout 20m $(TESTFLAGS) $(ALL)

# Tests under the race detector where it can find something (.ci/concurrent), with a tenth of the rounds of long tests: `make test` runs all of them.
# Where there is no C compiler there is no detector. The laws read files, and run under lint.
race:
ifeq ($(CC_FOUND),)
	@echo "no C compiler ($$($(GO) env CC)) found: there is no race detector"
else
	CGO_ENABLED=1 $(GO) test -race -timeout 20m -tags $(RACETAGS) $(TESTFLAGS) $$(.ci/concurrent ./... ./test/... | grep -v weft/internal/lint$$)
endif

# Answers to 5,000 random queries over several tables, and to calls of every function, beside those of MariaDB and go-mysql-server. It is a module of its own.
# JUDGES_SEED chooses other queries. MariaDB is installed where the system's packages can be.
JUDGES_SEED ?= 1
JUDGES_STATEMENTS ?= 5000
judges:
	@test/judges/install
	@cd test/judges && if $(GO) mod download; then WEFT_JUDGES_SEED=$(JUDGES_SEED) WEFT_JUDGES_STATEMENTS=$(JUDGES_STATEMENTS) $(GO) test -count=1 -timeout 30m .; else echo "the modules of test/judges can't be had: its tests are skipped"; fi

# tpch compares the answers to TPC-H's queries at scale factor 0.1 with MariaDB's, and tells both times. Its data comes from tpchgen-cli, a package of Python.
TPCH = $(CURDIR)/test/judges/tpch
tpch:
	python3 -m venv $(TPCH)/venv && $(TPCH)/venv/bin/pip install -q tpchgen-cli==4.0.0 && $(TPCH)/venv/bin/tpchgen-cli tbl -s 0.1 --output-dir $(TPCH)
	cd test/judges && WEFT_TPCH=$(TPCH) $(GO) test -count=1 -timeout 1h -v -run TestTPCH .

# The long random history on three engines, at its full length.
metamorphic:
	$(GO) test -count=1 -run Metamorphic ./internal/database
	WEFT_HBASE_OPERATIONS=17000 $(GO) test -count=1 -run TestModel ./internal/hbase

# Random operations against a model of DynamoDB, concurrent histories, and boxes on Z-order indexes, at their full length.
histories:
	$(GO) test -count=1 -timeout 20m ./test/oracle ./test/history/... ./test/zorder

vet:
	$(GO) vet $(ALL)

# The laws on imports, sizes, names and comments: internal/lint.
lint:
	$(GO) test -count=1 ./internal/lint

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
	$(GO) test -count=1 -tags weft_ik -run "TestChinese|Fuzz" ./internal/search

# Every fuzz target for FUZZTIME each.
fuzz-short:
	@GO="$(GO)" FUZZTIME="$(FUZZTIME)" .ci/fuzz

generate:
	$(GO) generate $(ALL)

# Fails if generated files are not what their sources say.
generate-clean:
	@before=$$(.ci/fingerprint) && $(MAKE) --no-print-directory generate && \
	if [ "$$before" != "$$(.ci/fingerprint)" ]; then echo "go generate changed files: commit what it wrote"; git status --short; exit 1; fi

bench:
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(ALL)

# For a night: everything under the race detector several times, and a minute for each fuzz target.
long: test histories metamorphic
	$(MAKE) race TESTFLAGS="-count=5 -timeout 4h"
	WEFT_TEST_SCHEDULES=2000 $(GO) test -count=1 -timeout 1h -run UnderFaults ./kv/tikv
	WEFT_RESTORES=500 $(GO) test -count=1 -timeout 2h -run TestRestoreAt ./internal/database
	$(MAKE) fuzz-short FUZZTIME=60s
	WEFT_GATEWAY_HISTORIES=100 WEFT_GATEWAY_MS=5000 $(GO) test -count=1 -timeout 2h ./test/gateway
	cd test/judges && WEFT_JUDGES_STATEMENTS=100000 $(GO) test -count=1 -timeout 3h .

# Real clients against the real binary: the AWS CLI, boto3, the SDKs for JavaScript and Go, ElectroDB, OneTable, DynamoDB-Toolbox, Dynamoose,
# Terraform's calls; MySQL's command line, mysqldump, mycli, the drivers for Python, Java, Node.js and Go, and Knex, Kysely, Drizzle,
# Sequelize, TypeORM, SQLAlchemy, Alembic, Django, HikariCP, Flyway, Liquibase, Hibernate and MyBatis, and the
# statements of Grafana and Metabase; HBase's Java API, happybase, and Thrift's libraries for Python, Node.js and Go, and HBase itself; and the decisions of policies beside those of iam-simulate. Installs what is missing where it can; what can't be had is skipped with a line that says so.
test-clients:
	@test/clients/install
	@{ WEFT_TEST_CLIENTS=1 $(GO) test -count=1 -timeout 30m -v ./test/clients/... ./internal/policy -datadriven-quiet; echo "exit $$?"; } | \
	awk '/^exit [0-9]+$$/ { code = $$2; next } !/^=== / { print } END { exit code }'

# The higher tests on the engine tikv: the mock cluster with regions that split, merge and change leaders, or the cluster of WEFT_TEST_TIKV_PD. Left out
# is what shows where regions begin, which the cluster decides there, and what measures memory, of which the mock takes its own.
engines:
	WEFT_TEST_ENGINE=tikv $(GO) test -count=1 -timeout 20m -skip 'TestItems/.*/(scan|explain)|TestTables/regions|TestStatements|TestRoundTrip|TestMemoryIsBounded' \
		./internal/record ./internal/catalog ./internal/job ./internal/query ./internal/tuning \
		./internal/dynamodb ./internal/dynamodb/control ./internal/sql/execute ./internal/sql/schemas

# The longest random tests do a third of their rounds here; `make test`, `make histories` and `make metamorphic` do all of them, and `make long` many times more.
LONGEST = internal/database internal/hbase test/history test/oracle
ROUNDS = WEFT_ORACLE_OPERATIONS=30000 WEFT_METAMORPHIC_OPS=30000 WEFT_HISTORIES=70 WEFT_HISTORY_TRANSACTIONS=70000 WEFT_HBASE_OPERATIONS=17000

# The stages that wait for other programs run beside those that compute, two at a time, the longest first; each prints its output when it ends. Of the judged
# queries half run.
ci: format vet staticcheck
	$(ROUNDS) $(GO) test -timeout 20m $(LONGEST:%=./%)
	$(GO) test -timeout 20m $$($(GO) list $(ALL) $(LONGEST:%=| grep -v 'weft/%$$'))
	$(MAKE) --no-print-directory race
	$(MAKE) --no-print-directory -j2 FUZZTIME=2s JUDGES_STATEMENTS=2500 $(if $(filter output-sync,$(.FEATURES)),-Otarget) test-clients judges engines chinese fuzz-short console-clean test-console
	$(MAKE) --no-print-directory generate-clean
