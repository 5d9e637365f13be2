// SPDX-License-Identifier: Apache-2.0

package variable

import "math"

// kind is the type of a variable's values.
type kind uint8

const (
	toggle  kind = iota // 0 or 1, shown as OFF and ON
	integer             // within min and max
	decimal             // a number with a fraction
	words               // one of the words
	modes               // words of sql_mode with commas between them
	text
)

// access is the right that setting a variable needs.
type access uint8

const (
	both        access = iota // SET and SET GLOBAL
	sessionOnly               // SET alone; there is no global value
	globalOnly                // SET GLOBAL alone
	readOnly                  // nobody
	ignored                   // whoever wants to; the value that is kept does not change
)

// definition is one variable.
type definition struct {
	name     string
	kind     kind
	access   access
	preset   string
	min, max int64 // of integer
	words    []string
}

// The lists of words are immutable.
var (
	isolations = []string{"READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"}
	charsets   = []string{"utf8mb4", "utf8", "utf8mb3", "latin1", "ascii", "binary", "gbk", "utf16"}
	verdicts   = []string{"table", "refuse", "warn", "allow"}
	conflicts  = []string{"wait", "abort"}
	replicas   = []string{"leader", "any"}
	dynamics   = []string{"typed", "varbinary"}
	insertions = []string{"table", "upsert", "error"}
)

// own are Weft's settings.
func own() []definition {
	return []definition{
		{name: "inefficient_query", kind: words, preset: "table", words: verdicts},
		{name: "multi_get_keys_max", kind: integer, preset: "2000", min: 1, max: 1_000_000},
		{name: "statement_rows_max", kind: integer, preset: "0", min: 0, max: 1_000_000},
		{name: "statement_bytes_max", kind: integer, preset: "67108864", min: 1 << 10, max: 1 << 30},
		{name: "statement_bytes_advised", kind: integer, preset: "2097152", min: 0, max: 1 << 30},
		{name: "key_column_bytes_max", kind: integer, preset: "2048", min: 1, max: 2048},
		{name: "key_bytes_max", kind: integer, preset: "6144", min: 1, max: 7168},
		{name: "value_bytes_max", kind: integer, preset: "2097152", min: 1, max: 64 << 20},
		{name: "max_execution_time", kind: integer, preset: "120000", max: math.MaxInt32},
		{name: "idle_transaction_timeout", kind: integer, preset: "60", min: 1, max: 3600},
		{name: "weft_conflicts", kind: words, preset: "wait", words: conflicts},
		{name: "weft_replica_read", kind: words, preset: "leader", words: replicas},
		{name: "weft_search_wait", kind: integer, preset: "0", min: 0, max: 3_600_000},
		{name: "unbounded_delete", kind: toggle, preset: "OFF"},
		{name: "insert_mode", kind: words, preset: "table", words: insertions},
		{name: "dynamic_columns", kind: words, preset: "typed", words: dynamics},
		{name: "sort_buffer_size", kind: integer, preset: "16777216", min: 32 << 10, max: 1 << 32},
		{name: "sort_spill", kind: toggle, preset: "ON"},
		{name: "relational_buffer_size", kind: integer, preset: "268435456", min: 32 << 10, max: 1 << 36},
		{name: "group_buffer_size", kind: integer, preset: "67108864", min: 32 << 10, max: 1 << 32},
	}
}

// session are MySQL's variables that mean something here, or that clients set and read back.
func session() []definition {
	return []definition{
		{name: "autocommit", kind: toggle, preset: "ON"},
		{name: "transaction_isolation", kind: words, preset: "REPEATABLE-READ", words: isolations},
		{name: "tx_isolation", kind: words, preset: "REPEATABLE-READ", words: isolations},
		{name: "transaction_read_only", kind: toggle, preset: "OFF"},
		{name: "tx_read_only", kind: toggle, preset: "OFF"},
		{name: "sql_select_limit", kind: integer, preset: "18446744073709551615", max: math.MaxInt64},
		{name: "sql_safe_updates", kind: toggle, preset: "OFF"},
		{name: "sql_mode", kind: modes, preset: "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"},
		{name: "time_zone", kind: text, preset: "UTC"},
		{name: "character_set_client", kind: words, preset: "utf8mb4", words: charsets},
		{name: "character_set_connection", kind: words, preset: "utf8mb4", words: charsets},
		{name: "character_set_results", kind: text, preset: "utf8mb4"},
		{name: "character_set_server", kind: text, preset: "utf8mb4"},
		{name: "character_set_database", kind: text, preset: "utf8mb4"},
		{name: "character_set_filesystem", kind: text, preset: "binary"},
		{name: "character_set_system", kind: text, access: readOnly, preset: "utf8mb4"},
		{name: "character_sets_dir", kind: text, access: readOnly, preset: ""},
		{name: "collation_connection", kind: text, preset: "utf8mb4_bin"},
		{name: "collation_database", kind: text, preset: "utf8mb4_bin"},
		{name: "collation_server", kind: text, preset: "utf8mb4_bin"},
		{name: "default_collation_for_utf8mb4", kind: text, preset: "utf8mb4_bin"},
		{name: "wait_timeout", kind: integer, preset: "600", min: 1, max: 31536000},
		{name: "interactive_timeout", kind: integer, preset: "600", min: 1, max: 31536000},
		{name: "net_write_timeout", kind: integer, preset: "60", min: 1, max: 31536000},
		{name: "net_read_timeout", kind: integer, preset: "30", min: 1, max: 31536000},
		{name: "net_buffer_length", kind: integer, preset: "16384", min: 1024, max: 1 << 20},
		{name: "lock_wait_timeout", kind: integer, preset: "31536000", min: 1, max: 31536000},
		{name: "innodb_lock_wait_timeout", kind: integer, preset: "50", min: 1, max: 1 << 30},
		{name: "foreign_key_checks", kind: toggle, preset: "ON"},
		{name: "unique_checks", kind: toggle, preset: "ON"},
		{name: "sql_notes", kind: toggle, preset: "ON"},
		{name: "sql_warnings", kind: toggle, preset: "OFF"},
		{name: "sql_quote_show_create", kind: toggle, preset: "ON"},
		{name: "sql_auto_is_null", kind: toggle, preset: "OFF"},
		{name: "sql_big_selects", kind: toggle, preset: "ON"},
		{name: "sql_buffer_result", kind: toggle, preset: "OFF"},
		{name: "sql_log_bin", kind: toggle, preset: "OFF"},
		{name: "sql_require_primary_key", kind: toggle, access: ignored, preset: "OFF"},
		{name: "big_tables", kind: toggle, preset: "OFF"},
		{name: "auto_increment_increment", kind: integer, preset: "1", min: 1, max: 1},
		{name: "auto_increment_offset", kind: integer, preset: "1", min: 1, max: 1},
		{name: "group_concat_max_len", kind: integer, preset: "1048576", min: 4, max: math.MaxInt32},
		{name: "div_precision_increment", kind: integer, preset: "4", max: 30},
		{name: "default_week_format", kind: integer, preset: "0", max: 7},
		{name: "lc_time_names", kind: text, preset: "en_US"},
		{name: "lc_messages", kind: text, preset: "en_US"},
		{name: "max_join_size", kind: integer, preset: "18446744073709551615", max: math.MaxInt64},
		{name: "max_sort_length", kind: integer, preset: "1024", max: 8 << 20},
		{name: "max_statement_time", kind: decimal, preset: "0"},
		{name: "max_error_count", kind: integer, preset: "64", max: 65535},
	}
}

// inert are MySQL's variables that clients set and read back, and that mean nothing here.
func inert() []definition {
	return []definition{
		{name: "optimizer_switch", kind: text, preset: ""},
		{name: "optimizer_search_depth", kind: integer, preset: "62", max: 62},
		{name: "default_storage_engine", kind: text, access: ignored, preset: "InnoDB"},
		{name: "storage_engine", kind: text, access: ignored, preset: "InnoDB"},
		{name: "default_tmp_storage_engine", kind: text, access: ignored, preset: "InnoDB"},
		{name: "profiling", kind: toggle, access: ignored, preset: "OFF"},
		{name: "query_cache_type", kind: text, access: ignored, preset: "OFF"},
		{name: "session_track_schema", kind: toggle, preset: "ON"},
		{name: "session_track_system_variables", kind: text,
			preset: "time_zone,autocommit,character_set_client,character_set_results,character_set_connection"},
		{name: "session_track_gtids", kind: text, preset: "OFF"},
		{name: "session_track_state_change", kind: toggle, preset: "OFF"},
		{name: "session_track_transaction_info", kind: text, preset: "OFF"},
		{name: "information_schema_stats_expiry", kind: integer, preset: "86400", max: 31536000},
		{name: "net_retry_count", kind: integer, preset: "10", min: 1, max: math.MaxInt32},
		{name: "tmp_table_size", kind: integer, preset: "16777216", min: 1024, max: math.MaxInt64},
		{name: "max_heap_table_size", kind: integer, preset: "16777216", min: 16384, max: math.MaxInt64},
		{name: "read_buffer_size", kind: integer, preset: "131072", max: math.MaxInt32},
		{name: "join_buffer_size", kind: integer, preset: "262144", max: math.MaxInt32},
		{name: "old_passwords", kind: integer, preset: "0", max: 2},
		{name: "show_create_table_verbosity", kind: toggle, preset: "OFF"},
		{name: "explicit_defaults_for_timestamp", kind: toggle, preset: "ON"},
		{name: "completion_type", kind: text, access: ignored, preset: "NO_CHAIN"},
		{name: "timestamp", kind: decimal, access: sessionOnly, preset: "0"},
		{name: "last_insert_id", kind: integer, access: sessionOnly, preset: "0", max: math.MaxInt64},
		{name: "identity", kind: integer, access: sessionOnly, preset: "0", max: math.MaxInt64},
		{name: "insert_id", kind: integer, access: sessionOnly, preset: "0", max: math.MaxInt64},
		{name: "warning_count", kind: integer, access: readOnly, preset: "0"},
		{name: "error_count", kind: integer, access: readOnly, preset: "0"},
		{name: "pseudo_thread_id", kind: integer, access: sessionOnly, preset: "0", max: math.MaxInt64},
		{name: "rand_seed1", kind: integer, access: sessionOnly, preset: "0", max: math.MaxInt64},
		{name: "rand_seed2", kind: integer, access: sessionOnly, preset: "0", max: math.MaxInt64},
		{name: "pseudo_slave_mode", kind: toggle, access: sessionOnly, preset: "OFF"},
		{name: "gtid_next", kind: text, access: sessionOnly, preset: "AUTOMATIC"},
	}
}

// server are the variables of the whole server.
func server() []definition {
	return []definition{
		{name: "version", kind: text, access: readOnly, preset: ServerVersion},
		{name: "version_comment", kind: text, access: readOnly, preset: "Weft"},
		{name: "version_compile_os", kind: text, access: readOnly, preset: "Linux"},
		{name: "version_compile_machine", kind: text, access: readOnly, preset: "x86_64"},
		{name: "version_ssl_library", kind: text, access: readOnly, preset: "Go crypto/tls"},
		{name: "protocol_version", kind: integer, access: readOnly, preset: "10"},
		{name: "license", kind: text, access: readOnly, preset: "Apache-2.0"},
		{name: "system_time_zone", kind: text, access: readOnly, preset: "UTC"},
		{name: "lower_case_table_names", kind: integer, access: readOnly, preset: "0"},
		{name: "lower_case_file_system", kind: toggle, access: readOnly, preset: "OFF"},
		{name: "max_allowed_packet", kind: integer, preset: "67108864", min: 1024, max: 1 << 30},
		{name: "max_connections", kind: integer, access: readOnly, preset: "4000"},
		{name: "max_user_connections", kind: integer, access: ignored, preset: "0"},
		{name: "max_prepared_stmt_count", kind: integer, access: globalOnly, preset: "16382", max: 4 << 20},
		{name: "connect_timeout", kind: integer, access: globalOnly, preset: "10", min: 2, max: 31536000},
		{name: "init_connect", kind: text, access: ignored, preset: ""},
		{name: "hostname", kind: text, access: readOnly, preset: "weft"},
		{name: "port", kind: integer, access: readOnly, preset: "33060"},
		{name: "socket", kind: text, access: readOnly, preset: ""},
		{name: "datadir", kind: text, access: readOnly, preset: ""},
		{name: "basedir", kind: text, access: readOnly, preset: ""},
		{name: "tmpdir", kind: text, access: readOnly, preset: ""},
		{name: "server_id", kind: integer, access: ignored, preset: "1"},
		{name: "server_uuid", kind: text, access: readOnly, preset: "00000000-0000-0000-0000-000000000000"},
		{name: "read_only", kind: toggle, access: ignored, preset: "OFF"},
		{name: "super_read_only", kind: toggle, access: ignored, preset: "OFF"},
		{name: "innodb_read_only", kind: toggle, access: readOnly, preset: "OFF"},
		{name: "innodb_version", kind: text, access: readOnly, preset: ""},
		{name: "have_ssl", kind: text, access: readOnly, preset: "YES"},
		{name: "have_openssl", kind: text, access: readOnly, preset: "YES"},
		{name: "have_query_cache", kind: text, access: readOnly, preset: "NO"},
		{name: "have_profiling", kind: text, access: readOnly, preset: "NO"},
		{name: "have_geometry", kind: text, access: readOnly, preset: "NO"},
		{name: "have_compress", kind: text, access: readOnly, preset: "NO"},
		{name: "have_statement_timeout", kind: text, access: readOnly, preset: "YES"},
		{name: "query_cache_size", kind: integer, access: ignored, preset: "0"},
		{name: "query_cache_limit", kind: integer, access: ignored, preset: "0"},
		{name: "performance_schema", kind: toggle, access: readOnly, preset: "OFF"},
		{name: "log_bin", kind: toggle, access: readOnly, preset: "OFF"},
		{name: "binlog_format", kind: text, access: ignored, preset: "ROW"},
		{name: "gtid_mode", kind: text, access: readOnly, preset: "OFF"},
		{name: "event_scheduler", kind: text, access: ignored, preset: "OFF"},
		{name: "default_authentication_plugin", kind: text, access: readOnly, preset: "caching_sha2_password"},
		{name: "default_password_lifetime", kind: integer, access: ignored, preset: "0"},
		{name: "authentication_policy", kind: text, access: readOnly, preset: "*,,"},
		{name: "require_secure_transport", kind: toggle, access: readOnly, preset: "OFF"},
		{name: "secure_file_priv", kind: text, access: readOnly, preset: "NULL"},
		{name: "local_infile", kind: toggle, access: ignored, preset: "OFF"},
		{name: "skip_show_database", kind: toggle, access: readOnly, preset: "OFF"},
		{name: "skip_networking", kind: toggle, access: readOnly, preset: "OFF"},
		{name: "skip_name_resolve", kind: toggle, access: readOnly, preset: "ON"},
		{name: "ft_min_word_len", kind: integer, access: readOnly, preset: "4"},
		{name: "long_query_time", kind: decimal, preset: "1"},
		{name: "slow_query_log", kind: toggle, access: ignored, preset: "OFF"},
		{name: "general_log", kind: toggle, access: ignored, preset: "OFF"},
		{name: "thread_cache_size", kind: integer, access: ignored, preset: "0"},
		{name: "table_open_cache", kind: integer, access: ignored, preset: "0"},
		{name: "key_buffer_size", kind: integer, access: ignored, preset: "0"},
		{name: "back_log", kind: integer, access: readOnly, preset: "128"},
	}
}
