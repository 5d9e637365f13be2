// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/cmd/weft/port"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/metric"
	"github.com/weftdb/weft/internal/server/dynamohttp"
)

// door is one protocol on one port. It listens from the moment it is made.
type door interface {
	Name() string
	Addr() net.Addr
	// Serve answers until Shutdown, and returns nil then.
	Serve() error
	// Shutdown stops accepting, lets requests in flight finish until ctx ends, and cuts off what is left. Calling it again does nothing.
	Shutdown(ctx context.Context) error
}

// startDoors opens the ports of the doors that are on. After an error it returns the doors that are already open, to be shut.
func startDoors(_ context.Context, s *server, db database) ([]door, error) {
	var doors []door
	if s.config.DynamoDBAddr != off {
		if s.config.Auth == "required" {
			return nil, errors.New("the DynamoDB door can't check signatures yet: shut it by --dynamodb-addr off, or use --auth off, which serves this machine only")
		}
		d, err := listenDynamoDB(s, db.(*openedDatabase))
		if err != nil {
			return nil, err
		}
		doors = append(doors, d)
	}
	if s.config.MySQLAddr != off {
		d, err := listenMySQL(s, db.(*openedDatabase))
		if err != nil {
			return doors, err
		}
		doors = append(doors, d)
	}
	return doors, nil
}

// dynamoDoor is DynamoDB's HTTP API on one port.
type dynamoDoor struct {
	*dynamohttp.Server
	listener net.Listener
}

func listenDynamoDB(s *server, db *openedDatabase) (*dynamoDoor, error) {
	counts := s.metrics.Door("dynamodb")
	listener, err := s.bound.Listen(s.config.DynamoDBAddr, port.Door{Name: "dynamodb", Metrics: counts})
	if err != nil {
		return nil, err
	}
	operations := map[string]*metric.Operation{} // immutable from here on
	for _, o := range dynamodb.Operations() {
		operations[o.Name] = counts.Operation(o.Name)
	}
	api := &dynamodb.API{DB: db.db, Region: s.config.Region, AccountID: s.config.AccountID, Observe: func(operation string, examined, returned int64) {
		operations[operation].Read(examined, returned)
	}}
	walks := map[string]*metric.Walks{"Query": counts.Walks("Query"), "Scan": counts.Walks("Scan")} // immutable from here on
	api.ObserveWalk = func(operation string, n weft.Counts) { walks[operation].Walked(n.Seeks, n.Jumps, n.FalsePositives()) }
	return &dynamoDoor{listener: listener, Server: dynamohttp.New(dynamohttp.Options{
		API: api, Region: s.config.Region, Logger: s.log, Metrics: counts, MemoryBytes: s.config.RequestMemoryBytes, CheckAuthorization: true,
		Origins: dynamohttp.Origins(s.config.Origins),
	})}, nil
}

// Name returns the metrics label.
func (d *dynamoDoor) Name() string { return "dynamodb" }

// Addr returns the address with the port that was chosen.
func (d *dynamoDoor) Addr() net.Addr { return d.listener.Addr() }

// Serve answers until Shutdown.
func (d *dynamoDoor) Serve() error { return d.Server.Serve(d.listener) }

// Shutdown ends the door, also one that never served.
func (d *dynamoDoor) Shutdown(ctx context.Context) error {
	err := d.Server.Shutdown(ctx)
	_ = d.listener.Close() // when Serve was never called, the server does not know its listener
	return err
}
