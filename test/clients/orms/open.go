// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/weftsql"
)

// openShop makes the database shop and opens it.
func openShop() (*sql.DB, error) {
	if os.Getenv("SQL_HOST") == "" {
		return openInProcess()
	}
	address := fmt.Sprintf("root@tcp(%s:%s)/", os.Getenv("SQL_HOST"), os.Getenv("SQL_PORT"))
	if err := makeShop(sql.Open("mysql", address)); err != nil {
		return nil, err
	}
	return sql.Open("mysql", address+"shop?parseTime=true&loc=UTC&charset=utf8mb4")
}

// openInProcess opens it within the process, which ends with it. Errors are of the type by which GORM knows duplicates.
func openInProcess() (*sql.DB, error) {
	db, err := weft.OpenMemory(context.Background(), weft.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := makeShop(sql.OpenDB(weftsql.Connector(db, weftsql.Options{})), nil); err != nil {
		return nil, err
	}
	return sql.OpenDB(weftsql.Connector(db, weftsql.Options{Database: "shop", Error: func(e *weftsql.Error) error {
		return &mysql.MySQLError{Number: e.Number, SQLState: e.SQLState, Message: e.Message}
	}})), nil
}

func makeShop(db *sql.DB, err error) error {
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec("CREATE DATABASE shop")
	return err
}
