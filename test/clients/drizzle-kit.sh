#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Drizzle's get started, with its command line: `generate` and `migrate`, `push`, `introspect`, and the relational queries of drizzle-kit/src/index.ts.

set -e
cp -r drizzle-kit/* "$TMPDIR"
ln -s "$PWD/node_modules" "$TMPDIR/node_modules"
cd "$TMPDIR"
export TS_NODE_TRANSPILE_ONLY=1 TS_NODE_COMPILER_OPTIONS='{"module":"commonjs","moduleResolution":"node"}' NO_COLOR=1
export DATABASE_URL="mysql://root@$SQL_HOST:$SQL_PORT/drizzle"
# What it prints while it works is left out, and so is the file that it names by random words.
kit() {
	node_modules/.bin/drizzle-kit "$@" > out 2>&1 || echo "it failed: $?"
	tr '\r' '\n' < out | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | grep -v -e ' fetching$' -e ' fetched$' -e ' file ➜ drizzle/0000' -e '^\[[^✓i]' -e '^ *$' -e "$PWD" -e '^No config' -e '^Reading' || true
}
database() {
	node -e 'require("mysql2/promise").createConnection({host: process.env.SQL_HOST, port: +process.env.SQL_PORT, user: "root"}).then(async (c) => {
	await c.query("DROP DATABASE IF EXISTS drizzle"); await c.query("CREATE DATABASE drizzle"); await c.end() })'
}
database

case $1 in
push)
	kit push --force
	kit push --force
	node_modules/.bin/ts-node src/index.ts
	sed -i "s/age: int().notNull()/&.default(18),\n  nick: varchar({ length: 20 })/; s/  description: text(),//; /'name_idx'/d" src/db/schema.ts
	kit push --force --verbose
	kit push --force
	;;
migrate)
	kit generate --name init
	cat drizzle/0000_init.sql
	kit migrate
	kit migrate
	kit check
	sed -i "s/age: int().notNull()/&.default(18),\n  nick: varchar({ length: 20 })/; s/  description: text(),//; /'name_idx'/d; /'age_check'/d" src/db/schema.ts
	kit generate --name second
	cat drizzle/0001_second.sql
	kit migrate
	kit push --force
	;;
introspect)
	kit push --force
	kit introspect
	cat drizzle/schema.ts
	cat drizzle/relations.ts
	;;
esac
