// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/weftdb/weft/cmd/weft/seed"
	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/sql/result"
)

// sow makes the tables of --schema and loads the items of --seed, before clients are answered.
func (s *server) sow(ctx context.Context) (err error) {
	if len(s.config.Schema) == 0 && s.config.Seed == "" || s.config.idle {
		return nil
	}
	ctx = heat.OwnWork(ctx)
	db := s.database.(*openedDatabase).db
	session, err := s.sql.engine.Open(ctx, result.Login{User: "root", Host: "localhost", Database: database.DefaultDatabase})
	if err != nil {
		return err
	}
	defer session.Close()
	api := &dynamodb.API{DB: db, Region: s.config.Region, AccountID: s.config.AccountID}
	o := seed.Options{DB: db, Region: s.config.Region, AccountID: s.config.AccountID, Log: s.log.Info,
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
