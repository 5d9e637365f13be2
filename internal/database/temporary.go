// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/weftdb/weft/internal/background/gateway"
)

// temporaryPrefix begins the names of databases that no list has and that end with the process that made them. Behind
// it stand the process and a number.
const temporaryPrefix = "#tmp "

// IsTemporary reports whether a database is one of CreateTemporary's.
func IsTemporary(database string) bool { return strings.HasPrefix(database, temporaryPrefix) }

// CreateTemporary makes a database that no list has, and returns its name. It ends with this process, if it is not
// dropped before.
func (db *DB) CreateTemporary(ctx context.Context) (name string, err error) {
	name = temporaryPrefix + db.process() + " " + strconv.FormatUint(db.temporaries.Add(1), 10)
	return name, db.CreateDatabase(ctx, name)
}

// process names this process among those that have used the store.
func (db *DB) process() string {
	db.identify.Do(func() {
		if db.identity = uuid.NewString(); db.gateway != nil {
			db.identity = db.gateway.Record().ID
		}
	})
	return db.identity
}

// DropLost drops the databases of CreateTemporary whose processes are gone, and frees the tables that they held.
func (db *DB) DropLost(ctx context.Context) error {
	alive, err := db.processes(ctx)
	if err != nil {
		return err
	}
	failed := db.freeLost(ctx)
	for _, name := range db.catalog.Databases() {
		owner, _, _ := strings.Cut(strings.TrimPrefix(name, temporaryPrefix), " ")
		if IsTemporary(name) && !slices.Contains(alive, owner) {
			failed = errors.Join(failed, db.DropDatabase(ctx, name, true))
		}
	}
	return failed
}

// processes names the processes that use the store.
func (db *DB) processes(ctx context.Context) (alive []string, err error) {
	alive = []string{db.process()}
	if db.gateway == nil {
		return alive, nil
	}
	records, err := gateway.Records(ctx, db.store)
	for _, r := range records {
		alive = append(alive, r.ID)
	}
	return alive, err
}
