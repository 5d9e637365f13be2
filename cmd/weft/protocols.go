// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"time"

	"github.com/weftdb/weft/cmd/weft/endpoint"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/server/dynamohttp"
)

// protocol serves one protocol on one port. It listens from the moment it is made.
type protocol interface {
	Name() string
	Addr() net.Addr
	// Serve answers until Shutdown, and returns nil then.
	Serve() error
	// Shutdown stops accepting, lets requests in flight finish until ctx ends, and cuts off what is left. Calling it
	// again does nothing.
	Shutdown(ctx context.Context) error
}

// startProtocols opens the ports of the protocols that are on. After an error it returns the protocols that are already
// open, to be shut.
func startProtocols(_ context.Context, s *server, db runningDatabase) ([]protocol, error) {
	var protocols []protocol
	var err error
	if s.config.DynamoDBAddr != off {
		d, err := listenDynamoDB(s, db.(*openedDatabase))
		if err != nil {
			return nil, err
		}
		protocols = append(protocols, d)
	} else if s.dynamo, err = openDynamoDB(s, db.(*openedDatabase),
		dynamohttp.Options{SignersWarn: s.config.Auth == "warn"}); err != nil {
		return nil, err
	}
	if s.config.MySQLAddr != off {
		d, err := listenMySQL(s, db.(*openedDatabase))
		if err != nil {
			return protocols, err
		}
		protocols = append(protocols, d)
	} else if s.sql, err = openSQL(s, db.(*openedDatabase), nil, s.metrics.Protocol("mysql")); err != nil {
		return protocols, err
	}
	apis, err := listenHBase(s, db.(*openedDatabase))
	return append(protocols, apis...), err
}

// port is a protocol with its listener.
type port struct {
	server interface {
		Serve(net.Listener) error
		Shutdown(context.Context) error
	}
	name     string
	listener net.Listener
}

// Name returns the metrics label.
func (p *port) Name() string { return p.name }

// Addr returns the address with the port that was chosen.
func (p *port) Addr() net.Addr { return p.listener.Addr() }

// Serve answers until Shutdown.
func (p *port) Serve() error { return p.server.Serve(p.listener) }

// Shutdown ends the server. One that never served does not know its listener.
func (p *port) Shutdown(ctx context.Context) error {
	err := p.server.Shutdown(ctx)
	if closeErr := p.listener.Close(); err == nil && !errors.Is(closeErr, net.ErrClosed) {
		err = closeErr
	}
	return err
}

func listenDynamoDB(s *server, db *openedDatabase) (protocol, error) {
	options, err := signersOf(s, db)
	if err != nil {
		return nil, err
	}
	options.Hosts = s.hosts(s.config.DynamoDBAddr)
	if s.dynamo, err = openDynamoDB(s, db, options); err != nil {
		return nil, err
	}
	listener, err := s.bound.Listen(s.config.DynamoDBAddr,
		endpoint.Protocol{Name: "dynamodb", Metrics: s.metrics.Protocol("dynamodb"), TLS: s.tls})
	if err != nil {
		return nil, err
	}
	return &port{s.dynamo, "dynamodb", listener}, nil
}

// openDynamoDB makes DynamoDB's API, for its own port and for the web console.
func openDynamoDB(s *server, db *openedDatabase, options dynamohttp.Options) (*dynamohttp.Server, error) {
	counts := s.metrics.Protocol("dynamodb")
	operations := map[string]*metric.Operation{} // immutable from here on
	for _, o := range dynamodb.Operations() {
		operations[o.Name] = counts.Operation(o.Name)
	}
	api := &dynamodb.API{DB: db.db, Region: s.config.Region, AccountID: s.config.AccountID, Kinesis: s.kinesis != nil,
		AcceptEncryption: s.config.AcceptEncryption,
		Statements:       s.digests, Slow: s.slowFrom, Observe: func(operation string, examined, returned int64) {
			operations[operation].Read(examined, returned)
		}}
	api.Contributors = func(table, index string) (list []dynamodb.Contributor) {
		s.heat.Top(db.db, table, index, func(key, direction string, count, share float64) {
			list = append(list, dynamodb.Contributor{Key: key, Direction: direction, Count: count, Share: share})
		})
		return list
	}
	if s.config.BeyondAWS {
		api.Options = dynamodb.BeyondAWS(int(s.config.ItemBytes))
	}
	if s.config.Throttle != off {
		reports := s.config.Throttle == "report"
		api.Limiter = s.heat.Limiter(reports, s.config.ThrottleKeys, s.metrics.Throughput(reports))
	}
	if s.config.Auth != "off" {
		api.Guard = s.gate.guard
		options.Signers = consoleSigners{options.Signers}
	}
	buckets, err := bucketsOf(s.config.Buckets, os.Environ())
	if err != nil {
		return nil, err
	}
	api.Buckets, api.Dir = buckets, s.config.workDir()
	walks := map[string]*metric.Walks{} // immutable from here on
	for _, o := range dynamodb.Operations() {
		if o.Walks() {
			walks[o.Name] = counts.Walks(o.Name)
		}
	}
	api.ObserveWalk = func(operation string, n database.Counts) {
		walks[operation].Walked(n.Seeks, n.Jumps, n.FalsePositives())
	}
	if s.config.TestControls {
		api.Faults = &s.controls.Faults
	}
	api.Serve()
	options.API, options.Region, options.Logger, options.Metrics = api, s.config.Region, s.log, counts
	options.MemoryBytes, options.Origins = s.config.division().Requests, dynamohttp.Origins(s.config.Origins)
	s.own = s.ownTables(api)
	options.Within = withinDatabase(api, s.own)
	options.Refused = s.auditSignature
	options.CheckAuthorization = true
	return dynamohttp.New(options), nil
}

// signersOf returns the configured signers of requests.
func signersOf(s *server, db *openedDatabase) (o dynamohttp.Options, err error) {
	o.CheckAuthorization = true
	if s.config.Auth == "off" {
		return o, nil
	}
	accounts, err := s.config.accountsOf(db.db)
	if err != nil {
		return o, err
	}
	if !accounts.HasMaster() {
		return o, fmt.Errorf("auth is %s, but the DynamoDB API needs a master key to check signatures: set master-key-file, or set dynamodb-addr to off", s.config.Auth)
	}
	o.Signers, o.SignersWarn = guardedSigners{account.NewSigners(accounts), s.gate}, s.config.Auth == "warn"
	return o, nil
}

// guardOf decides what users may do.
func (s *server) guardOf(db *openedDatabase) *permission.Guard {
	o := permission.Options{Account: s.config.AccountID, Region: s.config.Region, Warn: s.config.Auth == "warn",
		Logger: s.log}
	if s.audit != nil {
		o.Observe = s.auditDecision
	}
	return permission.New(db.db.Accounts(), o)
}

// slowFrom is from how long on a request is slow. Without SQL, whose variable says so, none is: its port could not be
// had, and the server is about to end.
func (s *server) slowFrom() time.Duration {
	if s.sql == nil {
		return math.MaxInt64
	}
	return s.sql.engine.LongQuery()
}
