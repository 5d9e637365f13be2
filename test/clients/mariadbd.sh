# SPDX-License-Identifier: Apache-2.0
#
# A MariaDB server beside Weft, for scripts that compare the two: `start` starts it. MARIADBD is the server; weft and maria are options of the clients.

weft=(--no-defaults --host="$SQL_HOST" --port="$SQL_PORT" --user=root)
data=$(mktemp -d /tmp/restore.XXXXXX) # the path of a socket is short
maria=(--no-defaults --socket="$data/socket" --user=root)

start() {
	mariadb-install-db --no-defaults --datadir="$data" --auth-root-authentication-method=normal --user=root --skip-test-db >/dev/null 2>&1
	"$MARIADBD" --no-defaults --user=root --datadir="$data" --socket="$data/socket" --skip-networking --innodb-buffer-pool-size=64M --skip-log-bin >/dev/null 2>&1 &
	server=$!
	trap 'kill $server; wait $server; rm -rf "$data"' EXIT
	for _ in $(seq 600); do [ -S "$data/socket" ] && break; sleep 0.05; done
}
