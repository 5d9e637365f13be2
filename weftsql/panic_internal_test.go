// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/result"
)

// TestPanic: a bug in a statement with rows ends its connection, and not the program.
func TestPanic(t *testing.T) {
	db, err := weft.OpenMemory(t.Context(), weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	c, err := newConnector(newSource(), db, Options{Logger: slog.New(slog.DiscardHandler)}).connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, err := c.enter(t.Context(), "a statement")
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.query(ctx, func(context.Context, result.Sink) error { panic("a bug") }, false)
	if e, ok := errors.AsType[*Error](err); !ok || e.Number != 1105 {
		t.Errorf("%v", err)
	}
	if c.IsValid() {
		t.Error("the pool would use the connection again")
	}
}
