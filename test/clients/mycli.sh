#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# mycli, which asks for the names of everything as it starts. MYCLI is the program.

sql() { "$MYCLI" --myclirc "$HOME/none" --host "$SQL_HOST" --port "$SQL_PORT" --user root --no-warn "$@" 2>&1; }

quickstart() {
	{
	sql -e 'CREATE DATABASE shop'
	sql shop -e 'CREATE TABLE item (id BIGINT, name VARCHAR(40), price DECIMAL(10,2), PRIMARY KEY (id))'
	sql shop -e "INSERT INTO item VALUES (1, 'chair', 49.90), (2, 'größe', NULL)"
	sql --csv shop -e 'SELECT * FROM item'
	sql --table shop -e 'SHOW TABLES'
	sql --csv shop -e 'DESCRIBE item'
	sql --csv shop -e 'SELECT nothing FROM item'
	} </dev/null 2>&1 | grep -v '^Ignoring STDIN'
	echo 'SELECT name FROM item WHERE id = 2; SELECT count(*) FROM item' | sql --csv shop
	sql nowhere -e 'SELECT 1' </dev/null | tail -1
}

"$1"
