// SPDX-License-Identifier: Apache-2.0

// Command orms runs one section of a program's work with GORM, xorm, sqlx, bun and ent, and prints the results:
// against the server of SQL_HOST and SQL_PORT, or, without these, on a database in its own process through package
// weftsql. It is a module of its own, so that nothing else needs these libraries.
//
// Knows: the libraries' quick starts and migrations, and how databases are opened.
// Never: what the libraries say to a database.
package main

import (
	"fmt"
	"os"
)

// sections are the parts that can be run. // immutable
var sections = map[string]func() error{"gorm-models": gormModels, "gorm-migrations": gormMigrations,
	"xorm-sync": xormSync, "sqlx-guide": sqlxGuide, "bun-guide": bunGuide, "ent-migrate": entMigrate}

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
