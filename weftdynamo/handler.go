// SPDX-License-Identifier: Apache-2.0

// Package weftdynamo serves DynamoDB's API within the program, over a weft.DB that is open: an http.Handler for the
// program's own server, whose tables are those of the other APIs, too.
//
// Handler checks that requests have the form of signed ones, as all AWS SDKs send them, but no signatures: whoever
// reaches it may do everything. Package wefttest gives tests an endpoint of their own.
//
// Knows: how the API and its HTTP side are put together.
// Never: ports, operations, users.
package weftdynamo

import (
	"log/slog"
	"net/http"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/database/inside"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/storage"
)

// Options are the settings of a Handler. The zero value works.
type Options struct {
	// Region and AccountID stand in ARNs. Defaults: us-east-1 and 000000000000.
	Region, AccountID string
	// MemoryBytes bounds what all requests hold together: their bodies, items and answers. Those beyond it wait, and
	// then have to be sent again. Default: 256 MiB, at least 16 MiB.
	MemoryBytes int64
	// Buckets opens the bucket of a name, for exports, imports and bulk puts. One Handler of a database does that work.
	// Default: there are none.
	Buckets func(name string) (storage.Storage, error)
	// Dir is the folder for temporary files of exports. Default: none; exports fail.
	Dir string
	// Faults lets requests fail or wait on purpose, for tests. Default: none does.
	Faults *Faults
	// Logger takes failures at level error, and each request at level debug: never keys or values. Default:
	// slog.Default().
	Logger *slog.Logger
}

// Handler returns a handler of DynamoDB's API, which clients reach at the path /. It is of no use once the database is
// closed: shut the server down first.
func Handler(db *weft.DB, o Options) http.Handler {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	api := &dynamodb.API{DB: db.Inside(inside.Key{}), Region: o.Region, AccountID: o.AccountID, Buckets: o.Buckets,
		Dir: o.Dir, Faults: o.Faults}
	if o.Buckets != nil {
		api.Serve()
	}
	return dynamohttp.New(dynamohttp.Options{API: api, Region: o.Region, MemoryBytes: o.MemoryBytes, Logger: o.Logger,
		CheckAuthorization: true})
}
