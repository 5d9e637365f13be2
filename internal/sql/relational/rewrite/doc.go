// SPDX-License-Identifier: Apache-2.0

// Package rewrite changes statements before go-mysql-server reads or plans them: the dialect's words that its parser lacks, and forms that it
// reads but answers wrongly. What a statement means stays the same.
//
// Knows: the dialect's words, the engine's syntax trees and its faults.
// Never: tables, values of columns, plans.
package rewrite
