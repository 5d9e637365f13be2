// SPDX-License-Identifier: Apache-2.0

package weftsql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/weftsql"
)

// A data source is "mem:" or "file:" and a folder. The import of the package registers the driver.
func Example() {
	db, err := sql.Open("weft", "mem:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE cities (name VARCHAR(40), people BIGINT, PRIMARY KEY (name))"); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO cities VALUES (?, ?), (?, ?)", "Porto", 231_800, "Braga", 193_300); err != nil {
		log.Fatal(err)
	}
	rows, err := db.Query("SELECT name, people FROM cities WHERE people > ? ORDER BY people DESC", 100_000)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var people int
		if err := rows.Scan(&name, &people); err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, people)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Porto 231800
	// Braga 193300
}

// SQL and the API of package weft share a database.
func ExampleConnector() {
	ctx := context.Background()
	db, err := weft.OpenMemory(ctx, weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	pool := sql.OpenDB(weftsql.Connector(db, weftsql.Options{}))
	defer pool.Close()

	if _, err := pool.Exec("CREATE TABLE cities (name VARCHAR(40), people BIGINT, PRIMARY KEY (name))"); err != nil {
		log.Fatal(err)
	}
	cities := db.Table("cities")
	if err := cities.Put(ctx, weft.Document{"name": "Porto", "people": 231_800}); err != nil {
		log.Fatal(err)
	}
	var people int
	if err := pool.QueryRow("SELECT people FROM cities WHERE name = ?", "Porto").Scan(&people); err != nil {
		log.Fatal(err)
	}
	fmt.Println(people)
	// Output: 231800
}

// Times are read off a clock in Berlin.
func ExampleOptions() {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		log.Fatal(err)
	}
	db, err := weft.OpenMemory(context.Background(), weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	pool := sql.OpenDB(weftsql.Connector(db, weftsql.Options{Location: berlin}))
	defer pool.Close()

	var shown string
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	if err := pool.QueryRow("SELECT DATE_FORMAT(?, '%H:%i')", noon).Scan(&shown); err != nil {
		log.Fatal(err)
	}
	fmt.Println(shown)
	// Output: 14:00
}

// An error has the number that MySQL gives it.
func ExampleError() {
	db, err := sql.Open("weft", "mem:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec("SELECT * FROM nowhere")
	var known *weftsql.Error
	if errors.As(err, &known) {
		fmt.Println(known.Number, string(known.SQLState[:]), known.Message)
	}
	// Output: 1146 42S02 Table 'default.nowhere' doesn't exist
}
