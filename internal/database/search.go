// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/search"
	"github.com/weftdb/weft/kv"
)

// Words makes a field of a search index: the words of some columns, cut by an analyzer. Errors: KindInvalid for an analyzer that there is not.
func Words(analyzer string, columns ...string) (schema.KeyPart, error) {
	a, err := search.Open(analyzer)
	if err != nil {
		return schema.KeyPart{}, &Error{Kind: KindInvalid, Err: err}
	}
	part := schema.KeyPart{Function: schema.Words, Type: schema.String, Analyzer: a.Name()}
	for _, column := range columns {
		part.Args = append(part.Args, schema.Argument{Column: column, Type: schema.String})
	}
	part.Name = schema.WordsName(part.Args)
	if strings.HasPrefix(part.Analyzer, "trigram/") {
		part.Name = "trigrams(" + strings.Join(columns, ",") + ")"
	}
	return part, nil
}

// numbered gives the fields of a search index that have no number one each.
func numbered(key []schema.KeyPart) []schema.KeyPart {
	key = slices.Clone(key)
	next := uint32(1)
	for i := range key {
		next = max(next, key[i].Field+1)
	}
	for i := range key {
		if key[i].Field == 0 {
			key[i].Field = next
			next++
		}
	}
	return key
}

// WordsField finds the field of words of some columns, in any order, in the search indexes that answer queries; in the one of that name, if index is not "".
// ok is false if there is none.
func (p Pinned) WordsField(columns []string, index string) (x *schema.Index, field int, ok bool) {
	for x := range p.Descriptor().Searches() {
		if !x.State.Readable() || index != "" && x.Name != index {
			continue
		}
		for i := range x.Key {
			if x.Key[i].HasWordsOf(columns) {
				return x, i, true
			}
		}
	}
	return nil, 0, false
}

// Scorer prepares the scores of a query in the words of a field. What it knows of all items is up to a minute old. view may be nil.
func (p Pinned) Scorer(ctx context.Context, view *View, x *schema.Index, field int, q *search.Query) (*search.Scorer, error) {
	compiled, ok := p.table.IndexByID(x.ID)
	if !ok {
		return nil, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no index " + x.Name}
	}
	var from kv.Snapshot
	if view != nil {
		from = view.from
	} else {
		reader, err := p.db.store.Read(ctx)
		if err != nil {
			return nil, wrap(p.name(), err)
		}
		defer reader.Close()
		from = reader
	}
	look := p.look(ctx)
	corpus, err := p.db.statistics.Corpus(OwnWork(ctx), &look, from, compiled.Field(field), q)
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	return search.NewScorer(q, corpus), nil
}
