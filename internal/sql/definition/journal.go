// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/tree"
)

// STREAM and RECOVERY_DAYS say what the journal keeps of a table's changes. The descriptor says so itself, for every
// protocol, so they are not stored among SQL's options.

// streamOff is the STREAM of a table without one.
const streamOff = "OFF"

func (t *Table) readJournal(d *schema.Table) {
	if s, ok := d.Stream(); ok {
		t.Stream = s.Images.String()
	}
	if d.Recovery != nil {
		t.RecoveryDays = d.Recovery.Days
	}
}

func (t *Table) setJournal(option, value string) {
	if option == optionRecovery {
		t.RecoveryDays, _ = strconv.Atoi(value) // it was checked
		return
	}
	if t.Stream = value; value == streamOff {
		t.Stream = ""
	}
}

// isJournalOption reports whether an option is one of these, which tables of either dialect have.
func isJournalOption(name string) bool { return name == optionStream || name == optionRecovery }

// journalOnly reports whether a SET has no other options than those of the journal.
func journalOnly(set *tree.SetOptions) bool {
	for _, o := range set.Options {
		if !isJournalOption(strings.ToUpper(o.Name)) {
			return false
		}
	}
	return true
}

// SetJournal does what actions, which Alter has checked, ask of a table's journal, within an edit of its descriptor.
// Errors: *fault.Error if the stream shows something else so far; those of package database.
func SetJournal(db *database.DB, d *schema.Table, actions []tree.AlterAction) error {
	for _, action := range actions {
		set, ok := action.(*tree.SetOptions)
		if !ok {
			continue
		}
		for _, o := range set.Options {
			if err := setJournal(db, d, strings.ToUpper(o.Name),
				strings.ToUpper(strings.TrimSpace(o.Value))); err != nil {
				return err
			}
		}
	}
	return nil
}

func setJournal(db *database.DB, d *schema.Table, option, value string) error {
	switch option {
	case optionRecovery:
		days, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		return db.Recovery().Keep(d, days)
	case optionStream:
		return setStream(db, d, value)
	}
	return nil
}

func setStream(db *database.DB, d *schema.Table, value string) error {
	images, wanted := schema.ImagesOf(value)
	stream, on := d.Stream()
	switch {
	case wanted && on && stream.Images != images:
		return refusal("the stream of table '%s' shows %s, and what a stream shows can't change: switch it off first, with ALTER TABLE %s SET 'STREAM'='OFF'", d.Name, stream.Images, tree.Quote(d.Name))
	case wanted && !on:
		return db.Changes().StreamOn(d, images)
	case !wanted && on:
		return db.Changes().StreamOff(d)
	}
	return nil
}
