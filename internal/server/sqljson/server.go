// SPDX-License-Identifier: Apache-2.0

package sqljson

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// Limits of requests.
const (
	statementsMax = 32     // that run at once
	rowsPreset    = 1_000  // of an answer
	rowsMax       = 50_000 // that a request may ask for
)

// firstConnection is the number of the first session. MySQL's connections count from 1, so that KILL never confuses the
// two.
const firstConnection = 1 << 31

// Options are the settings of a Server. Open must be set.
type Options struct {
	// Open opens a session.
	Open func(ctx context.Context, login result.Login) (*sql.Session, error)
	// Login returns the principal of a request. Default: none.
	Login func(r *http.Request) result.Login
}

// Server answers statements, each in a session of its own. It is safe for concurrent use.
type Server struct {
	options Options
	mu      sync.Mutex
	next    uint32
	running map[uint32]*statement
}

// statement is one that runs.
type statement struct {
	login result.Login
	text  string
	begun time.Time
	end   context.CancelFunc
}

// New makes a server.
func New(o Options) *Server {
	if o.Login == nil {
		o.Login = func(*http.Request) result.Login { return result.Login{} }
	}
	return &Server{options: o, next: firstConnection, running: map[uint32]*statement{}}
}

// request is the body of a request.
type request struct {
	Statement string `json:"statement"`
	Database  string `json:"database"` // to start in; empty: default
	RowsMax   int    `json:"rowsMax"`  // after which the answer ends; 0: 1,000
	ReadOnly  bool   `json:"readOnly"` // nothing but statements that read are taken
	Refuse    bool   `json:"refuse"`   // inefficient queries are refused, whatever the table is
}

// ServeHTTP runs the statement of a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked request
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, `the body must be JSON, such as {"statement": "SHOW TABLES"}: `+err.Error(),
			http.StatusBadRequest)
		return
	}
	if asked.RowsMax < 0 || asked.RowsMax > rowsMax {
		http.Error(w, fmt.Sprintf("rowsMax must be 1 to %d", rowsMax), http.StatusBadRequest)
		return
	}
	asked.RowsMax = cmp.Or(asked.RowsMax, rowsPreset)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	login := s.options.Login(r)
	login.Database = asked.Database
	login.Database = cmp.Or(login.Database, "default")
	if !s.begin(&login, asked.Statement, cancel) {
		http.Error(w, "too many statements are running: try again", http.StatusServiceUnavailable)
		return
	}
	defer s.finish(login.ConnectionID)
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // for proxies that would collect lines
	sink := newSink(w, asked.RowsMax)
	sink.finish(s.run(ctx, login, &asked, sink))
}

// run runs a text in a new session.
func (s *Server) run(ctx context.Context, login result.Login, asked *request, sink *sink) error {
	session, err := s.options.Open(ctx, login)
	if err != nil {
		return err
	}
	defer session.Close()
	session.SetMultiStatements(true)
	if asked.Refuse {
		if err := session.Query(ctx, []byte("SET inefficient_query = 'refuse'"), result.Nowhere{}); err != nil {
			return err
		}
	}
	if asked.ReadOnly {
		session.SetReadsOnly()
	}
	return session.Query(ctx, []byte(asked.Statement), sink)
}

// begin notes a statement and numbers its session; ok is false if too many run.
func (s *Server) begin(login *result.Login, text string, cancel context.CancelFunc) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) >= statementsMax {
		return false
	}
	if s.next++; s.next < firstConnection {
		s.next = firstConnection
	}
	login.ConnectionID = s.next
	// lint:clock how long it runs is for people
	s.running[s.next] = &statement{*login, sql.Show(text), time.Now(), cancel}
	return true
}

func (s *Server) finish(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, id)
}

// Processes lists the statements that run, as SHOW PROCESSLIST shows connections.
func (s *Server) Processes() (list []result.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, one := range s.running {
		list = append(list, result.Process{
			ID: id, User: one.login.User, Host: one.login.Host, Database: one.login.Database, Command: "Query",
			Seconds: int64(time.Since(one.begun).Seconds()), Info: one.text,
		})
	}
	slices.SortFunc(list, func(a, b result.Process) int { return int(int64(a.ID) - int64(b.ID)) })
	return list
}

// Kill ends the statement of a session; ok is false if there is none of that number.
func (s *Server) Kill(id uint32) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.running[id]
	if one != nil {
		one.end()
	}
	return one != nil
}

// faultOf is an error as clients see it.
func faultOf(err error) *fault.Error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return fault.Message(fault.Unknown, "the statement failed: see the server's log")
}
