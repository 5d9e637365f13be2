// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/security/signature"
)

// Owner says whose tables a client sees.
type Owner string

// The owners.
const (
	OwnerOff       Owner = "off"        // everybody sees all tables
	OwnerKey       Owner = "key"        // each access key has its own
	OwnerKeyRegion Owner = "key-region" // each access key has its own in each region
)

// Database is the database with the tables of an access key in a region: no other client's. by must not be OwnerOff.
func (by Owner) Database(key, region string) string {
	name := "key-" + strings.ReplaceAll(key, "\x00", "")
	if by == OwnerKeyRegion {
		name += "-" + strings.ReplaceAll(region, "\x00", "")
	}
	return name
}

// OwnTables gives clients the tables of the access key which their requests name. Keys need not exist, and signatures
// are not verified. The tables of a key are in a database of its name, which is made with the first one. A key of
// twelve digits is the account in ARNs. All fields but Begin must be set.
type OwnTables struct {
	API *dynamodb.API
	By  Owner
	// Begin is called before the first request for the tables of a database is answered, with the API that answers
	// it. The request fails with its error, and the next one is the first again. Default: nothing is done.
	Begin func(ctx context.Context, api *dynamodb.API, database string) error
	known sync.Map // by the name of the database: *ownTables
}

// Of returns the API of a request. It is for Options.Within.
func (o *OwnTables) Of(r *http.Request) API {
	key, region := signature.Named(r)
	name := o.By.Database(key, region)
	if own, ok := o.known.Load(name); ok {
		return own.(*ownTables)
	}
	if o.By != OwnerKeyRegion {
		region = ""
	}
	own, _ := o.known.LoadOrStore(name, &ownTables{of: o, name: name, api: o.API.Own(name, region, accountOf(key))})
	return own.(*ownTables)
}

// Forget makes the next request for a database that has no tables the first one again.
func (o *OwnTables) Forget() {
	o.known.Range(func(name, _ any) bool {
		if len(o.API.DB.Tables(name.(string), "", 1)) == 0 {
			o.known.Delete(name)
		}
		return true
	})
}

// ownTables is the API of one database.
type ownTables struct {
	of    *OwnTables
	name  string
	api   *dynamodb.API
	begun atomic.Bool
	mu    sync.Mutex // held during Begin
}

// Run implements API.
func (o *ownTables) Run(ctx context.Context, op *dynamodb.Operation, body, dst []byte) ([]byte, error) {
	if !o.begun.Load() {
		if err := o.begin(ctx); err != nil {
			return dst, err
		}
	}
	return o.api.Run(ctx, op, body, dst)
}

// begin does what must be done before the first request.
func (o *ownTables) begin(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of.Begin != nil && !o.begun.Load() {
		if err := o.of.Begin(context.WithoutCancel(ctx), o.api, o.name); err != nil {
			return exception.New(exception.KindInternal, "The tables of this access key can't be made: "+err.Error())
		}
	}
	o.begun.Store(true)
	return nil
}

// accountOf is the account that an access key stands for; "" for most.
func accountOf(key string) string {
	if len(key) == 12 && strings.Trim(key, "0123456789") == "" {
		return key
	}
	return ""
}
