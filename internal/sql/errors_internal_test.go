// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"errors"
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
)

// TestErrorsOfLayers: errors of the layers below get MySQL's codes, and lose the names of layers.
func TestErrorsOfLayers(t *testing.T) {
	size := func(what string) error {
		return fmt.Errorf("record: %w", &database.SizeError{What: what, Bytes: 70, BytesMax: 64})
	}
	for _, row := range []struct {
		err  error
		code fault.Code
		text string
	}{
		{&database.Error{Kind: database.KindTooLarge, Table: "t", Err: size("key")}, fault.KeyTooLong,
			"Specified key was too long; max key length is 64 bytes (the key of a row or of an index entry would take 70): shorten the values of its columns"},
		{&database.Error{Kind: database.KindTooLarge, Table: "t", Err: size("value")}, fault.RowTooLarge,
			"Row size too large: a row or an index entry would take 70 bytes; the limit is 64; shorten its values, or split it into several rows"},
		{&database.Error{Kind: database.KindTooLarge, Err: size("transaction")}, fault.TransactionTooLarge,
			"Multi-statement transaction required more than 64 bytes of storage: write fewer rows in one statement, or commit sooner"},
		{&database.Error{Kind: database.KindReadOnly,
			Err: errors.New("kv: store is read-only: the disk has only 9 bytes free")}, fault.ReadOnlyServer,
			"The server is read-only for now, so it cannot execute this statement: store is read-only: the disk has only 9 bytes free"},
		{&database.Error{Kind: database.KindBusy, Table: "t", Detail: "it is being changed"}, fault.LockWaitTimeout,
			"Lock wait timeout exceeded; try restarting transaction: it is being changed"},
		{&database.Error{Kind: database.KindConflict, Table: "t", Err: errors.New("kv: conflict")}, fault.Deadlock,
			"Deadlock found when trying to get lock; try restarting transaction"},
		{&database.Error{Kind: database.KindInternal, Table: "t",
			Err: errors.New("record: query: the index is damaged")}, fault.Unknown,
			"Table 't': Internal error: the index is damaged"},
		{errors.New("kv: something"), fault.Unknown, "Internal error: something"},
	} {
		f, ok := fault.Of(faultOf(t.Context(), row.err))
		if !ok || f.Code != row.code || f.Message != row.text || f.State != row.code.State() {
			t.Errorf("%v: got %+v, want %d %s", row.err, f, row.code, row.text)
		}
	}
}
