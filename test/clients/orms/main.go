// SPDX-License-Identifier: Apache-2.0

// Command orms runs one section of what programs do with GORM and xorm against the server of SQL_HOST and SQL_PORT, and prints what they see.
// It is a module of its own, so that nothing else needs these libraries.
//
// Knows: the libraries' quick starts and migrations.
// Never: anything of the product.
package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "github.com/go-sql-driver/mysql"
)

// sections are what can be run. // immutable
var sections = map[string]func() error{"gorm-models": gormModels, "gorm-migrations": gormMigrations, "xorm-sync": xormSync}

func main() {
	section := sections[os.Args[len(os.Args)-1]]
	if section == nil {
		fmt.Fprintln(os.Stderr, "there is no such section")
		os.Exit(2)
	}
	if err := section(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// source names a database of the server, which it makes.
func source() (string, error) {
	address := fmt.Sprintf("root@tcp(%s:%s)/", os.Getenv("SQL_HOST"), os.Getenv("SQL_PORT"))
	db, err := sql.Open("mysql", address)
	if err != nil {
		return "", err
	}
	defer db.Close()
	_, err = db.Exec("CREATE DATABASE shop")
	return address + "shop?parseTime=true&loc=UTC&charset=utf8mb4", err
}
