#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A dump of a MariaDB database goes into Weft and back, and sysbench runs, section by section. MYSQL and MYSQLDUMP are the programs.

. ./mariadbd.sh
bench=(oltp_read_write --mysql-user=root --mysql-db=shop --tables=1 --table-size=1000 --threads=2 --events=100 --time=0 --db-ps-mode=auto)

# same says whether both servers hold the same rows of a database.
same() {
	for table in members nokey sbtest1 team_one; do
		query="SELECT * FROM $table ORDER BY 1"
		if [ "$("$MYSQL" "${maria[@]}" "$1" -N -e "$query" 2>&1 | md5sum)" = "$("$MYSQL" "${weft[@]}" shop -N -e "$query" 2>&1 | md5sum)" ]; then echo "$1.$table: same"; else echo "$1.$table: DIFFERENT"; fi
	done
}

restore() {
	start
	"$MYSQL" "${maria[@]}" <<'SQL'
CREATE DATABASE shop CHARACTER SET utf8mb4;
CREATE DATABASE back CHARACTER SET utf8mb4;
USE shop;
CREATE TABLE members (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, email VARCHAR(120) NOT NULL UNIQUE, name VARCHAR(50) DEFAULT 'x''y', team INT, balance DECIMAL(10,2) DEFAULT 0.00,
  kind ENUM('a','b') DEFAULT 'a', note TEXT, photo BLOB, made TIMESTAMP NOT NULL DEFAULT '2024-01-02 03:04:05', KEY by_team (team, name)) COMMENT='who';
INSERT INTO members (email, team, kind, note, photo) VALUES ('a@example.com', 1, 'b', 'line\nwith "quotes"', x'00ff1a27'), ('b@example.com', 2, NULL, NULL, NULL);
CREATE TABLE nokey (a INT, b VARCHAR(10));
INSERT INTO nokey VALUES (1, 'x'), (1, 'x'), (NULL, NULL);
CREATE VIEW team_one AS SELECT id, email FROM members WHERE team = 1;
SQL
	sysbench "${bench[@]}" --mysql-socket="$data/socket" prepare >/dev/null || echo "sysbench could not prepare"
	"$MYSQLDUMP" "${maria[@]}" shop >"$data/first.sql" && "$MYSQL" "${weft[@]}" -e "CREATE DATABASE shop" && "$MYSQL" "${weft[@]}" shop <"$data/first.sql" 2>&1
	same shop
	"$MYSQL" "${weft[@]}" shop -e "INSERT INTO members (email) VALUES ('c@example.com'); SELECT LAST_INSERT_ID(); DELETE FROM members WHERE email = 'c@example.com'"
	"$MYSQL" "${weft[@]}" shop -e "INSERT INTO members (email) VALUES ('a@example.com')" 2>&1 | tail -1
	"$MYSQLDUMP" "${weft[@]}" shop 2>&1 >"$data/second.sql" && "$MYSQL" "${maria[@]}" back <"$data/second.sql" 2>&1
	same back
	"$MYSQL" "${maria[@]}" back -e "SHOW FULL TABLES; SHOW KEYS FROM members" 2>&1 | cut -f 1-5
}

run_sysbench() {
	"$MYSQL" "${weft[@]}" -e "CREATE DATABASE shop"
	bench+=(--mysql-host="$SQL_HOST" --mysql-port="$SQL_PORT")
	sysbench "${bench[@]}" prepare | grep -v '^sysbench'
	sysbench "${bench[@]}" run | grep -E 'transactions:|FATAL' | sed -E 's/ +\([^)]*\)//; s/ +/ /g'
	"$MYSQL" "${weft[@]}" shop -e "SELECT COUNT(*) FROM sbtest1; SHOW CREATE TABLE sbtest1\G"
	sysbench "${bench[@]}" cleanup | grep -v '^sysbench'
}

case "$1" in sysbench) run_sysbench ;; *) "$1" ;; esac
