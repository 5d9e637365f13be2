// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Fields returns the columns of a table of the current database.
func (s *Session) Fields(ctx context.Context, table string) ([]result.Column, error) {
	s.renewRights(ctx)
	t, p, err := s.table(tree.Name{Name: table}, account.Select)
	if err != nil {
		return nil, faultOf(ctx, err)
	}
	defer p.release()
	columns := make([]result.Column, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		columns[i] = result.Column{
			Database: t.Database, Table: t.Name, OriginalTable: t.Name, Name: c.Name, OriginalName: c.Name,
			Type: c.Type, NotNull: c.NotNull, PrimaryKey: c.KeyPart >= 0,
		}
	}
	return columns, nil
}
