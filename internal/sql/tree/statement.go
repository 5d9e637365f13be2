// SPDX-License-Identifier: Apache-2.0

// Package tree is SQL as a tree: expressions and statements, as package parse reads them. Nodes are plain data and are
// not changed once the parser has made them, so that one tree serves many sessions at once.
//
// Knows: what the dialect can say.
// Never: how it is written, whether what it names exists, what it means.
package tree

import "github.com/weftdb/weft/internal/sql/datum"

// Statement is one whole statement.
type Statement interface{ statement() }

// Name is a table's or an index's name, perhaps with its database.
type Name struct {
	Database string // "" is the session's
	Name     string
}

// Hint is one hint of `/*+ a, b(1) */`, its name in lower case, its argument without quotes, "" if it has none.
type Hint struct{ Name, Argument string }

// HintCollate is the name of a hint by which a statement says that it names a collation, its argument, that texts are
// not compared by.
const HintCollate = "collate"

// Select is a SELECT.
type Select struct {
	With     *With // nil: none
	Hints    []Hint
	Straight bool // STRAIGHT_JOIN behind SELECT: the tables are read in their order
	Distinct bool
	List     []SelectItem
	// From is the only table; nil if there is none, or if Tables says what is read.
	From  *Name
	Alias string // From's, or ""
	// Tables is the operand of FROM where it is more than one table's name with its alias and index hints; else nil.
	Tables  TableExpression
	Where   Expression
	GroupBy []Expression
	Rollup  bool // WITH ROLLUP
	Loose   bool // columns need not be grouped by: sql_mode lacks ONLY_FULL_GROUP_BY
	Having  Expression
	Windows []NamedWindow
	OrderBy []Order
	// Aggregates are aggregates that queries within the expressions use, and whose columns are this query's.
	Aggregates []*Call
	Limit      Expression // nil: no limit; a Literal or a Parameter
	Offset     Expression
	// CountsFound is SQL_CALC_FOUND_ROWS: rows that LIMIT leaves out are counted for FOUND_ROWS(), too.
	CountsFound bool
	// AllowFiltering is Lindorm's and Cassandra's suffix ALLOW FILTERING.
	AllowFiltering bool
	ForUpdate      bool
	// ForShare is set by FOR SHARE and LOCK IN SHARE MODE.
	ForShare bool
	// NoWait and SkipLocked say what FOR UPDATE does about rows that others hold, instead of waiting.
	NoWait, SkipLocked bool
	Of                 []string // FOR UPDATE OF: tables by names or aliases; empty: all
	// ForceIndex and IgnoreIndex are MySQL's index hints: names of indexes, PRIMARY among them.
	ForceIndex, IgnoreIndex []string
}

// SelectItem is one expression of a select list. Text is how it was written, which names its column in the answer if it
// has no alias.
type SelectItem struct {
	Expression Expression
	Alias      string
	Text       string
}

// Order is one element of ORDER BY.
type Order struct {
	By         Expression
	Descending bool
}

// DuplicateRule says what an INSERT does when the row already exists.
type DuplicateRule uint8

// The rules.
const (
	DuplicateByMode DuplicateRule = iota // as insert_mode or the table says: INSERT's way
	Overwrite                            // the named columns overwrite: UPSERT's way
	DuplicateIgnore                      // ON DUPLICATE KEY IGNORE, INSERT IGNORE
	DuplicateUpdate                      // ON DUPLICATE KEY UPDATE c = e, ..
	DuplicateError                       // ON DUPLICATE KEY ERROR
	ReplaceRow                           // REPLACE INTO: the whole row
)

// Insert is INSERT, UPSERT or REPLACE .. VALUES or SELECT.
type Insert struct {
	Hints   []Hint
	Into    Name
	Columns []string // empty: none were named
	Rows    [][]Expression
	Query   Query // what the rows are read by; nil: Rows are written out
	Rule    DuplicateRule
	Updates []Assignment // of DuplicateUpdate
}

// Assignment is [table.]column = value.
type Assignment struct {
	Table  string // as it is written in an UPDATE; ""
	Column string
	Value  Expression
}

// Update is UPDATE.
type Update struct {
	Hints   []Hint
	Ignore  bool // rows that a constraint refuses stay as they are
	Table   Name
	Alias   string
	With    *With           // nil: none
	Tables  TableExpression // nil: Table alone
	Set     []Assignment
	Where   Expression
	OrderBy []Order
	Limit   Expression
}

// Delete is DELETE.
type Delete struct {
	Hints   []Hint
	Ignore  bool // rows that a constraint refuses stay
	From    Name
	Alias   string
	With    *With           // nil: none
	Targets []Name          // by names or aliases: the tables of Tables whose rows go
	Tables  TableExpression // nil: From alone
	Where   Expression
	OrderBy []Order
	Limit   Expression
}

// Explain is EXPLAIN [ANALYZE | PLAN | FORMAT=..] of a statement.
type Explain struct {
	Of      Statement
	Analyze bool
	Format  string // "", "tree", "json", "traditional"; in lower case
}

// Option is one of WITH (NAME = 'value', ..) or SET 'NAME' = 'value'. Name is in upper case; MySQL's ENGINE=, CHARSET=
// and COMMENT= are options, too.
type Option struct{ Name, Value string }

// ColumnDefinition is one column of CREATE TABLE or ADD COLUMN.
type ColumnDefinition struct {
	Name    string
	Type    datum.Type
	NotNull bool
	// PrimaryKey is written behind the column: it alone is the key.
	PrimaryKey    bool
	Default       Expression // nil: none
	OnUpdate      Expression // of ON UPDATE; nil: none
	Comment       string
	AutoIncrement bool
	Unique        bool // UNIQUE [KEY] is written behind the column
	References    *ForeignKey
	Checks        []Check
	Generated     Expression // of GENERATED ALWAYS AS; nil: none
	Virtual       bool       // it is not STORED
	Hidden        bool       // nobody wrote it: an index on an expression needs it
	At            int
}

// ForeignKey is [CONSTRAINT name] FOREIGN KEY (columns) REFERENCES table (references).
type ForeignKey struct {
	Name       string
	Columns    []string
	Table      Name
	References []string
	// OnDelete and OnUpdate are actions in upper case, such as SET NULL; "" for RESTRICT.
	OnDelete, OnUpdate string
}

// Check is [CONSTRAINT name] CHECK (condition).
type Check struct {
	Name        string
	Condition   Expression
	NotEnforced bool
}

// KeyElement is one element of a primary key or an index: a column, or a function of columns such as hash32(a, b),
// reverse(a), zorder(a, b).
type KeyElement struct {
	Column     string
	Function   string // in lower case; "" for a column
	Arguments  []string
	Expression Expression // instead of a column or a function of keys; nil: none
	Prefix     int        // of a column: how many of its characters are meant; 0: all
	Descending bool
	// Options are the options of a column of a search index, such as type=text, with names in lower case.
	Options []Option
	At      int
}

// IndexKind is the kind of index that USING names.
type IndexKind uint8

// The kinds.
const (
	IndexKV IndexKind = iota
	IndexSearch
	IndexColumnar
	IndexFullText // FULLTEXT: a search index of the words of all its columns together
)

// IndexDefinition is an index of CREATE TABLE or CREATE INDEX.
type IndexDefinition struct {
	Name    string // "" for one to be made up
	Kind    IndexKind
	Unique  bool
	Key     []KeyElement
	Include []string
	Options []Option
	// Async and Sync are the words ASYNC and SYNC; neither is set where none was written.
	Async, Sync bool
	At          int
}

// CreateTable is CREATE TABLE.
type CreateTable struct {
	IfNotExists bool
	Temporary   bool
	Table       Name
	Columns     []ColumnDefinition
	PrimaryKey  []KeyElement
	Indexes     []IndexDefinition
	ForeignKeys []ForeignKey
	Checks      []Check
	Options     []Option
	// Collation is a collation or character set that the statement names and that texts are not compared by; "" for
	// none.
	Collation string
	// Like is the table of CREATE TABLE a LIKE b; nil for none.
	Like *Name
	// Query gives the table columns and rows; nil for none. Rule says what happens to rows with the same key.
	Query Query
	Rule  DuplicateRule
}

// AlterAction is one action of ALTER TABLE.
type AlterAction interface{ alterAction() }

// AddColumn is ADD [COLUMN].
type AddColumn struct {
	Column      ColumnDefinition
	IfNotExists bool
	Place       Place
}

// Place is FIRST, AFTER a column, or neither.
type Place struct {
	First bool
	After string
}

// ModifyColumn is MODIFY [COLUMN], or CHANGE [COLUMN] if the column gets another name.
type ModifyColumn struct {
	Name   string
	Column ColumnDefinition
	Place  Place
}

// RenameColumn is RENAME COLUMN From TO To.
type RenameColumn struct{ From, To string }

// RenameIndex is RENAME INDEX From TO To.
type RenameIndex struct{ From, To string }

// AlterDefault is ALTER [COLUMN] name SET DEFAULT or DROP DEFAULT; Default is nil for the latter.
type AlterDefault struct {
	Name    string
	Default Expression
}

// DropColumn is DROP [COLUMN].
type DropColumn struct {
	Name     string
	IfExists bool
}

// SetOptions is SET 'NAME' = 'value', ..
type SetOptions struct{ Options []Option }

// AddForeignKey is ADD [CONSTRAINT name] FOREIGN KEY ..
type AddForeignKey struct{ ForeignKey }

// AddCheck is ADD [CONSTRAINT name] CHECK ..
type AddCheck struct{ Check }

// DropConstraint is DROP {CONSTRAINT | FOREIGN KEY | CHECK} name; Kind is one of these.
type DropConstraint struct {
	Kind, Name string
	IfExists   bool
}

// Compact is COMPACT.
type Compact struct{}

// MapColumn is MAP DYNAMIC COLUMN or UNMAP DYNAMIC COLUMN of one column: Name is family:qualifier, and Type is Untyped
// for UNMAP.
type MapColumn struct {
	Name string
	Type datum.Type
}

// RenameTable is RENAME TABLE a TO b, c TO d, and ALTER TABLE a RENAME TO b.
type RenameTable struct{ From, To []Name }

// Maintain is ANALYZE, CHECK, CHECKSUM, OPTIMIZE or REPAIR TABLE; Verb is the word in lower case.
type Maintain struct {
	Verb   string
	Tables []Name
}

// AddPrimaryKey is ADD [CONSTRAINT name] PRIMARY KEY (..).
type AddPrimaryKey struct{ Key []KeyElement }

// DropPrimaryKey is DROP PRIMARY KEY.
type DropPrimaryKey struct{}

// RefusedAlter is an action that MySQL has and this dialect refuses with a reason: What is such as "ADD PARTITION",
// "RENAME"; Column is the one it concerns, if any.
type RefusedAlter struct{ What string }

func (*AddColumn) alterAction()      {}
func (*AddForeignKey) alterAction()  {}
func (*AddCheck) alterAction()       {}
func (*DropConstraint) alterAction() {}
func (*DropColumn) alterAction()     {}
func (*ModifyColumn) alterAction()   {}
func (*AlterDefault) alterAction()   {}
func (*SetOptions) alterAction()     {}
func (*Compact) alterAction()        {}
func (*RenameColumn) alterAction()   {}
func (*RenameIndex) alterAction()    {}
func (*MapColumn) alterAction()      {}
func (*RefusedAlter) alterAction()   {}
func (*AddPrimaryKey) alterAction()  {}
func (*DropPrimaryKey) alterAction() {}
func (*CreateIndex) alterAction()    {}
func (*DropIndex) alterAction()      {}

// AlterTable is ALTER TABLE.
type AlterTable struct {
	Table   Name
	Actions []AlterAction
	// Collation is as that of CreateTable.
	Collation string
}

// DropTable is DROP TABLE.
type DropTable struct {
	IfExists  bool
	Temporary bool // of the session's own tables alone
	Tables    []Name
}

// TruncateTable is TRUNCATE [TABLE].
type TruncateTable struct{ Table Name }

// CreateIndex is CREATE INDEX, or ADD INDEX among other actions of ALTER TABLE.
type CreateIndex struct {
	IfNotExists bool
	Table       Name
	Index       IndexDefinition
}

// DropIndex is DROP INDEX name ON t, or DROP INDEX among other actions of ALTER TABLE.
type DropIndex struct {
	IfExists bool
	Index    string
	Table    Name
}

// BuildIndex is BUILD INDEX [name] ON t, and ALTER INDEX name ON t with what Alter says ("DISABLED", "REBUILD", "ADD",
// "DROP", "SET").
type BuildIndex struct {
	Index   string
	Table   Name
	Alter   string
	Fields  []KeyElement // of ADD and DROP: columns of a search index
	Options []Option     // of SET
}

// CreateDatabase and DropDatabase are CREATE and DROP DATABASE or SCHEMA.
type CreateDatabase struct {
	IfNotExists bool
	Database    string
	Options     []Option
	// Collation is as that of CreateTable.
	Collation string
}

// AlterDatabase is ALTER DATABASE or SCHEMA.
type AlterDatabase struct {
	Database string
	Options  []Option
}

// DropDatabase is DROP DATABASE.
type DropDatabase struct {
	IfExists bool
	Database string
}

// Use is USE database.
type Use struct{ Database string }

// Show is SHOW .. in one shape for all. What is in lower case with single spaces: "databases", "tables", "full tables",
// "columns", "full columns", "index" (INDEXES too), "keys", "create table", "create view", "create database",
// "variables", "status", "processlist", "full processlist", "regions", "estimated rows", "warnings", "errors",
// "engines", "collation", "character set", "grants", "table status", "plugins", "privileges", "triggers", "events",
// "procedure status", "function status", "open tables", "table variables", "system variables", "master status", "slave
// status", "slave hosts", "engine innodb status".
type Show struct {
	What     string
	Global   bool
	Table    Name   // of columns, index, create table, regions, estimated rows
	User     string // of grants; "" is the session's own
	Database string
	Like     *string
	Where    Expression
}

// Describe is DESCRIBE t [column].
type Describe struct {
	Table  Name
	Column string
}

// Begin is BEGIN and START TRANSACTION.
type Begin struct {
	ReadOnly           bool
	ReadWrite          bool // READ WRITE was written
	ConsistentSnapshot bool
}

// Commit and Rollback end a transaction. Chain is AND CHAIN.
type Commit struct {
	Chain   bool
	Release bool // the session ends
}

// Rollback is ROLLBACK.
type Rollback struct {
	Chain   bool
	Release bool // the session ends
}

// Set is SET a = 1, @b = 2, @@session.c = 3, NAMES x, CHARACTER SET x, TRANSACTION ISOLATION LEVEL x.
type Set struct{ Assignments []SetVariable }

// SetVariable is one assignment of SET. SET NAMES utf8mb4 COLLATE c is the variable "names" with a literal, SET SESSION
// TRANSACTION the variables "transaction_isolation" and "transaction_read_only", and without SESSION, for the next
// transaction alone, "next_" before these names. A bare word as a value, such as ON, is a literal text.
type SetVariable struct {
	Variable Variable
	Value    Expression // *Default for DEFAULT
}

// AlterSystem is ALTER SYSTEM SET name = value.
type AlterSystem struct {
	Name  string
	Value Expression
}

// Kill is KILL [CONNECTION | QUERY] id.
type Kill struct {
	QueryOnly bool
	ID        Expression
}

// Prepare, ExecutePrepared and Deallocate are the SQL forms of prepared statements.
type Prepare struct {
	Name string
	Text Expression // a Literal or a Variable
}

// ExecutePrepared is EXECUTE name [USING @a, ..].
type ExecutePrepared struct {
	Name  string
	Using []Variable
}

// Deallocate is DEALLOCATE PREPARE name.
type Deallocate struct{ Name string }

// Nothing is a statement that is read and does nothing here: LOCK TABLES, UNLOCK TABLES, FLUSH, ANALYZE TABLE,
// SAVEPOINT and the like are not among them unless doing nothing is right. What says which.
type Nothing struct{ What string }

func (*Select) statement()          {}
func (*Insert) statement()          {}
func (*Update) statement()          {}
func (*Delete) statement()          {}
func (*Explain) statement()         {}
func (*CreateTable) statement()     {}
func (*AlterTable) statement()      {}
func (*DropTable) statement()       {}
func (*RenameTable) statement()     {}
func (*Maintain) statement()        {}
func (*TruncateTable) statement()   {}
func (*CreateIndex) statement()     {}
func (*DropIndex) statement()       {}
func (*BuildIndex) statement()      {}
func (*CreateDatabase) statement()  {}
func (*AlterDatabase) statement()   {}
func (*DropDatabase) statement()    {}
func (*Use) statement()             {}
func (*Show) statement()            {}
func (*Describe) statement()        {}
func (*Begin) statement()           {}
func (*Commit) statement()          {}
func (*Rollback) statement()        {}
func (*Set) statement()             {}
func (*AlterSystem) statement()     {}
func (*Kill) statement()            {}
func (*Prepare) statement()         {}
func (*ExecutePrepared) statement() {}
func (*Deallocate) statement()      {}
func (*Nothing) statement()         {}

// Savepoint is SAVEPOINT name, ROLLBACK TO name and RELEASE SAVEPOINT name; Action is "savepoint", "rollback to" or
// "release".
type Savepoint struct{ Action, Name string }

func (*Savepoint) statement() {}
