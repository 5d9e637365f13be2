// SPDX-License-Identifier: Apache-2.0

// Package differential asks two executors the same question: random SELECTs over one table go to the dialect's own executor and to the relational
// engine over the same store, which read rows through the same plans, yet judge, compute, group and sort by themselves. Every answer must be
// the same. Joins, which the engine alone runs, are asked twice: over tables with their indexes, and without. What differs for a reason is in a list with the reason, and a statement that falls under it is not compared.
//
// Knows: the dialect's sessions, the relational engine and its source; which answers may differ, and why.
// Never: the wire, writing beside the tables that it fills.
package differential
