// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/cmd/weft/endpoint"
	"github.com/weftdb/weft/cmd/weft/heatpage"
	"github.com/weftdb/weft/cmd/weft/tablepage"
	"github.com/weftdb/weft/cmd/weft/testcontrol"
	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/dynamodb/kinesis"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/audit"
	"github.com/weftdb/weft/internal/server/console"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/internal/server/hbasejson"
)

// adminBodyBytesMax bounds requests to the admin port.
const adminBodyBytesMax = 1 << 20

// database is the part of the database that the server needs to run it.
type runningDatabase interface {
	// Ready returns nil while reads and writes are taken, else why not. It is quick.
	Ready() error
	// Close ends jobs and closes the store. It is called once, after all protocols have ended.
	Close() error
}

// server is one running weft. The fields before Open's are set by the caller.
type server struct {
	config *config
	log    *slog.Logger
	exit   func(code int) // ends the process at once, when the store can't go on

	tls       *tls.Config // of all ports; nil: plain text
	audit     *audit.Log  // nil: there is none
	metrics   *metric.Set
	shares    endpoint.Shares
	bound     *endpoint.Bound // of the connections of all protocols but the admin's
	queries   *survey.Queries
	digests   *digest.Table
	heat      *heatpage.Watch
	database  runningDatabase
	kinesis   *kinesis.Sender // nil: changes are sent nowhere
	gate      *gate
	dynamo    *dynamohttp.Server    // as its port serves it, and the web console
	own       *dynamohttp.OwnTables // of DynamoDB's clients; nil: they share their tables
	sql       *sqlService
	scans     *hbasejson.Server
	sessions  console.Sessions // of the web console
	protocols []protocol       // the admin port, if any, is last: it answers until the end
	failed    chan error
	serving   sync.WaitGroup
	phase     atomic.Pointer[string] // why requests are not taken; nil while they are
	close     sync.Once
	backingUp sync.Mutex                    // held while a backup is made
	backup    atomic.Pointer[runningBackup] // nil while none is made

	controls *testcontrol.Controls

	stopWarning func() // ends warnWhileShut; nil if that never began
}

// phases of a server, immutable.
var (
	starting = "starting"
	draining = "draining"
	stopped  = "stopped"
)

// Open opens the admin port, then the database, then the other protocols. When it returns nil, requests are being
// answered. After an error, everything is closed again.
func (s *server) Open(ctx context.Context) error {
	begun := time.Now()
	s.phase.Store(&starting)
	s.metrics, s.heat, s.queries, s.digests = metric.New(build()), heatpage.New(), survey.NewQueries(), digest.New()
	s.failed = make(chan error, 8)
	s.openControls()
	s.shareFiles()
	if err := s.open(ctx); err != nil {
		return errors.Join(err, s.Close())
	}
	s.phase.Store(nil)
	attrs := []any{"version", version, "engine", s.config.Engine, "ms", time.Since(begun).Milliseconds()}
	if dir := s.config.dataDir(); dir != "" {
		attrs = append(attrs, "data", absolute(dir))
	}
	for _, d := range s.protocols {
		attrs = append(attrs, d.Name(), d.Addr().String())
	}
	if url, on := s.endpoints()["console"]; on {
		attrs = append(attrs, "console", url)
	}
	s.log.Info("ready", attrs...)
	return nil
}

// openGate finds out whether there are users, and if nobody can sign in without one, says so in the log until there is.
func (s *server) openGate(db runningDatabase) {
	opened, ok := db.(*openedDatabase)
	if !ok {
		return
	}
	s.gate = &gate{server: s, accounts: opened.db.Accounts(), guard: s.guardOf(opened),
		throttle: account.NewThrottle(time.Now)}
	if s.config.Auth != "required" || s.config.idle {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ticker := time.NewTicker(warnInterval)
	s.stopWarning = func() { cancel(); ticker.Stop() }
	s.serving.Go(func() { s.warnWhileShut(ctx, ticker.C) })
}

// warnOfInsecure tells what --insecure allows.
func (s *server) warnOfInsecure() {
	if !s.config.Insecure {
		return
	}
	if s.config.Auth != "required" {
		s.log.Warn("authentication is off for all addresses: anyone who reaches a port can read and write everything")
	}
	if s.tls == nil && slices.ContainsFunc(s.config.listeners(),
		func(l listener) bool { return !loopback(l.address) }) {
		s.log.Warn("there is no TLS: anyone on the network between a client and a port can read what they send")
	}
}

// warnOfModes tells of secrets that other accounts of this machine may read, and of data that they may replace.
func (s *server) warnOfModes() {
	for _, one := range []struct {
		path string
		bits fs.FileMode
		why  string
	}{
		{s.config.MasterKeyFile, 0o077,
			"other accounts may use the master key, which decrypts the secrets of access keys: chmod 600"},
		{s.config.TLS.Key, 0o077, "other accounts may use the key of the certificate: chmod 600"},
		{s.config.dataDir(), 0o022, "other accounts may change the data: chmod 700"},
	} {
		if one.path == "" {
			continue
		}
		if info, err := os.Stat(one.path); err == nil && info.Mode().Perm()&one.bits != 0 && runtime.GOOS != "windows" {
			s.log.Warn(one.why, "path", one.path, "mode", fmt.Sprintf("%#o", info.Mode().Perm()))
		}
	}
}

// shareFiles bounds the connections so that the store has the file descriptors that it needs.
func (s *server) shareFiles() {
	s.shares = endpoint.ShareOut()
	s.bound = endpoint.NewBound(s.shares.Connections, s.log).PerAddress(s.config.AddressConnections)
	if s.shares.Connections < s.config.MySQLConnections && s.config.MySQLAddr != off {
		s.log.Warn("the limit of open files (ulimit -n) allows fewer connections than mysql-connections; raise it",
			"files", s.shares.Files, "connections", s.shares.Connections, "mysql_connections",
			s.config.MySQLConnections)
	}
}

func (s *server) open(ctx context.Context) error {
	if err := s.openAudit(); err != nil {
		return err
	}
	if s.config.TLS.Certificate != "" {
		certificates, err := endpoint.ReadCertificates(s.config.TLS, s.log)
		if err != nil {
			return err
		}
		s.tls = certificates.Config()
	}
	if s.config.AdminAddr != off {
		admin, err := s.adminPort()
		if err != nil {
			return err
		}
		s.start(admin)
	}
	s.warnOfInsecure()
	s.warnOfModes()
	if err := s.tryPorts(); err != nil {
		return err
	}
	db, err := openDatabase(ctx, s)
	if err != nil {
		return fmt.Errorf("failed to open the database: %w", err)
	}
	s.database = db
	s.openGate(db)
	s.startKinesis(ctx, db)
	protocols, err := startProtocols(ctx, s, db)
	if err == nil {
		err = s.sow(ctx)
	}
	for _, d := range protocols {
		s.start(d)
	}
	if opened, ok := db.(*openedDatabase); ok && err == nil {
		err = s.controls.Start(ctx, opened.db)
	}
	return err
}

// tryPorts opens the ports of the protocols for a moment: one that another program has must not end a server that has
// just made a folder for its data.
func (s *server) tryPorts() error {
	for _, port := range []struct{ name, addr string }{{"dynamodb", s.config.DynamoDBAddr},
		{"mysql", s.config.MySQLAddr}, {"hbase", s.config.HBaseAddr}, {"hbase-thrift1", s.config.HBaseThrift1Addr}} {
		if port.addr == off {
			continue
		}
		l, err := s.bound.Listen(port.addr, endpoint.Protocol{Name: port.name})
		if err != nil {
			return err
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) adminPort() (protocol, error) {
	pages := []console.Page{
		{Pattern: "GET /advise", For: console.Readers,
			Help:    "advice on the keys and indexes of ?table=NAME, or one line for each table",
			Handler: s.page(s.advicePage)},
		{Pattern: "GET /indexes", For: console.Readers, Help: "the indexes of ?table=NAME",
			Handler: s.page(tablepage.IndexesPage)},
		{Pattern: "GET /regions", For: console.Readers, Help: "the regions of ?table=NAME, or of all tables",
			Handler: s.page(tablepage.RegionsPage)},
		{Pattern: "GET /hot", For: console.Readers,
			Help:    "hot rows, hot ranges and growing keys of ?table=NAME, or of all tables",
			Handler: s.page(s.heat.Page)},
		{Pattern: "GET /api/heat", For: console.Readers, Help: "the heat map: requests by key and time, as JSON",
			Handler: s.page(s.heat.HeatMap)},
		{Pattern: "GET /key", For: console.Readers, Help: "the raw key ?key=0x.., decoded", Handler: s.page(keyPage)},
		{Pattern: "GET /api/tables", For: console.Readers,
			Help: "all tables, with their keys, indexes and sizes, as JSON", Handler: s.page(tablepage.TablesPage)},
		{Pattern: "GET /api/server", For: console.Readers,
			Help: "version, engine, folder and endpoints of the server, as JSON", Handler: s.page(s.serverPage)},
		{Pattern: "GET /api/work", For: console.Readers,
			Help:    "work that goes on in the background, or has ended in the last hour, as JSON",
			Handler: s.page(s.workPage)},
		{Pattern: "GET /api/session", For: console.Anyone, Help: "whether access control is on, and the signed-in user",
			Handler: s.sessionHandler},
		{Pattern: "POST /api/session", For: console.Visitors, Help: "sign in: returns a token for {user, password}",
			Handler: s.signInHandler},
		{Pattern: "DELETE /api/session", For: console.Visitors, Help: "sign out", Handler: s.signOutHandler},
		{Pattern: "POST /api/dynamodb", For: console.Users, Help: "a request of DynamoDB's API, unsigned",
			Handler: s.whenReady(s.dynamoHandler), Streams: true},
		{Pattern: "POST /api/advise", For: console.Users,
			Help: "advice on a table and access patterns that are described as JSON", Handler: adviceOnPatterns},
		{Pattern: "POST /api/sql", For: console.Users, Help: "run a statement of SQL: lines of JSON",
			Handler: s.whenReady(func(w http.ResponseWriter, r *http.Request) { s.sql.lines.ServeHTTP(w, r) }),
			Streams: true},
		{Pattern: "POST /api/hbase/scan", For: console.Users, Help: "scan a table of HBase's APIs: lines of JSON",
			Handler: s.whenReady(func(w http.ResponseWriter, r *http.Request) { s.scans.ServeHTTP(w, r) }),
			Streams: true},
		{Pattern: "GET /api/users", For: console.Administrators,
			Help:    "users and roles with their policies, grants and access keys, without secrets",
			Handler: s.whenReady(s.listUsersHandler)},
		{Pattern: "POST /users", For: console.Administrators, Help: "change users; weft user sends this request",
			Handler: s.usersHandler},
		{Pattern: "POST /backup", For: console.Administrators,
			Help: "back up the whole database; weft backup sends this request", Handler: s.backupHandler},
		{Pattern: "POST /restore", For: console.Administrators,
			Help: "restore a table as it was; weft restore --table sends this request", Handler: s.restoreHandler},
	}
	pages = append(pages, s.controls.Pages()...)
	handler := console.Handler(console.Options{Metrics: s.metrics.Gatherer(), Ready: s.Ready, Log: s.log,
		Pages: pages, Hosts: s.hosts(s.config.AdminAddr), Judge: s.judgeAndKeep,
		Names: s.seesNames})
	return endpoint.ListenHTTP(endpoint.Options{Name: "admin", Addr: s.config.AdminAddr, TLS: s.tls,
		Bound:  endpoint.NewBound(s.shares.Admin, s.log).Replacing(),
		WithID: withRequestID, Handler: handler, BodyBytesMax: adminBodyBytesMax, Log: s.log, Metrics: s.metrics})
}

// hosts says by which names clients may call an HTTP port.
func (s *server) hosts(address string) func(host string) bool {
	return endpoint.Hosts{Own: loopback(address), Names: s.config.Hosts}.Allows
}

// start serves a protocol in the background. Protocols are kept with the admin port last.
func (s *server) start(d protocol) {
	s.protocols = append([]protocol{d}, s.protocols...)
	s.serving.Go(func() {
		if err := d.Serve(); err != nil {
			s.failed <- fmt.Errorf("the %s port failed: %w", d.Name(), err)
		}
	})
}

// Ready returns nil while requests are answered, else why not.
func (s *server) Ready() error {
	if phase := s.phase.Load(); phase != nil {
		return errors.New(*phase)
	}
	return s.database.Ready()
}

// Run waits until ctx ends or a protocol fails, then drains: the server is no longer ready, protocols accept nothing
// new, and requests in flight have config.Drain to finish. It returns the failure, if that was the reason. Call Close
// afterwards.
func (s *server) Run(ctx context.Context) error {
	var err error
	select {
	case <-ctx.Done():
	case err = <-s.failed:
		s.log.Error("stopping", "error", err)
	}
	s.drain()
	return err
}

// drain ends all protocols except the admin port at the same time.
func (s *server) drain() {
	s.phase.Store(&draining)
	s.log.Info("draining", "at_most", s.config.Drain.String())
	ctx, cancel := context.WithTimeout(context.Background(), s.config.Drain)
	defer cancel()
	var group sync.WaitGroup
	for _, d := range s.protocols {
		if d.Name() == "admin" {
			continue
		}
		group.Go(func() {
			if err := d.Shutdown(ctx); err != nil {
				s.log.Warn("running requests were cut off", "protocol", d.Name(), "error", err)
			}
		})
	}
	group.Wait()
}

// Close ends the protocols that still run, then closes the database. Only the first call does anything.
func (s *server) Close() error {
	var errs []error
	s.close.Do(func() {
		if s.phase.Load() == nil {
			s.phase.Store(&stopped)
		}
		over, cancel := context.WithCancel(context.Background())
		cancel()
		for _, d := range s.protocols {
			if d.Name() != "admin" {
				_ = d.Shutdown(over) // it only says that it cut requests off
			}
		}
		if s.stopWarning != nil {
			s.stopWarning()
		}
		if s.kinesis != nil {
			s.kinesis.Close()
		}
		if s.database != nil {
			errs = append(errs, s.database.Close())
		}
		s.heat.Close()
		for _, d := range s.protocols {
			if d.Name() == "admin" {
				_ = d.Shutdown(over)
			}
		}
		s.serving.Wait()
		errs = append(errs, s.audit.Close())
		s.log.Info("stopped")
	})
	return errors.Join(errs...)
}

// fatal is called by an engine that can't go on. Nothing that was acknowledged is lost; a restart recovers it.
func (s *server) fatal(err error) {
	s.log.Error("the store has failed; the process exits", "error", err, "exit_code", exitStore)
	s.exit(exitStore)
}
