// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/schema"
)

type (
	// ExpiryState is the progress of switching the expiry of a table's items on or off.
	ExpiryState = schema.ExpiryState
	// Expiry says when items of a table expire.
	Expiry = schema.Expiries
)

// The states of expiry.
const (
	ExpiryOff = schema.ExpiryOff
	// being switched on: items that were there before are looked through, none is deleted yet
	ExpiryBuilding = schema.ExpiryBuilding
	ExpiryActive   = schema.ExpiryActive   // expired items are deleted
	ExpiryRemoving = schema.ExpiryRemoving // being switched off: none is deleted any more
)

// ExpiryOf returns the expiry of a table's items.
func ExpiryOf(table *schema.Table) Expiry { return table.Expiries() }

// errUnchanged ends a change that has nothing to do.
var errUnchanged = errors.New("the table is so already")

// SetExpiry makes items expire whose attribute is a number of seconds since the Unix epoch: once that time has come
// they are deleted in the background, within about Options.ExpiryInterval. Items without such a number never expire,
// nor do those whose time is more than five years ago. "" switches expiry off. It returns as soon as the change has
// begun; ExpiryOf tells when it is done. What is so already is no error. Errors: KindInvalid if items expire by another
// attribute, which must be switched off first; KindBusy while that is being switched off; KindNotFound.
func (t *Table) SetExpiry(ctx context.Context, attribute string) error {
	id, err := t.change(ctx, "dynamodb:UpdateTimeToLive")
	if err != nil {
		return err
	}
	if attribute == "" {
		err = t.db.change(ctx, id, job.Job{Kind: job.DropIndex, Table: id}, endExpiry)
	} else {
		err = t.db.change(ctx, id, job.Job{Kind: job.BuildIndex, Table: id},
			func(table *schema.Table, work *job.Job) error {
				return beginExpiry(table, attribute, work)
			})
	}
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return wrap(t.name, err)
}

func beginExpiry(table *schema.Table, attribute string, work *job.Job) error {
	now := ExpiryOf(table)
	switch {
	case now.State == ExpiryRemoving:
		return &Error{Kind: KindBusy, Table: table.Name,
			Detail: "expiry by " + now.Attribute + " is still being switched off"}
	case now.Attribute == attribute:
		return errUnchanged
	case table.Rules.Deletes:
		return invalid(table.Name, "foreign keys of %s refer to the table's items: they can't expire by themselves",
			table.Rules.Dialect)
	case now.State != ExpiryOff:
		return invalid(table.Name, "items expire by %s; turn this off before you choose another attribute",
			now.Attribute)
	}
	index := schema.ExpiryIndex(attribute)
	index.ID, index.State, work.Index = table.NextIndexID, schema.DeleteOnly, table.NextIndexID
	table.NextIndexID++
	table.Indexes = append(table.Indexes, index)
	if err := table.Validate(); err != nil {
		return &Error{Kind: KindInvalid, Table: table.Name, Err: err}
	}
	return nil
}

func endExpiry(table *schema.Table, work *job.Job) error {
	if state := ExpiryOf(table).State; state == ExpiryOff || state == ExpiryRemoving {
		return errUnchanged
	}
	index, _ := table.Expiry()
	index.State, work.Index = schema.Retiring, index.ID
	return nil
}
