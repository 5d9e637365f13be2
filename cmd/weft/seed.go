// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/weftdb/weft/cmd/weft/seed"
	"github.com/weftdb/weft/cmd/weft/testcontrol"
	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/internal/sql/result"
)

// sow makes the tables of --schema and loads the items of --seed, before clients are answered.
func (s *server) sow(ctx context.Context) (err error) {
	if len(s.config.Schema) == 0 && s.config.Seed == "" || s.config.idle {
		return nil
	}
	db := s.database.(*openedDatabase).db
	api := &dynamodb.API{DB: db, Region: s.config.Region, AccountID: s.config.AccountID}
	return s.sowInto(ctx, api, database.DefaultDatabase)
}

// sowInto does that for one database, whose tables an API has.
func (s *server) sowInto(ctx context.Context, api *dynamodb.API, name string) error {
	ctx = heat.OwnWork(ctx)
	session, err := s.sql.engine.Open(ctx, result.Login{User: "root", Host: "localhost", Database: name})
	if err != nil {
		return err
	}
	defer session.Close()
	o := seed.Options{DB: api.DB, Database: name, Region: api.Region, AccountID: api.AccountID, Log: s.log.Info,
		Dir: s.config.workDir(),
		Request: func(ctx context.Context, operation string, body []byte) error {
			_, err := api.Do(ctx, operation, body, nil)
			return err
		},
		Statement: func(ctx context.Context, text []byte) error { return session.Query(ctx, text, result.Nowhere{}) }}
	err = o.Tables(ctx, s.config.Schema)
	if err == nil && s.config.Seed != "" {
		err = o.Items(ctx, s.config.Seed)
	}
	return errors.Join(err, ctx.Err())
}

// ownTables gives clients the tables of their access keys; nil if all clients see the same tables. Each key begins with
// those of --schema, and a reset without a name returns it to that.
func (s *server) ownTables(api *dynamodb.API) *dynamohttp.OwnTables {
	by := dynamohttp.Owner(s.config.OwnTables)
	if by == dynamohttp.OwnerOff {
		return nil
	}
	own := &dynamohttp.OwnTables{API: api, By: by}
	if len(s.config.Schema) > 0 {
		own.Begin = func(ctx context.Context, api *dynamodb.API, name string) error {
			if err := api.DB.CreateDatabase(ctx, name); err != nil && database.KindOf(err) != database.KindExists {
				return err
			}
			if err := s.sowInto(ctx, api, name); err != nil {
				return err
			}
			return s.controls.Begin(ctx, api.DB, name)
		}
	}
	return own
}

// openControls makes what the admin port does for tests.
func (s *server) openControls() {
	s.controls = &testcontrol.Controls{Server: testcontrol.Server{On: s.config.TestControls, Ready: s.checkReady,
		DB: func() *database.DB { return s.database.(*openedDatabase).db }, Audit: s.auditAdmin,
		DatabaseOf: s.databaseOf, Returned: func() {
			if s.own != nil {
				s.own.Forget()
			}
		}}}
}

// databaseOf is the database with the tables of an access key.
func (s *server) databaseOf(key, region string) (name string, err error) {
	by := dynamohttp.Owner(s.config.OwnTables)
	switch {
	case by == dynamohttp.OwnerOff:
		return "", errors.New("all access keys share the tables of this server: start it with --own-tables")
	case by == dynamohttp.OwnerKeyRegion && region == "":
		return "", errors.New("an access key has other tables in each region: name the region, too")
	case by == dynamohttp.OwnerKey && region != "":
		return "", errors.New("an access key has the same tables in all regions of this server: leave the region out")
	}
	return by.Database(key, region), nil
}
