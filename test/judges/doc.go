// SPDX-License-Identifier: Apache-2.0

// Package judges compares what SQL statements answer with other servers: go-mysql-server, which runs in the process, and MariaDB, where it is on the machine.
// It is a module of its own, so that the product depends on neither.
//
// Knows: random tables and statements, and how answers of different servers are compared.
// Never: anything that the product is built of.
package judges
