// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"strings"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/kv"
)

// Words makes a field of a search index: the words of some columns, cut by an analyzer. Errors: KindInvalid for an
// analyzer that there is not.
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

// SetFields begins to build a search index anew with other fields, which takes its name when it is complete; until then
// the present one answers. Fields that both have keep their entries' form, but are built again. Errors: KindNotFound,
// KindBusy if the index is being built, KindInvalid.
func (t *Table) SetFields(ctx context.Context, index string, key []schema.KeyPart) error {
	id, err := t.change(ctx, "dynamodb:UpdateTable")
	if err != nil {
		return err
	}
	return wrap(t.name, t.db.change(ctx, id, job.Job{Kind: job.BuildIndex, Table: id},
		func(table *schema.Table, work *job.Job) error {
			before, ok := table.Index(index)
			if !ok || !before.Search {
				return &Error{Kind: KindNotFound, Table: t.name, Detail: "no search index " + index}
			}
			for other := range table.Rebuilds(index) {
				if !other.IsReplaced() {
					return &Error{Kind: KindBusy, Table: t.name, Detail: "index " + index + " is being changed already"}
				}
			}
			if before.State != schema.Active {
				return &Error{Kind: KindBusy, Table: t.name, Detail: "index " + index + " is still being built"}
			}
			work.Index = table.AddRebuild(before, schema.Numbered(key), nil).ID
			if err := table.Validate(); err != nil {
				return &Error{Kind: KindInvalid, Table: t.name, Err: err}
			}
			return nil
		}))
}

// WordsField finds the field of words of some columns, in any order, in the search indexes that answer queries; in the
// one of that name, if index is not "". ok is false if there is none.
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

// SearchText asks for the items whose words match a query, the best first: see docs/search.md.
type SearchText struct {
	// Columns are the attributes whose words are searched. A search index, the one that Query.Index names if it names
	// one, must have a field of just these.
	Columns []string
	Text    string
	Boolean bool // Text is in boolean mode, with operators, rather than in natural language
	// KeyOrder gives items in the order of the table's key, with pages, instead of that of scores.
	KeyOrder bool
}

// searchQuery resolves Query.Search.
func (p Pinned) searchQuery(ctx context.Context, from kv.Snapshot, q *Query) (*Query, error) {
	s := q.Search
	x, field, ok := p.WordsField(s.Columns, q.Index)
	if !ok {
		return nil, &Error{Kind: KindInvalid, Table: p.name(),
			Detail: "no search index holds the words of (" + strings.Join(s.Columns, ", ") +
				") together; make one with these columns, or search those of one that is there"}
	}
	analyzer, err := search.Open(x.Key[field].Analyzer)
	if err != nil {
		return nil, &Error{Kind: KindInvalid, Table: p.name(), Err: err}
	}
	mode := search.Natural
	if s.Boolean {
		mode = search.Boolean
	}
	text, err := search.Parse(analyzer, s.Text, mode)
	if err != nil {
		return nil, &Error{Kind: KindInvalid, Table: p.name(), Err: err}
	}
	matches := &expr.Matches{Query: text}
	for _, column := range s.Columns {
		matches.Paths = append(matches.Paths, expr.Path{Name: column})
	}
	found := *q
	found.Search, found.AnyIndex, found.Index, found.Where = nil, false, x.Name, expr.Both(matches, q.Where)
	if !s.KeyOrder {
		found.Rank, err = p.scorer(ctx, from, x, field, text)
	}
	return &found, err
}

// Scorer prepares the scores of a query in the words of a field. What it knows of all items is up to a minute old.
func (p Pinned) Scorer(ctx context.Context, x *schema.Index, field int, q *search.Query) (*search.Scorer, error) {
	s, err := p.scorer(ctx, nil, x, field, q)
	return s, wrap(p.name(), err)
}

// scorer is Scorer at a snapshot; nil is the latest state.
func (p Pinned) scorer(ctx context.Context, from kv.Snapshot, x *schema.Index, field int,
	q *search.Query) (*search.Scorer, error) {
	compiled, ok := p.table.IndexByID(x.ID)
	if !ok {
		return nil, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no index " + x.Name}
	}
	if from == nil {
		reader, err := p.db.store.Read(ctx)
		if err != nil {
			return nil, err
		}
		defer reader.Close()
		from = reader
	}
	look := p.look(ctx)
	corpus, err := p.db.statistics.Corpus(OwnWork(ctx), &look, from, compiled.Field(field), q)
	if err != nil {
		return nil, err
	}
	return search.NewScorer(q, corpus), nil
}

// Score is the score of the current item of a ranked query; 0 for others.
func (c *Cursor) Score() float64 { return c.walk.Score() }
