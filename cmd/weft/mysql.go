// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/weftdb/weft/cmd/weft/endpoint"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/server/mysqlwire"
	"github.com/weftdb/weft/internal/server/sqljson"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/variable"
)

// sqlService is the dialect with what its sessions share. It serves MySQL's protocol, if that is on, and the web
// console.
type sqlService struct {
	engine *sql.Engine
	memory *memory.Budget
	counts *metric.Protocol
	wire   *mysqlwire.Server // nil: MySQL's protocol is off
	lines  *sqljson.Server
}

// openSQL makes the engine. listener belongs to MySQL's port, nil if it is off.
func openSQL(s *server, db *openedDatabase, listener net.Listener, counts *metric.Protocol) (*sqlService, error) {
	q := &sqlService{memory: memory.New(s.config.division().Statements), counts: counts}
	s.metrics.ObserveSQLMemory(q.memory.Limit, q.memory.Used, q.memory.Refused)
	variables, err := presetVariables(s, listener, s.tls != nil)
	if err != nil {
		return nil, err
	}
	var guard *permission.Guard
	if s.config.Auth != "off" {
		guard = s.gate.guard
	}
	spills, err := spill.Open(s.config.spillDir(), s.config.SQLDiskBytes)
	if err != nil {
		return nil, err
	}
	q.engine = sql.New(sql.Options{
		DB: db.db, Guard: guard, Memory: q.memory, Variables: variables, Logger: s.log, Spill: spills,
		Observer:  newObserver(s.metrics, q.counts),
		Processes: q.processes, Kill: q.kill, Warnings: s.heat.Warnings, Digests: s.digests,
	})
	q.lines = sqljson.New(sqljson.Options{Open: q.engine.Open, Login: loginOf})
	return q, nil
}

// processes lists the connections of MySQL's clients and the statements of the web console.
func (q *sqlService) processes() (list []result.Process) {
	if q.wire != nil {
		list = q.wire.Processes()
	}
	return append(list, q.lines.Processes()...)
}

// kill ends one of them.
func (q *sqlService) kill(id uint32, queryOnly bool) bool {
	return q.lines.Kill(id) || q.wire != nil && q.wire.Kill(id, queryOnly) == nil
}

// listenMySQL opens the port and makes the dialect.
func listenMySQL(s *server, db *openedDatabase) (protocol, error) {
	counts := s.metrics.Protocol("mysql")
	listener, err := s.bound.Listen(s.config.MySQLAddr, endpoint.Protocol{Name: "mysql", Metrics: counts, Tells: true})
	if err != nil {
		return nil, err
	}
	if s.sql, err = openSQL(s, db, listener, counts); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s.sql.wire = newWire(s, db, counts)
	return &port{s.sql.wire, "mysql", listener}, nil
}

// newWire makes the side of MySQL's protocol that clients connect to.
func newWire(s *server, db *openedDatabase, counts *metric.Protocol) *mysqlwire.Server {
	options := mysqlwire.Options{
		Memory: s.sql.memory,
		Logger: s.log, Metrics: counts, Version: variable.ServerVersion, ConnectionsMax: s.config.MySQLConnections,
		UserConnectionsMax: s.config.UserConnections, IdleTimeout: sessionIdleTimeout,
	}
	options.TLS, options.TLSRequired = s.tls, s.config.mysqlNeedsTLS()
	if options.AuthenticateWarn = s.config.Auth == "warn"; s.config.Auth != "off" {
		options.Authenticate = func(user string) (mysqlwire.Verifier,
			bool) {
			return verifierOf(s, db.db.Accounts(), user)
		}
		options.Judge = s.gate.judgeLogin
	}
	options.Open = func(ctx context.Context, login result.Login) (mysqlwire.Session, error) {
		return openSession(ctx, s.sql.engine, login)
	}
	return mysqlwire.New(options)
}

// sessionIdleTimeout is the time a connection may wait for its next command; the variable wait_timeout shows it.
const sessionIdleTimeout = 10 * time.Minute

// presetVariables are the system variables, with what this server knows of itself.
func presetVariables(s *server, listener net.Listener, secure bool) (*variable.Catalog, error) {
	port := "0"
	if listener != nil {
		var err error
		if _, port, err = net.SplitHostPort(listener.Addr().String()); err != nil {
			return nil, err
		}
	}
	have := map[bool]string{true: "YES", false: "DISABLED"}[secure]
	variables := variable.NewCatalog()
	var err error
	for _, v := range [...][2]string{
		{"port", port}, {"have_ssl", have}, {"have_openssl", have},
		{"max_connections", strconv.Itoa(min(s.config.MySQLConnections, s.shares.Connections))},
		{"wait_timeout", strconv.Itoa(int(sessionIdleTimeout.Seconds()))},
		{"interactive_timeout", strconv.Itoa(int(sessionIdleTimeout.Seconds()))},
	} {
		err = errors.Join(err, variables.Preset(v[0], v[1]))
	}
	return variables, err
}

// openSession keeps a nil *sql.Session from becoming a Session that is not nil.
func openSession(ctx context.Context, engine *sql.Engine, login result.Login) (mysqlwire.Session, error) {
	session, err := engine.Open(ctx, login)
	if err != nil {
		return nil, err
	}
	return session, nil
}

// decoy is read for users that there are none of, so that they take as long as others. // immutable
var decoy = []byte(`{"name":"nobody","sha1":"AAAAAAAAAAAAAAAAAAAAAAAAAAA=","sha256":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","createdAtMS":0}`)

// verifierOf returns the verifier of a user's password.
func verifierOf(s *server, accounts *database.Accounts, user string) (v mysqlwire.Verifier, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), accountTimeout)
	defer cancel()
	account, ok, err := accounts.Get(ctx, user)
	if err != nil {
		s.log.Error("failed to read an account", "user", user, "error", err)
	}
	if !ok {
		_ = json.Unmarshal(decoy, &account) // it is for the time that it takes
	}
	if err != nil || !ok || len(account.SHA1) != len(v.NativeSHA1) || len(account.SHA256) != len(v.SHA256) {
		return v, false
	}
	copy(v.NativeSHA1[:], account.SHA1)
	copy(v.SHA256[:], account.SHA256)
	v.Credential = account.Credential()
	return v, true
}

// observer counts statements by their kinds, errors by their codes, plans and rows. It is immutable.
type observer struct {
	set        *metric.Set
	plans      *metric.SQLStatements
	operations []*metric.Operation // by kind, as are the next two
	walks      []*metric.Walks
	written    []func(rows int64)
}

func newObserver(set *metric.Set, counts *metric.Protocol) *observer {
	o := &observer{set: set, plans: set.SQL()}
	for _, kind := range sql.Kinds() {
		name := kind.String()
		o.operations = append(o.operations, counts.Operation(name))
		o.walks = append(o.walks, counts.Walks(name))
		o.written = append(o.written, o.plans.Written(name))
	}
	return o
}

// Begin is sql.Observer's.
func (o *observer) Begin() { o.operations[0].Begin() } // in flight are statements of all kinds together

// End is sql.Observer's.
func (o *observer) End(e *sql.Outcome) {
	operation := o.operations[e.Kind]
	operation.End(metric.Request{Outcome: outcomeOf(e.Code), Seconds: e.Took.Seconds()})
	operation.Read(e.Examined, e.Returned)
	o.walks[e.Kind].Walked(e.Seeks, e.Jumps, e.FalsePositives)
	o.written[e.Kind](e.Written)
	if e.Plan != sql.PlanNone {
		o.plans.Planned(e.Plan == sql.PlanKept)
	}
	if e.Code != 0 {
		o.set.SQLFailed(int(e.Code))
	}
}

// outcomeOf is how a statement ended that answered a code.
func outcomeOf(code fault.Code) metric.Outcome {
	switch code {
	case 0:
		return metric.OK
	case fault.Deadlock, fault.LockWaitTimeout:
		return metric.Conflict
	case fault.Interrupted, fault.StatementTimeout, fault.ShuttingDown:
		return metric.Canceled
	case fault.Unknown, fault.UnknownOutcome:
		return metric.Failed
	}
	return metric.Refused
}
