// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
)

type author struct {
	bun.BaseModel `bun:"table:authors,alias:a"`

	ID     int64     `bun:"id,pk,autoincrement"`
	Name   string    `bun:"name,notnull,unique,type:varchar(80)"`
	Born   time.Time `bun:"born,type:datetime"`
	Tags   []string  `bun:"tags,type:json"`
	Novels []*novel  `bun:"rel:has-many,join:id=author_id"`
}

type novel struct {
	bun.BaseModel `bun:"table:novels,alias:n"`

	ID       int64   `bun:"id,pk,autoincrement"`
	Title    string  `bun:"title,notnull,type:varchar(80)"`
	Price    float64 `bun:"price,type:decimal(10,2)"`
	AuthorID int64   `bun:"author_id"`
	Author   *author `bun:"rel:belongs-to,join:author_id=id"`
}

// bunGuide is bun's guide: tables of models, inserts, relations, CTEs, bulk updates, upserts, transactions with
// savepoints.
func bunGuide() error {
	pool, err := openShop()
	if err != nil {
		return err
	}
	db, ctx := bun.NewDB(pool, mysqldialect.New()), context.Background()
	defer db.Close()
	for _, model := range []any{(*author)(nil), (*novel)(nil)} {
		if _, err := db.NewCreateTable().Model(model).IfNotExists().Exec(ctx); err != nil {
			return err
		}
	}
	authors := []author{{Name: "Ann", Born: time.Date(1960, 2, 29, 1, 2, 3, 0, time.UTC), Tags: []string{"a", "b"}},
		{Name: "Bo", Born: time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)}}
	if _, err := db.NewInsert().Model(&authors).Exec(ctx); err != nil {
		return err
	}
	novels := []novel{{Title: "Sea", Price: 9.5, AuthorID: 1}, {Title: "Sky", Price: 12.25, AuthorID: 1},
		{Title: "Sun", Price: 3, AuthorID: 2}}
	_, err = db.NewInsert().Model(&novels).Exec(ctx)
	fmt.Println("inserted", err)
	var one author
	err = db.NewSelect().Model(&one).Relation("Novels",
		func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order("price DESC") }).Where("a.name = ?", "Ann").Scan(ctx)
	fmt.Println("has many", err, one.ID, one.Born, one.Tags, len(one.Novels), one.Novels[0].Title)
	var cheap []novel
	count, err := db.NewSelect().Model(&cheap).Relation("Author").Where("price < ?", 10).Order("n.id").ScanAndCount(ctx)
	fmt.Println("belongs to", err, count, cheap[0].Title, cheap[0].Author.Name, cheap[1].Author.Name)
	var totals []struct {
		Name  string
		Total float64
	}
	sums := db.NewSelect().TableExpr("novels").ColumnExpr("author_id, SUM(price) AS total").GroupExpr("author_id")
	err = db.NewSelect().With("sums", sums).TableExpr("authors AS a").Join(
		"JOIN sums ON sums.author_id = a.id").ColumnExpr("a.name, sums.total").OrderExpr("a.name").Scan(ctx, &totals)
	fmt.Println("with", err, totals)
	result, err := db.NewUpdate().Model((*novel)(nil)).Set("price = price + ?", 1).Where("author_id = ?", 1).Exec(ctx)
	if err != nil {
		return err
	}
	affected, err := result.RowsAffected()
	fmt.Println("updated", affected, err)
	_, err = db.NewInsert().Model(&author{Name: "Bo", Born: time.Date(1991, 1, 1, 0, 0, 0, 0, time.UTC)}).On(
		"DUPLICATE KEY UPDATE").Set("born = VALUES(born)").Exec(ctx)
	fmt.Println("upsert", err)
	exists, err := db.NewSelect().Model((*author)(nil)).Where("born > ?",
		time.Date(1990, 6, 1, 0, 0, 0, 0, time.UTC)).Exists(ctx)
	fmt.Println("exists", exists, err)
	return bunTransaction(ctx, db)
}

// bunTransaction rolls an inner transaction back and commits the outer one.
func bunTransaction(ctx context.Context, db *bun.DB) error {
	undone := errors.New("undone")
	err := db.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable},
		func(ctx context.Context, tx bun.Tx) error {
			if _, err := tx.NewDelete().Model((*novel)(nil)).Where("title = ?", "Sun").Exec(ctx); err != nil {
				return err
			}
			err := tx.RunInTx(ctx, nil, func(ctx context.Context, inner bun.Tx) error {
				if _, err := inner.NewDelete().Model((*novel)(nil)).Where("1 = 1").Exec(ctx); err != nil {
					return err
				}
				return undone
			})
			fmt.Println("inner", errors.Is(err, undone))
			return nil
		})
	left, counted := db.NewSelect().Model((*novel)(nil)).Count(ctx)
	fmt.Println("transaction", err, left, counted)
	_, err = db.NewDropTable().Model((*novel)(nil)).Exec(ctx)
	fmt.Println("dropped", err)
	return nil
}
