#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The statements of Grafana and Metabase, which the folder dashboards holds, to Weft and to MariaDB: what Weft answers, and where MariaDB's answer is another
# one. MYSQL is the client.

. ./mariadbd.sh
start

zones() {
	for zone in UTC Europe/Berlin America/New_York Asia/Tokyo; do mariadb-tzinfo-to-sql "/usr/share/zoneinfo/$zone" "$zone"; done
}

# answers SECTION OPTION .. prints each statement with its rows or its error.
answers() {
	section=$1
	shift
	"$MYSQL" "$@" --default-character-set=utf8mb4 <dashboards/tables.sql
	"$MYSQL" "$@" --default-character-set=utf8mb4 --unbuffered --verbose --force shop <"dashboards/$section.sql" 2>&1
}

zones | "$MYSQL" "${maria[@]}" mysql
answers "$1" "${maria[@]}" >"$data/maria"
answers "$1" "${weft[@]}" >"$data/weft"
cat "$data/weft"
echo "MariaDB (-) answers otherwise:"
diff -U0 "$data/maria" "$data/weft" | tail -n +3
