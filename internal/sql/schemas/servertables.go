// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

const performanceSchema = "performance_schema"

// virtualTables are all virtual tables.
func virtualTables() []*Virtual { return append(informationTables(), serverTables()...) }

// serverTables are the tables that tell of the server, and those that have no rows here.
func serverTables() []*Virtual {
	grants := func(name, columns string, rows func(r *virtualScan) error) *Virtual {
		return virtual(informationSchema, name, "GRANTEE TABLE_CATALOG "+columns+" PRIVILEGE_TYPE IS_GRANTABLE", rows)
	}
	variables := func(database, name string, global bool) *Virtual {
		return virtual(database, name, "VARIABLE_NAME VARIABLE_VALUE:l",
			func(r *virtualScan) error { return r.variables(global) })
	}
	return append([]*Virtual{
		virtual(informationSchema, "ENGINES", "ENGINE SUPPORT COMMENT TRANSACTIONS XA SAVEPOINTS",
			func(r *virtualScan) error { return r.all(engines()) }),
		virtual(informationSchema, "PLUGINS", "PLUGIN_NAME PLUGIN_STATUS PLUGIN_TYPE PLUGIN_LIBRARY PLUGIN_LICENSE",
			func(r *virtualScan) error { return r.all(r.showServer("plugins")) }),
		virtual(informationSchema, "CHARACTER_SETS", "CHARACTER_SET_NAME DEFAULT_COLLATE_NAME DESCRIPTION MAXLEN:n",
			(*virtualScan).characterSets),
		virtual(informationSchema, "COLLATIONS",
			"COLLATION_NAME CHARACTER_SET_NAME ID:n IS_DEFAULT IS_COMPILED SORTLEN:n PAD_ATTRIBUTE",
			func(r *virtualScan) error { return r.all(collations()) }),
		virtual(informationSchema, "COLLATION_CHARACTER_SET_APPLICABILITY", "COLLATION_NAME CHARACTER_SET_NAME",
			(*virtualScan).applicability),
		virtual(informationSchema, "KEYWORDS", "WORD RESERVED:n", (*virtualScan).keywords),
		virtual(informationSchema, "PROCESSLIST", "ID:n USER HOST DB COMMAND TIME:n STATE INFO:l",
			(*virtualScan).processes),
		virtual(informationSchema, "INNODB_TRX", `trx_id:n trx_state trx_started:d trx_mysql_thread_id:n trx_query:l trx_operation_state trx_rows_locked:n trx_isolation_level
			trx_is_read_only:n trx_weft_user trx_weft_statements:n`, (*virtualScan).transactions),
		virtual(performanceSchema, "events_statements_summary_by_digest", `SCHEMA_NAME DIGEST DIGEST_TEXT:l COUNT_STAR:n SUM_TIMER_WAIT:n AVG_TIMER_WAIT:n MAX_TIMER_WAIT:n SUM_LOCK_TIME:n
			SUM_ERRORS:n SUM_ROWS_AFFECTED:n SUM_ROWS_SENT:n SUM_ROWS_EXAMINED:n SUM_WEFT_SEEKS:n FIRST_SEEN:d LAST_SEEN:d`, (*virtualScan).digests),
		virtual("mysql", "slow_log", `start_time:d user_host query_time:f lock_time:f rows_sent:n rows_examined:n db last_insert_id:n insert_id:n server_id:n sql_text:l thread_id:n
			rows_affected:n weft_seeks:n`, (*virtualScan).slow),
		virtual(informationSchema, "WEFT_STATEMENTS", `API TABLE_SCHEMA STATEMENT:l TIMES:n ERRORS:n SECONDS:f LONGEST_SECONDS:f WAITED_SECONDS:f
			ROWS_READ:n ROWS_RETURNED:n ROWS_WRITTEN:n SEEKS:n FIRST_SEEN:d LAST_SEEN:d FULL_SCANS:n`, (*virtualScan).statements),
		virtual(informationSchema, "WEFT_SLOW_STATEMENTS", `API BEGUN:d USER HOST TABLE_SCHEMA STATEMENT:l SECONDS:f WAITED_SECONDS:f ROWS_READ:n ROWS_RETURNED:n ROWS_WRITTEN:n
			SEEKS:n SESSION:n`, (*virtualScan).slowOfAll),
		virtual(informationSchema, "WEFT_ROW_WAITING",
			"TABLE_SCHEMA TABLE_NAME ROW_KEY:l SESSION:n HOLDER:n BEGUN:d SECONDS:f", (*virtualScan).waiting),
		virtual(informationSchema, "WEFT_ROW_WAITS",
			"TABLE_SCHEMA TABLE_NAME ROW_KEY:l WAITS:n GAVE_UP:n SECONDS:f LONGEST_SECONDS:f", (*virtualScan).rowWaits),
		grants("USER_PRIVILEGES", "", (*virtualScan).userPrivileges),
		grants("SCHEMA_PRIVILEGES", "TABLE_SCHEMA", (*virtualScan).schemaPrivileges),
		grants("TABLE_PRIVILEGES", "TABLE_SCHEMA TABLE_NAME", (*virtualScan).tablePrivileges),
		grants("COLUMN_PRIVILEGES", "TABLE_SCHEMA TABLE_NAME COLUMN_NAME", nil),
		variables(performanceSchema, "session_variables", false),
		variables(performanceSchema, "global_variables", true),
		virtual("mysql", "help_topic", "help_topic_id:n name help_category_id:n description:l example:l url:l", nil),
		virtual("mysql", "proc", "db name type specific_name language sql_data_access is_deterministic security_type param_list:l returns:l body:l definer", nil),
		virtual("mysql", "user", "Host User plugin authentication_string:l account_locked password_expired",
			(*virtualScan).users),
		virtual("mysql", "columns_priv", "Host Db User Table_name Column_name Timestamp:d Column_priv", nil),
		virtual("mysql", "tables_priv", "Host Db User Table_name Grantor Timestamp:d Table_priv Column_priv",
			(*virtualScan).tablesPriv),
		virtual("mysql", "time_zone_name", "Name Time_zone_id:n", nil),
	}, emptyTables()...)
}

// emptyTables are the tables of things that do not exist here.
func emptyTables() []*Virtual {
	return []*Virtual{
		virtual(informationSchema, "ROUTINES", `SPECIFIC_NAME ROUTINE_CATALOG ROUTINE_SCHEMA ROUTINE_NAME ROUTINE_TYPE DATA_TYPE:l CHARACTER_MAXIMUM_LENGTH:n
			CHARACTER_OCTET_LENGTH:n NUMERIC_PRECISION:n NUMERIC_SCALE:n DATETIME_PRECISION:n CHARACTER_SET_NAME COLLATION_NAME DTD_IDENTIFIER:l ROUTINE_BODY
			ROUTINE_DEFINITION:l EXTERNAL_NAME EXTERNAL_LANGUAGE PARAMETER_STYLE IS_DETERMINISTIC SQL_DATA_ACCESS SQL_PATH SECURITY_TYPE CREATED:d LAST_ALTERED:d
			SQL_MODE:l ROUTINE_COMMENT:l DEFINER CHARACTER_SET_CLIENT COLLATION_CONNECTION DATABASE_COLLATION`, nil),
		virtual(informationSchema, "PARAMETERS", `SPECIFIC_CATALOG SPECIFIC_SCHEMA SPECIFIC_NAME ORDINAL_POSITION:n PARAMETER_MODE PARAMETER_NAME DATA_TYPE:l
			CHARACTER_MAXIMUM_LENGTH:n CHARACTER_OCTET_LENGTH:n NUMERIC_PRECISION:n NUMERIC_SCALE:n DATETIME_PRECISION:n CHARACTER_SET_NAME COLLATION_NAME
			DTD_IDENTIFIER:l ROUTINE_TYPE`, nil),
		virtual(informationSchema, "TRIGGERS", `TRIGGER_CATALOG TRIGGER_SCHEMA TRIGGER_NAME EVENT_MANIPULATION EVENT_OBJECT_CATALOG EVENT_OBJECT_SCHEMA EVENT_OBJECT_TABLE
			ACTION_ORDER:n ACTION_CONDITION:l ACTION_STATEMENT:l ACTION_ORIENTATION ACTION_TIMING ACTION_REFERENCE_OLD_TABLE ACTION_REFERENCE_NEW_TABLE
			ACTION_REFERENCE_OLD_ROW ACTION_REFERENCE_NEW_ROW CREATED:d SQL_MODE:l DEFINER CHARACTER_SET_CLIENT COLLATION_CONNECTION DATABASE_COLLATION`, nil),
		virtual(informationSchema, "EVENTS", `EVENT_CATALOG EVENT_SCHEMA EVENT_NAME DEFINER TIME_ZONE EVENT_BODY EVENT_DEFINITION:l EVENT_TYPE EXECUTE_AT:d INTERVAL_VALUE
			INTERVAL_FIELD SQL_MODE:l STARTS:d ENDS:d STATUS ON_COMPLETION CREATED:d LAST_ALTERED:d LAST_EXECUTED:d EVENT_COMMENT:l ORIGINATOR:n
			CHARACTER_SET_CLIENT COLLATION_CONNECTION DATABASE_COLLATION`, nil),
		virtual(informationSchema, "COLUMN_STATISTICS", "SCHEMA_NAME TABLE_NAME COLUMN_NAME HISTOGRAM:l", nil),
		virtual(informationSchema, "FILES", `FILE_ID:n FILE_NAME:l FILE_TYPE TABLESPACE_NAME TABLE_CATALOG TABLE_SCHEMA TABLE_NAME LOGFILE_GROUP_NAME
			LOGFILE_GROUP_NUMBER:n ENGINE FULLTEXT_KEYS DELETED_ROWS:n UPDATE_COUNT:n FREE_EXTENTS:n TOTAL_EXTENTS:n EXTENT_SIZE:n INITIAL_SIZE:n MAXIMUM_SIZE:n
			AUTOEXTEND_SIZE:n CREATION_TIME:d LAST_UPDATE_TIME:d LAST_ACCESS_TIME:d RECOVER_TIME:n TRANSACTION_COUNTER:n VERSION:n ROW_FORMAT TABLE_ROWS:n
			AVG_ROW_LENGTH:n DATA_LENGTH:n MAX_DATA_LENGTH:n INDEX_LENGTH:n DATA_FREE:n CREATE_TIME:d UPDATE_TIME:d CHECK_TIME:d CHECKSUM:n STATUS EXTRA`, nil),
		virtual(informationSchema, "ST_GEOMETRY_COLUMNS",
			"TABLE_CATALOG TABLE_SCHEMA TABLE_NAME COLUMN_NAME SRS_NAME SRS_ID:n GEOMETRY_TYPE_NAME:l", nil),
	}
}

func (r *virtualScan) characterSets() error {
	for _, s := range r.showServer("character set").rows { // Charset, Description, Default collation, Maxlen
		if err := r.add(s[0], s[2], s[1], s[3]); err != nil {
			return err
		}
	}
	return nil
}

func (r *virtualScan) applicability() error {
	for _, s := range collations().rows {
		if err := r.add(s[0], s[1]); err != nil {
			return err
		}
	}
	return nil
}

func (r *virtualScan) keywords() error {
	for _, word := range tree.ReservedWords() {
		if err := r.add(strings.ToUpper(word), 1); err != nil {
			return err
		}
	}
	return nil
}

// privileges hands out those of one kind of level, with the values that stand between the catalog and the privilege.
func (r *virtualScan) privileges(of func(p Privilege) (wanted bool), values func(p Privilege) []any) error {
	if r.session.Privileges == nil {
		return nil
	}
	return r.session.Privileges(r.ctx, func(p Privilege) error {
		if !of(p) {
			return nil
		}
		grantable := "NO"
		if p.Grantable {
			grantable = "YES"
		}
		return r.add(append(append([]any{"'" + p.Grantee + "'@'%'", catalogName}, values(p)...), p.Name, grantable)...)
	})
}

// tablesPriv hands out the privileges on tables as mysql.tables_priv has them, but for one a line.
func (r *virtualScan) tablesPriv() error {
	if r.session.Privileges == nil {
		return nil
	}
	return r.session.Privileges(r.ctx, func(p Privilege) error {
		if p.Table == "" {
			return nil
		}
		return r.add("%", p.Database, p.Grantee, p.Table, "", nil,
			strings.ToUpper(p.Name[:1])+strings.ToLower(p.Name[1:]), "")
	})
}

func (r *virtualScan) userPrivileges() error {
	return r.privileges(func(p Privilege) bool { return p.Database == "" }, func(Privilege) []any { return nil })
}

func (r *virtualScan) schemaPrivileges() error {
	return r.privileges(func(p Privilege) bool { return p.Database != "" && p.Table == "" },
		func(p Privilege) []any { return []any{p.Database} })
}

func (r *virtualScan) tablePrivileges() error {
	return r.privileges(func(p Privilege) bool { return p.Table != "" },
		func(p Privilege) []any { return []any{p.Database, p.Table} })
}

// users hands out the users and roles of which some privilege may be known.
func (r *virtualScan) users() error {
	if r.session.Privileges == nil {
		return r.user(r.session.User)
	}
	last := ""
	return r.session.Privileges(r.ctx, func(p Privilege) error {
		if p.Grantee == last {
			return nil
		}
		last = p.Grantee
		return r.user(p.Grantee)
	})
}

// user hands out a user, without what its password is checked by.
func (r *virtualScan) user(name string) error {
	return r.add("%", name, "caching_sha2_password", "", "N", "N")
}

// processes hands out the connections.
func (r *virtualScan) processes() error {
	if r.Processes == nil {
		return nil
	}
	for _, p := range r.Processes() {
		if r.session.Process != nil && !r.session.Process(&p) {
			continue
		}
		if err := r.add(int64(p.ID), p.User, p.Host, orNull(p.Database), p.Command, p.Seconds, p.State,
			orNull(p.Info)); err != nil {
			return err
		}
	}
	return nil
}

// orNull is a text, or NULL for an empty one.
func orNull(text string) datum.Datum {
	if text == "" {
		return datum.Null
	}
	return datum.TextString(text)
}

// variables hands out the system variables, those of the session or the global ones.
func (r *virtualScan) variables(global bool) error {
	if r.session.Variables == nil {
		return nil
	}
	return r.session.Variables(global, func(name, shown string) error { return r.add(name, shown) })
}
