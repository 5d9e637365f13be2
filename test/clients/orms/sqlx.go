// SPDX-License-Identifier: Apache-2.0

package main

import (
	"database/sql"
	"fmt"

	"github.com/jmoiron/sqlx"
)

type place struct {
	Country string         `db:"country"`
	City    sql.NullString `db:"city"`
	Code    int            `db:"telcode"`
}

// sqlxGuide is sqlx's README and guide: structs, named queries, batches, IN, maps, prepared statements, transactions.
func sqlxGuide() error {
	pool, err := openShop()
	if err != nil {
		return err
	}
	db := sqlx.NewDb(pool, "mysql")
	defer db.Close()
	db.MustExec("CREATE TABLE place (country VARCHAR(40), city VARCHAR(40), telcode INT, PRIMARY KEY (telcode))")
	_, err = db.NamedExec("INSERT INTO place (country, city, telcode) VALUES (:country, :city, :telcode)", []place{
		{"South Africa", sql.NullString{String: "Johannesburg", Valid: true}, 27}, {"Singapore", sql.NullString{}, 65},
		{"Hong Kong", sql.NullString{String: "Kowloon", Valid: true}, 852},
	})
	fmt.Println("batch", err)
	var all []place
	fmt.Println("select", db.Select(&all, "SELECT * FROM place ORDER BY telcode"), all)
	var one place
	fmt.Println("get", db.Get(&one, "SELECT * FROM place WHERE city = ?", "Kowloon"), one)
	fmt.Println("none", db.Get(&one, "SELECT * FROM place WHERE telcode = ?", 1))
	query, arguments, err := sqlx.In("SELECT country FROM place WHERE telcode IN (?) ORDER BY country",
		[]int{65, 852, 3})
	if err != nil {
		return err
	}
	var names []string
	fmt.Println("in", db.Select(&names, db.Rebind(query), arguments...), names)
	rows, err := db.NamedQuery("SELECT telcode, country FROM place WHERE telcode > :least ORDER BY telcode",
		map[string]any{"least": 60})
	if err != nil {
		return err
	}
	for rows.Next() {
		values, err := rows.SliceScan()
		if err != nil {
			return err
		}
		fmt.Printf("named %v %s\n", values[0], values[1])
	}
	statement, err := db.PrepareNamed("SELECT COUNT(*) FROM place WHERE telcode >= :least")
	if err != nil {
		return err
	}
	defer statement.Close()
	var count int
	fmt.Println("prepared", statement.Get(&count, map[string]any{"least": 65}), count)
	return sqlxTransaction(db)
}

// sqlxTransaction writes in a transaction that is rolled back, and reads a row as a map.
func sqlxTransaction(db *sqlx.DB) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	result := tx.MustExec("UPDATE place SET city = ? WHERE telcode = ?", "Singapore", 65)
	affected, err := result.RowsAffected()
	fmt.Println("updated", affected, err)
	row := map[string]any{}
	fmt.Println("map", tx.QueryRowx("SELECT telcode, city FROM place WHERE telcode = ?", 65).MapScan(row))
	fmt.Printf("%v %s\n", row["telcode"], row["city"])
	fmt.Println("rollback", tx.Rollback())
	var left sql.NullString
	fmt.Println("after it", db.Get(&left, "SELECT city FROM place WHERE telcode = 65"), left.Valid)
	return nil
}
