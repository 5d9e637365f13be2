// SPDX-License-Identifier: Apache-2.0

package tree

// Steadiness says how long a function of equal arguments keeps its value.
type Steadiness uint8

// From the longest to the shortest.
const (
	Steady      Steadiness = iota // for ever
	OfStatement                   // as long as a statement runs: it is of the time or the session
	OfCall                        // no two calls give the same
)

// SteadinessOf returns the steadiness of a call.
func SteadinessOf(call *Call) Steadiness {
	switch call.Name {
	case "rand", "uuid", "uuid_short", "random_bytes", "sleep", "sysdate", Assigns:
		return OfCall
	case "now", "current_timestamp", "localtimestamp", "localtime", "curdate", "current_date", "curtime",
		"current_time", "utc_date", "utc_time", "utc_timestamp",
		"last_insert_id", "connection_id", "user", "current_user", "current_role", "session_user", "system_user",
		"database", "schema", "version",
		"found_rows", "row_count", "get_lock", "release_lock", "is_free_lock", "is_used_lock":
		return OfStatement
	case "unix_timestamp":
		if len(call.Arguments) == 0 {
			return OfStatement
		}
	}
	return Steady
}
