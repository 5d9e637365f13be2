// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/relational"
)

// Views are the views that the catalogue keeps. Statements about them are no part of a transaction.
func (s *Source) Views() relational.Views { return views{s.options.DB} }

type views struct{ db *weft.DB }

// List lists the views of a database.
func (v views) List(database string) ([]relational.View, error) {
	stored := v.db.StoredViews().List(database)
	list := make([]relational.View, len(stored))
	for i := range stored {
		list[i] = viewOf(stored[i])
	}
	return list, nil
}

// Get finds a view.
func (v views) Get(database, name string) (relational.View, bool, error) {
	stored, ok := v.db.StoredViews().Get(database, name)
	return viewOf(stored), ok, nil
}

// Put keeps a new view.
func (v views) Put(database string, view relational.View) error {
	return v.db.StoredViews().Put(context.Background(), weft.StoredView{Database: database, Name: view.Name, Query: view.Select, Statement: view.Statement, Mode: view.SQLMode})
}

// Drop forgets a view.
func (v views) Drop(database, name string) error {
	return v.db.StoredViews().Drop(context.Background(), database, name)
}

func viewOf(v weft.StoredView) relational.View {
	return relational.View{Name: v.Name, Select: v.Query, Statement: v.Statement, SQLMode: v.Mode}
}
