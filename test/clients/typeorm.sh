#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# TypeORM as its documentation has it: the project that `typeorm init` writes, migrations by its command line, and the project in typeorm/.

set -e
cp -r typeorm/* "$TMPDIR"
ln -s "$PWD/node_modules" "$TMPDIR/node_modules"
cd "$TMPDIR"
export TS_NODE_TRANSPILE_ONLY=1 # types are not checked: that takes longer than the rest
typeorm() { node_modules/.bin/typeorm-ts-node-commonjs "$@"; }

node -e 'require("mysql2/promise").createConnection({host: process.env.SQL_HOST, port: +process.env.SQL_PORT, user: "root"}).then(async (c) => {
	await c.query("CREATE DATABASE IF NOT EXISTS typeorm"); await c.end() })'

case $1 in
init) # nothing is changed of what it writes but the address
	typeorm init --name MyProject --database mysql | sed "s|$PWD/||"
	ln -s ../node_modules MyProject/node_modules
	sed -i "s/port: 3306/port: $SQL_PORT/; s/localhost/$SQL_HOST/; s/password: \"password\"/password: \"\"/" MyProject/src/data-source.ts
	cd MyProject
	for _ in 1 2; do # it stays connected for whatever shall be built on it
		coproc PROJECT { exec ../node_modules/.bin/ts-node src/index.ts; }
		project=$PROJECT_PID
		while IFS= read -r line <&"${PROJECT[0]}"; do
			echo "$line"
			if [[ $line == Here* ]]; then kill "$project"; fi
		done
		wait "$project" || true
	done
	;;
migrations)
	export MIGRATIONS=$PWD/migrations
	typeorm migration:generate migrations/init -d data-source.ts -t 1700000000000 | sed "s|$PWD/||"
	sed -n 's/^ *await queryRunner.query(`\(.*\)`);$/\1/p' migrations/*init.ts
	typeorm migration:show -d data-source.ts
	typeorm migration:run -d data-source.ts | grep -v '^query'
	typeorm migration:generate migrations/none -d data-source.ts || echo "nothing is left to do"
	sed -i 's/    isPublished: boolean/&\n\n    @Column({ length: 20, nullable: true })\n    camera: string/; s/length: 100/length: 200/' entities/Photo.ts
	sed -i 's/@Entity()/@Entity("writer")/' entities/Author.ts
	typeorm migration:generate migrations/camera -d data-source.ts -t 1700000000001 | sed "s|$PWD/||"
	sed -n 's/^ *await queryRunner.query(`\(.*\)`);$/\1/p' migrations/*camera.ts
	typeorm migration:run -d data-source.ts | grep -v '^query'
	typeorm migration:generate migrations/none -d data-source.ts || echo "nothing is left to do"
	typeorm migration:revert -d data-source.ts | grep -v '^query'
	typeorm migration:show -d data-source.ts
	typeorm schema:log -d data-source.ts
	;;
*) node_modules/.bin/ts-node index.ts "$1" ;;
esac
