// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/cache"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/userlock"
	"github.com/weftdb/weft/internal/sql/variable"
)

// Options are the settings of an Engine. DB must be set; for the rest the zero value works.
type Options struct {
	DB *database.DB
	// Variables are the system variables with their global values. Default: a table of its own.
	Variables *variable.Catalog
	// Logger takes what an operator should see. Default: nothing is logged.
	Logger *slog.Logger
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// PlansMax is about the number of compiled statements that are kept. Default 8,192; they take an eighth of Memory
	// at most.
	PlansMax int
	// Memory bounds what statements hold together: their texts and trees, prepared ones, kept plans, open transactions,
	// sorts, groups and joins. What finds no room is refused. Default: no bound.
	Memory *memory.Budget
	// Spill is the folder for sorts that exceed their memory. Default: they fail.
	Spill *spill.Folder
	// Processes lists the connections, for SHOW PROCESSLIST. Default: the list is empty.
	Processes func() []result.Process
	// Kill ends a connection, or only the statement that it runs; ok is false if there is none of that number. Default:
	// nobody can be killed.
	Kill func(id uint32, queryOnly bool) (ok bool)
	// Warnings returns warnings for an operator about the server and a table; SHOW REGIONS leaves them to SHOW
	// WARNINGS. Default: none.
	Warnings func(table string) []string
	// Guard decides what users may do. Default: everybody may do everything.
	Guard *permission.Guard
	// Digests adds up what statements cost; those of other APIs that do so, too, can be read with SQL. Default: a table
	// of its own.
	Digests *digest.Table
	// Observer is called for each statement. Default: none.
	Observer Observer
}

// Observer counts statements, for many sessions at once.
type Observer interface {
	// Begin is called when a statement has come, End when it has ended.
	Begin()
	End(ended *Outcome)
}

// Outcome describes a statement that has ended. It is valid during the call.
type Outcome struct {
	Kind Kind
	Code fault.Code // of its error; 0 for none
	Took time.Duration
	// Plan reports whether a plan was made for it, or kept from an earlier statement.
	Plan PlanSource
	// Rows that were looked at, sent to the client, and written.
	Examined, Returned, Written int64
	// Places where walks over indexes began to read, those of them over entries that can't match, and entries examined
	// without a match.
	Seeks, Jumps, FalsePositives int64
	// Whole says that nothing bounded what was read of a table or an index.
	Whole bool
}

// PlanSource is the source of a statement's plan.
type PlanSource uint8

// The sources.
const (
	PlanNone PlanSource = iota // it has none
	PlanKept
	PlanMade
)

// Engine is the state that all sessions share. It is safe for concurrent use.
type Engine struct {
	options   Options
	db        *database.DB
	variables *variable.Catalog
	plans     *cache.Cache[statement]
	begun     time.Time
	counts    counts
	tables    tables
	locks     userlock.Locks
	schemas   schemas.Statements
	digests   *digest.Table
	open      openTransactions
}

// counts are shown by SHOW STATUS.
type counts struct {
	statements, opened, planned, sessions atomic.Int64
	shortIDs                              atomic.Uint64
	temporaries                           atomic.Int64 // how often a session's temporary tables have changed
	kinds                                 [kindCount]atomic.Int64
}

// New makes an engine.
func New(o Options) *Engine {
	if o.Variables == nil {
		o.Variables = variable.NewCatalog()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now // lint:clock the default of a setting
	}
	if o.Digests == nil {
		o.Digests = digest.New()
	}
	o.PlansMax = cmp.Or(o.PlansMax, 8192)
	e := &Engine{
		options: o, db: o.DB, variables: o.Variables, plans: cache.New[statement](o.PlansMax, o.Memory), begun: o.Now(),
		tables:  tables{known: map[uint32]*definition.Table{}},
		digests: o.Digests,
		schemas: schemas.Statements{DB: o.DB, Where: whereOf, Warnings: o.Warnings, Processes: o.Processes},
	}
	if err := o.DB.DropLost(context.Background()); err != nil {
		o.Logger.Warn("failed to drop temporary tables of processes that are gone", "error", err)
	}
	e.schemas.ViewColumns = e.viewColumns
	e.schemas.Digests, e.schemas.Slow, e.schemas.Transactions = e.digests.Digests, e.digests.Slow, e.open.list
	e.schemas.Waits = o.DB.Waits
	e.schemas.Limits.Compiles = modify.Compiles
	e.schemas.Fill = func(ctx context.Context, table tree.Name, added []string) error {
		return modify.Fill(ctx, o.DB, table, added, o.Now().UnixMicro(), rand.Uint64)
	}
	e.schemas.Greatest = func(ctx context.Context, table tree.Name, column string) (uint64, error) {
		return modify.Greatest(ctx, o.DB, table, column)
	}
	e.schemas.Copy = func(ctx context.Context, from, to tree.Name, number string) error {
		return modify.Copy(ctx, o.DB, from, to, number)
	}
	e.schemas.Verify = func(ctx context.Context, table tree.Name, constraint string) error {
		return modify.Verify(ctx, o.DB, table, constraint)
	}
	return e
}

// LongQuery is the duration from which on a statement is slow, as far as a session doesn't say otherwise: the global
// long_query_time. It is quick.
func (e *Engine) LongQuery() time.Duration { return e.variables.Global().LongQuery }

// Open starts a session for a client that has signed in, in the default database unless it names one. Errors:
// fault.UnknownDatabase.
func (e *Engine) Open(ctx context.Context, login result.Login) (*Session, error) {
	s := &Session{engine: e, running: ctx, login: login, multi: login.MultiStatements}
	if err := s.preset(); err != nil {
		return nil, err
	}
	s.principal, s.waits.Session = principalOf(&login), login.ConnectionID
	s.userMemory.Of = e.options.Memory
	if err := s.Use(ctx, cmp.Or(login.Database, database.DefaultDatabase)); err != nil {
		return nil, err
	}
	e.counts.opened.Add(1)
	e.counts.sessions.Add(1)
	return s, nil
}
