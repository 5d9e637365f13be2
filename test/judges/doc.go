// SPDX-License-Identifier: Apache-2.0

// Package judges compares what SQL statements answer with other servers: MySQL 8 and MariaDB, where they are on the
// machine, and go-mysql-server, which runs in the process. It is a module of its own, so that the product depends on
// none of them.
//
// Knows: random tables and statements, and how answers of different servers are compared.
// Never: anything that the product is built of.
package judges
