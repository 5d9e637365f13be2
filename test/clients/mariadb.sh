#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The command line client that Debian calls both mysql and mariadb, and mysqldump, section by section. MYSQL and MYSQLDUMP are the programs,
# PLUGINS is the folder of their authentication plugins ("" if they find it themselves).

common=(--no-defaults --host="$SQL_HOST" --port="$SQL_PORT" --user=root)
[ -n "$PLUGINS" ] && common+=(--plugin-dir="$PLUGINS")

# It drops comments, and hints with them, unless it is told not to.
sql() { "$MYSQL" "${common[@]}" --comments --default-character-set=utf8mb4 "$@" 2>&1; }
dump() { "$MYSQLDUMP" "${common[@]}" --default-character-set=utf8mb4 --skip-dump-date "$@" 2>&1; }

shop() {
	sql <<'SQL'
CREATE DATABASE shop;
USE shop;
CREATE TABLE item (id BIGINT, name VARCHAR(40), price DECIMAL(10,2), made TIMESTAMP, sold BOOLEAN, tags JSON, weight DOUBLE, seen DATE, code VARBINARY, PRIMARY KEY (id));
CREATE INDEX by_name ON item (name) INCLUDE (price);
INSERT INTO item VALUES (1, 'chair', 49.90, '2024-01-02 03:04:05', true, '{"legs": 4}', 6.5, '2024-01-02', x'00ff'),
  (2, 'größe', 0.05, '2024-01-02 03:04:05.123', false, '["a", "b"]', -0.25, '1999-12-31', x''), (3, 'it''s "quoted" \\ 😀', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SQL
}

tables() {
	shop
	sql -t shop -e 'SELECT id, name, price, made, sold, tags, weight, seen, hex(code) FROM item; SHOW TABLES; DESCRIBE item; SHOW KEYS FROM item'
	sql shop -e 'SHOW CREATE TABLE item\G'
	sql -N -B shop -e 'SELECT name FROM item WHERE name = "größe"; SELECT count(*), sum(price), min(made) FROM item'
	sql -X shop -e 'SELECT id, price FROM item WHERE id = 3'
	sql -vvv shop -e 'UPDATE item SET price = price + 1 WHERE id = 1; DELETE FROM item WHERE id = 3; SELECT price FROM item WHERE id = 1' | sed 's/([0-9.]* sec)/(time)/'
	sql -e 'DROP DATABASE shop; SHOW DATABASES'
}

transactions() {
	shop
	sql -t shop <<'SQL'
BEGIN;
UPDATE item SET name = 'table' WHERE id = 1;
SELECT name FROM item WHERE id = 1;
ROLLBACK;
SELECT name FROM item WHERE id = 1;
START TRANSACTION;
DELETE FROM item WHERE id = 2;
COMMIT;
SELECT id FROM item;
SET autocommit = 0;
DELETE FROM item WHERE id = 1;
ROLLBACK;
SELECT id FROM item;
SQL
}

# What comes back is what was dumped, in another database.
dumps() {
	shop
	dump shop >"$HOME/shop.sql" || cat "$HOME/shop.sql"
	# Bytes that are no text are shown as ~.
	LC_ALL=C tr '\000\377' '~~' <"$HOME/shop.sql" | sed '/^-- .*\(MariaDB dump\|Server version\)/d; /enable the sandbox mode/d'
	sql -e 'CREATE DATABASE copy'
	sql copy <"$HOME/shop.sql"
	diff <(sql -t shop -e 'SELECT * FROM item; SHOW CREATE TABLE item') <(sql -t copy -e 'SELECT * FROM item; SHOW CREATE TABLE item') && echo the copy is the same
	dump --no-create-info --skip-extended-insert --compact --where='id = 2' shop item
	dump --single-transaction --skip-add-locks --hex-blob --complete-insert --compact --no-create-info shop item
	dump --all-databases --no-data --compact | grep -c 'CREATE TABLE'
	dump --xml --no-create-info shop | LC_ALL=C tr '\000\377' '~~' | sed -n '/<row>/,/<\/row>/p' | head -14
}

batches() {
	sql -e 'CREATE DATABASE many; CREATE TABLE many.number (n BIGINT, square BIGINT, PRIMARY KEY (n))'
	for i in $(seq 1 500); do echo "INSERT INTO number VALUES ($i, $((i * i)));"; done | sql many
	{
		echo -n 'INSERT INTO number VALUES '
		for i in $(seq 501 2000); do echo -n "($i, $((i * i))),"; done
		echo '(2001, 4004001);'
	} | sql many
	sql -t many -e 'SELECT count(*), sum(square), max(n) FROM number; SELECT * FROM number ORDER BY n DESC LIMIT 2'
	sql --quick -N many -e 'SELECT n, square FROM number' | md5sum
	sql many --delimiter=';;' -e 'SELECT 1;; SELECT 2'
	printf '%s;\n' 'SELECT nothing' 'SELECT n FROM nowhere' 'SELEC 1' 'SELECT 5' | sql --force many
	sql many -e 'SELECT 1; SELECT nothing; SELECT 2'
}

hints() {
	shop
	sql -t shop -e "SET inefficient_query = 'refuse'; SELECT id FROM item WHERE weight = 6.5"
	sql -t shop -e 'SELECT /*+ _l_allow_filtering_ */ id FROM item WHERE weight = 6.5'
	sql -t shop -e "SELECT id FROM item WHERE name = 'chair' # a comment
-- another
/* and one more */ AND id == 1"
	sql shop -e "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE item"
	sql shop -e "SELECT 'dotted', \"double\", 'a' 'b', x'41', 1.50, 1e3, -7, NULL, TRUE"
}

# What people ask an unknown server.
about() {
	sql -t -e 'SELECT 1; SELECT version(), user(), database(), @@version_comment; SELECT connection_id() > 0; SHOW VARIABLES LIKE "max_allowed_packet"; SELECT @@autocommit'
	sql -e 'status' | grep -E '^(Current (database|user)|SSL|Using delimiter|Server:|Server version|Protocol version|Server characterset|Conn. *characterset)'
	sql -t -e 'SHOW DATABASES; SHOW ENGINES; SHOW WARNINGS'
	sql nowhere -e 'SELECT 1'
	sql -N -e 'KILL 999999'
	sql -N -e 'SHOW PROCESSLIST' | cut -f2,4,5,7,8
}

# Who signs in, and how; SQL_CERTIFICATE is the server's.
as() {
	local label=$1 user=$2 password=$3
	shift 3
	echo "$label: $("$MYSQL" "${common[@]}" --user="$user" --password="$password" "$@" -N -e "SELECT substring_index(user(), '@', 1)" 2>&1)"
}

signin() {
	as plain ann secret
	as native ann secret --default-auth=mysql_native_password
	as 'over TLS' ann secret --ssl --ssl-ca="$SQL_CERTIFICATE"
	as wrong ann Secret
	as 'wrong over TLS' ann Secret --ssl --ssl-ca="$SQL_CERTIFICATE"
	as 'wrong, native' ann Secret --default-auth=mysql_native_password
	as unknown bob secret
	as 'no password' ann ''
}

"$1" || echo "exit status $?"
