// SPDX-License-Identifier: Apache-2.0

package fault

// Code is MySQL's number of an error.
type Code uint16

// The codes. Those from 8000 on are LindormTable's own.
const (
	CannotCreateTable      Code = 1005
	NullInRows             Code = 1138
	TableChanged           Code = 1412 // after the transaction began
	DatabaseExists         Code = 1007
	DatabaseUnknownDrop    Code = 1008
	TooManyConnections     Code = 1040
	TooManyUserConnections Code = 1203
	DiskFull               Code = 1021 // of temporary files
	OutOfMemory            Code = 1038 // sort memory
	OutOfResources         Code = 1041
	BadHandshake           Code = 1043
	DatabaseDenied         Code = 1044
	AccessDenied           Code = 1045
	NoDatabase             Code = 1046
	UnknownCommand         Code = 1047
	NotNull                Code = 1048
	UnknownDatabase        Code = 1049
	TableExists            Code = 1050
	UnknownTableDrop       Code = 1051
	AmbiguousColumn        Code = 1052
	ShuttingDown           Code = 1053
	UnknownColumn          Code = 1054
	WrongGroupField        Code = 1055
	ColumnTwice            Code = 1060
	KeyNameTwice           Code = 1061
	DuplicateEntry         Code = 1062
	Syntax                 Code = 1064
	EmptyQuery             Code = 1065
	AliasTwice             Code = 1066
	BadDefault             Code = 1067
	KeyTwice               Code = 1068
	TooManyKeys            Code = 1069
	TooManyKeyParts        Code = 1070
	KeyTooLong             Code = 1071
	KeyColumnUnknown       Code = 1072
	ColumnTooLong          Code = 1074
	NoSuchThread           Code = 1094
	NoTablesUsed           Code = 1096
	ColumnSpecifier        Code = 1063
	AutoKey                Code = 1075
	ColumnNamedTwice       Code = 1110
	GroupWithoutBy         Code = 1111 // aggregate where none may stand
	TableWithoutColumns    Code = 1113
	UnknownCharset         Code = 1115
	UnknownCollation       Code = 1273
	TooManyColumns         Code = 1117
	RowTooLarge            Code = 1118
	TransactionTooLarge    Code = 1197
	Unknown                Code = 1105
	ColumnCount            Code = 1136
	InvalidGroup           Code = 1140
	TableDenied            Code = 1142
	ColumnDenied           Code = 1143
	NoSuchGrant            Code = 1141
	NoSuchTableGrant       Code = 1147
	NoSuchUser             Code = 1396
	NotYourThread          Code = 1095
	GrantToNobody          Code = 1410
	WrongUsage             Code = 1221
	UserMissing            Code = 3162
	UserExists             Code = 3163
	NoSuchRole             Code = 3523
	RoleNotGranted         Code = 3530
	NoSuchTable            Code = 1146
	PacketTooLarge         Code = 1153
	WrongColumnName        Code = 1166
	PrimaryKeyMissing      Code = 1173
	NoSuchIndex            Code = 1176
	NoFullText             Code = 1191
	LockWaitTimeout        Code = 1205
	ManyLocks              Code = 1206
	WrongArguments         Code = 1210
	Deadlock               Code = 1213
	NotAtOnce              Code = 3572
	Privilege              Code = 1227
	UnknownVariable        Code = 1193
	GlobalVariable         Code = 1229
	WrongVariableValue     Code = 1231
	UnknownZone            Code = 1298
	WrongVariableType      Code = 1232
	ReadOnlyVariable       Code = 1238
	WrongOperands          Code = 1241
	TooManyTables          Code = 1116
	WrongNumberOfColumns   Code = 1222
	TooManyRows            Code = 1172
	NoData                 Code = 1329
	SubqueryRows           Code = 1242
	AliasMissing           Code = 1248
	WrongObject            Code = 1347
	ViewVariable           Code = 1351
	ViewColumns            Code = 1353
	ViewRecursion          Code = 1462
	ViewInvalid            Code = 1356
	NotInsertable          Code = 1471
	NotSupported           Code = 1235
	UnknownStatement       Code = 1243
	OutOfRange             Code = 1264
	DataTruncated          Code = 1265
	NotUpdatable           Code = 1288
	ColumnNotUpdatable     Code = 1348
	UnknownTarget          Code = 1109
	TruncatedWrongValue    Code = 1292
	UnknownFunction        Code = 1305
	Interrupted            Code = 1317
	NoSuchWindow           Code = 3579
	WindowCircle           Code = 3580
	WindowPartition        Code = 3581
	WindowHasFrame         Code = 3582
	WindowOrderTwice       Code = 3583
	WindowBound            Code = 3586
	WindowRangeOrder       Code = 3587
	WindowRangeTemporal    Code = 3588
	WindowRangeNumeric     Code = 3589
	WindowBoundVaries      Code = 3590
	WindowTwice            Code = 3591
	WindowFunction         Code = 3593
	WindowAlias            Code = 3594
	WindowRowsInterval     Code = 3596
	GroupingKey            Code = 3602
	RecursionDepth         Code = 3636
	DivisionByZero         Code = 1365
	IncorrectValue         Code = 1366
	InvalidUTF8            Code = 1300
	NoDefault              Code = 1364
	NumbersUsedUp          Code = 1467 // AUTO_INCREMENT
	ParameterCount         Code = 1582 // of a native function
	TooManyPlaceholders    Code = 1390
	DataTooLong            Code = 1406
	DropColumnUnknown      Code = 1091
	Referred               Code = 1451
	NoParent               Code = 1452
	CascadeDepth           Code = 3008
	CheckViolated          Code = 3819
	GeneratedColumn        Code = 3105
	MovesTwice             Code = 1706
	GeneratedIgnored       Code = 1906
	FunctionArgument       Code = 1411
	DataOutOfRange         Code = 1690
	TransactionUnderWay    Code = 1568
	ReadOnlyTransaction    Code = 1792
	StatementTimeout       Code = 3024
	UserLockName           Code = 3057
	UserLockDeadlock       Code = 3058
	JSONTextWanted         Code = 3064
	InvalidJSON            Code = 3140
	InvalidJSONArgument    Code = 3141
	InvalidJSONPath        Code = 3143
	JSONTypeWanted         Code = 3146
	JSONPathWildcard       Code = 3149
	JSONPathRoot           Code = 3153
	OneOrAll               Code = 3154
	JSONNullName           Code = 3158
	JSONPathNotElement     Code = 3165
	RegexpSyntax           Code = 3685
	SecureTransport        Code = 3159
	ReadOnlyServer         Code = 1290
	QueryTimeout           Code = 1907
	Refused                Code = 8008 // a limit of the server, or a query refused for its cost
	Unsupported            Code = 9001
	UnknownOutcome         Code = 1180 // error during COMMIT
)

type row struct{ state, text string }

// table is immutable
var table = map[Code]row{
	NullInRows:             {"22004", "Invalid use of NULL value: rows have NULL in column '%s'"},
	TableChanged:           {"HY000", "Table definition has changed, please retry transaction: %s"},
	CannotCreateTable:      {"HY000", "Can't create table '%s': %s"},
	Referred:               {"23000", "Cannot delete or update a parent row: a foreign key constraint fails (%s)"},
	NoParent:               {"23000", "Cannot add or update a child row: a foreign key constraint fails (%s)"},
	MovesTwice:             {"HY000", "Primary key/partition key update is not allowed since the table is updated both as '%s' and '%s'."},
	GeneratedIgnored:       {"HY000", "The value specified for generated column '%s' in table '%s' has been ignored"},
	GeneratedColumn:        {"HY000", "The value specified for generated column '%s' in table '%s' is not allowed."},
	CheckViolated:          {"HY000", "Check constraint '%s' is violated."},
	CascadeDepth:           {"HY000", "Foreign key cascade delete/update exceeds max depth of %d."},
	DatabaseExists:         {"HY000", "Can't create database '%s'; database exists"},
	DatabaseUnknownDrop:    {"HY000", "Can't drop database '%s'; database doesn't exist"},
	TooManyConnections:     {"08004", "Too many connections"},
	TooManyUserConnections: {"42000", "User %s already has more than 'max_user_connections' active connections"},
	DiskFull:               {"HY000", "The disk for temporary files is full: ask for fewer rows, or have --sql-disk raised"},
	OutOfMemory:            {"HY001", "%s"},
	OutOfResources:         {"HY000", "Out of memory: %s"},
	BadHandshake:           {"08S01", "Bad handshake"},
	DatabaseDenied:         {"42000", "Access denied for user '%s'@'%s' to database '%s'"},
	AccessDenied:           {"28000", "Access denied for user '%s'@'%s' (using password: %s)"},
	NoDatabase:             {"3D000", "No database selected"},
	UnknownCommand:         {"08S01", "Unknown command"},
	NotNull:                {"23000", "Column '%s' cannot be null"},
	UnknownDatabase:        {"42000", "Unknown database '%s'"},
	TableExists:            {"42S01", "Table '%s' already exists"},
	UnknownTableDrop:       {"42S02", "Unknown table '%s'"},
	AmbiguousColumn:        {"23000", "Column '%s' in %s is ambiguous"},
	ShuttingDown:           {"08S01", "Server shutdown in progress"},
	UnknownColumn:          {"42S22", "Unknown column '%s' in '%s'"},
	WrongGroupField:        {"42000", "Expression #%d of %s is not in GROUP BY clause and contains nonaggregated column '%s' which is not functionally dependent on columns in GROUP BY clause"},
	ColumnTwice:            {"42S21", "Duplicate column name '%s'"},
	KeyNameTwice:           {"42000", "Duplicate key name '%s'"},
	DuplicateEntry:         {"23000", "Duplicate entry '%s' for key '%s'"},
	Syntax:                 {"42000", "%s"},
	EmptyQuery:             {"42000", "Query was empty"},
	BadDefault:             {"42000", "Invalid default value for '%s'"},
	KeyTwice:               {"42000", "Multiple primary key defined"},
	TooManyKeys:            {"42000", "Too many keys specified; max %d keys allowed"},
	TooManyKeyParts:        {"42000", "Too many key parts specified; max %d parts allowed"},
	KeyTooLong:             {"42000", "Specified key was too long; max key length is %d bytes (%s at row %d)"},
	KeyColumnUnknown:       {"42000", "Key column '%s' doesn't exist in table"},
	ColumnTooLong:          {"42000", "Column length too big for column '%s' (max = %d); use BLOB or TEXT instead"},
	NoSuchThread:           {"HY000", "Unknown thread id: %d"},
	NoTablesUsed:           {"HY000", "No tables used"},
	UserLockName:           {"42000", "Incorrect user-level lock name '%s'."},
	UserLockDeadlock:       {"HY000", "Deadlock found when trying to get user-level lock; try rolling back transaction/releasing locks and restarting lock acquisition."},
	ColumnSpecifier:        {"42000", "Incorrect column specifier for column '%s'"},
	AutoKey:                {"42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	NumbersUsedUp:          {"HY000", "Failed to read auto-increment value from storage engine"},
	ColumnNamedTwice:       {"42000", "Column '%s' specified twice"},
	GroupWithoutBy:         {"HY000", "Invalid use of group function"},
	TableWithoutColumns:    {"42000", "A table must have at least 1 column"},
	UnknownCharset:         {"42000", "Unknown character set: '%s'"},
	UnknownCollation:       {"HY000", "Unknown collation: '%s'"},
	TooManyColumns:         {"HY000", "Too many columns"},
	Unknown:                {"HY000", "%s"},
	ColumnCount:            {"21S01", "Column count doesn't match value count at row %d"},
	InvalidGroup:           {"42000", "In aggregated query without GROUP BY, expression #%d of SELECT list contains nonaggregated column '%s'"},
	TableDenied:            {"42000", "%s command denied to user '%s'@'%s' for table '%s'"},
	ColumnDenied:           {"42000", "%s command denied to user '%s'@'%s' for column '%s' in table '%s'"},
	NoSuchGrant:            {"42000", "There is no such grant defined for user '%s' on host '%%'"},
	NoSuchTableGrant:       {"42000", "There is no such grant defined for user '%s' on host '%%' on table '%s'"},
	NoSuchUser:             {"HY000", "Operation %s failed for %s"},
	GrantToNobody:          {"42000", "You are not allowed to create a user with GRANT"},
	WrongUsage:             {"HY000", "Incorrect usage of %s and %s"},
	UserMissing:            {"HY000", "Authorization ID %s does not exist."},
	UserExists:             {"HY000", "Authorization ID %s already exists."},
	NoSuchRole:             {"HY000", "Unknown authorization ID %s"},
	RoleNotGranted:         {"HY000", "%s is not granted to %s"},
	NotYourThread:          {"HY000", "You are not owner of thread %d"},
	NoSuchTable:            {"42S02", "Table '%s.%s' doesn't exist"},
	PacketTooLarge:         {"08S01", "Got a packet bigger than 'max_allowed_packet' bytes"},
	RowTooLarge:            {"42000", "%s"},
	TransactionTooLarge:    {"HY000", "%s"},
	WrongColumnName:        {"42000", "Incorrect column name '%s'"},
	PrimaryKeyMissing:      {"42000", "This table type requires a primary key"},
	NoFullText:             {"HY000", "Can't find FULLTEXT index matching the column list"},
	NoSuchIndex:            {"42000", "Key '%s' doesn't exist in table '%s'"},
	ManyLocks:              {"HY000", "The total number of locks exceeds the lock table size"},
	NotAtOnce:              {"HY000", "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set."},
	LockWaitTimeout:        {"HY000", "Lock wait timeout exceeded; try restarting transaction"},
	WrongArguments:         {"HY000", "Incorrect arguments to %s"},
	Deadlock:               {"40001", "Deadlock found when trying to get lock; try restarting transaction"},
	Privilege:              {"42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation"},
	UnknownVariable:        {"HY000", "Unknown system variable '%s'"},
	GlobalVariable:         {"HY000", "Variable '%s' is a GLOBAL variable and should be set with SET GLOBAL"},
	UnknownZone:            {"HY000", "Unknown or incorrect time zone: '%s'"},
	WrongVariableValue:     {"42000", "Variable '%s' can't be set to the value of '%s'"},
	WrongVariableType:      {"42000", "Incorrect argument type to variable '%s'"},
	ReadOnlyVariable:       {"HY000", "Variable '%s' is a read only variable"},
	AliasTwice:             {"42000", "Not unique table/alias: '%s'"},
	TooManyTables:          {"HY000", "Too many tables; MySQL can only use %d tables in a join"},
	TooManyRows:            {"42000", "Result consisted of more than one row"},
	NoData:                 {"02000", "No data - zero rows fetched, selected, or processed"},
	SubqueryRows:           {"21000", "Subquery returns more than 1 row"},
	AliasMissing:           {"42000", "Every derived table must have its own alias"},
	WrongNumberOfColumns:   {"21000", "The used SELECT statements have a different number of columns"},
	WrongObject:            {"HY000", "'%s.%s' is not %s"},
	ViewVariable:           {"HY000", "View's SELECT contains a variable or parameter"},
	ViewRecursion:          {"HY000", "`%s`.`%s` contains view recursion"},
	ViewInvalid:            {"HY000", "View '%s.%s' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them"},
	NotInsertable:          {"HY000", "The target table %s of the %s is not insertable-into"},
	ViewColumns:            {"HY000", "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts"},
	WrongOperands:          {"21000", "Operand should contain %d column(s)"},
	NotSupported:           {"42000", "%s"},
	UnknownStatement:       {"HY000", "Unknown prepared statement handler (%s) given to %s"},
	OutOfRange:             {"22003", "Out of range value for column '%s' at row %d"},
	DataTruncated:          {"01000", "Data truncated for column '%s' at row %d"},
	UnknownTarget:          {"42S02", "Unknown table '%s' in MULTI DELETE"},
	ColumnNotUpdatable:     {"HY000", "Column '%s' is not updatable"},
	NotUpdatable:           {"HY000", "The target table %s of the %s is not updatable"},
	TruncatedWrongValue:    {"22007", "Truncated incorrect %s value: '%s'"},
	UnknownFunction:        {"42000", "FUNCTION %s does not exist"},
	Interrupted:            {"70100", "Query execution was interrupted"},
	NoSuchWindow:           {"HY000", "Window name '%s' is not defined."},
	WindowCircle:           {"HY000", "There is a circularity in the window dependency graph."},
	WindowPartition:        {"HY000", "A window which depends on another cannot define partitioning."},
	WindowHasFrame:         {"HY000", "Window '%s' has a frame definition, so cannot be referenced by another window."},
	WindowOrderTwice:       {"HY000", "Window '%s' cannot inherit '%s' since both contain an ORDER BY clause."},
	WindowBound:            {"HY000", "Window '%s': frame start or end is negative, NULL or of non-integral type"},
	WindowRangeOrder:       {"HY000", "Window '%s' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type"},
	WindowRangeTemporal:    {"HY000", "Window '%s' with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed."},
	WindowRangeNumeric:     {"HY000", "Window '%s' with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed."},
	WindowBoundVaries:      {"HY000", "Window '%s' has a non-constant frame bound."},
	WindowTwice:            {"HY000", "Window '%s' is defined twice."},
	WindowFunction:         {"HY000", "You cannot use the window function '%s' in this context.'"},
	WindowAlias:            {"HY000", "You cannot use the alias '%s' of an expression containing a window function in this context.'"},
	WindowRowsInterval:     {"HY000", "Window '%s': INTERVAL can only be used with RANGE frames."},
	GroupingKey:            {"HY000", "Argument #%d of GROUPING function is not in GROUP BY"},
	RecursionDepth:         {"HY000", "Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value."},
	DivisionByZero:         {"22012", "Division by 0"},
	IncorrectValue:         {"HY000", "Incorrect %s value: '%s' for column '%s' at row %d"},
	InvalidUTF8:            {"HY000", "Invalid utf8mb4 character string: '%s'"},
	NoDefault:              {"HY000", "Field '%s' doesn't have a default value"},
	ParameterCount:         {"42000", "Incorrect parameter count in the call to native function '%s'"},
	TooManyPlaceholders:    {"HY000", "Prepared statement contains too many placeholders"},
	DataTooLong:            {"22001", "Data too long for column '%s' at row %d"},
	DropColumnUnknown:      {"42000", "Can't DROP '%s'; check that column/key exists"},
	FunctionArgument:       {"HY000", "Incorrect %s value: '%s' for function %s"},
	DataOutOfRange:         {"22003", "%s value is out of range in '%s'"},
	TransactionUnderWay:    {"25001", "Transaction characteristics can't be changed while a transaction is in progress"},
	ReadOnlyTransaction:    {"25006", "Cannot execute statement in a READ ONLY transaction."},
	StatementTimeout:       {"HY000", "Query execution was interrupted, maximum statement execution time exceeded"},
	InvalidJSON:            {"22032", "Invalid JSON text: %s at position %d in value for column '%s'."},
	InvalidJSONArgument:    {"22032", "Invalid JSON text in argument %d to function %s: \"%s\" at position %d."},
	InvalidJSONPath:        {"42000", "Invalid JSON path expression. The error is around character position %d."},
	JSONTextWanted:         {"HY000", "Incorrect type for argument %d in function %s."},
	JSONTypeWanted:         {"22032", "Invalid data type for JSON data in argument %d to function %s; a JSON string or JSON type is required."},
	JSONPathWildcard:       {"42000", "In this situation, path expressions may not contain the * and ** tokens or an array range."},
	JSONPathRoot:           {"42000", "The path expression '$' is not allowed in this context."},
	OneOrAll:               {"42000", "The oneOrAll argument to %s may take these values: 'one' or 'all'."},
	JSONNullName:           {"22032", "JSON documents may not contain NULL member names."},
	JSONPathNotElement:     {"42000", "A path expression is not a path to a cell in an array."},
	RegexpSyntax:           {"HY000", "Error in regular expression: %s"},
	SecureTransport:        {"HY000", "Connections using insecure transport are prohibited while --require_secure_transport=ON."},
	ReadOnlyServer:         {"HY000", "%s"},
	QueryTimeout:           {"HY000", "%s"},
	Refused:                {"HY000", "%s"},
	Unsupported:            {"0A000", "%s"},
	UnknownOutcome:         {"HY000", "%s"},
}
