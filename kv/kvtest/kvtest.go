// SPDX-License-Identifier: Apache-2.0

// Package kvtest is the conformance suite of package kv: one named subtest for each sentence of the interfaces'
// documentation. An engine's own test is three lines:
//
//	func TestEngine(t *testing.T) {
//		kvtest.Run(t, kvtest.Engine{Open: func(t *testing.T) kv.Store { return mem.Open(mem.Options{}) }})
//	}
//
// The suite allows, as the interfaces do: a transaction's snapshot may be taken as late as its first read; a
// transaction that has neither read nor guarded may be ordered after a commit of the same key instead of conflicting
// with it; two transactions that guard the same key, or of which one guards and the other writes it, may conflict
// either way round; and a transaction may conflict with one whose Commit failed after it began.
//
// Knows: the promises of package kv, the model engine kv/mem.
// Never: what is stored, how any other engine works.
package kvtest

import (
	"slices"
	"testing"

	"github.com/weftdb/weft/kv"
)

// Engine describes an engine to Run.
type Engine struct {
	// Open returns a new, empty store. The suite closes it.
	Open func(t *testing.T) kv.Store
	// Reopen closes s and opens what it kept. Nil: the engine keeps nothing.
	Reopen func(t *testing.T, s kv.Store) kv.Store
	// Crash abandons s as the death of its process and a loss of power would, and opens what was durable. Other
	// goroutines may still be using s, and may do so until the end of the test; what was acknowledged before the call
	// must be in the new store. Nil: can't be tried.
	Crash func(t *testing.T, s kv.Store) kv.Store
	// Admin returns the operator's side of s. Nil: the engine has none.
	Admin func(s kv.Store) kv.Admin
}

// check is one sentence of the contract and its test.
type check struct {
	sentence string
	run      func(h *harness)
}

// Run runs the whole suite against the engine, each sentence on a new store.
func Run(t *testing.T, e Engine) {
	for _, group := range []struct {
		name   string
		checks [][]check
	}{
		{"Order", [][]check{orderChecks()}},
		{"Range", [][]check{rangeChecks()}},
		{"Seek", [][]check{seekChecks()}},
		{"Move", [][]check{moveChecks()}},
		{"Block", [][]check{blockChecks()}},
		{"Cursor", [][]check{cursorChecks()}},
		{"Get", [][]check{getChecks(), getManyChecks()}},
		{"Snapshot", [][]check{snapshotChecks(), visibilityChecks()}},
		{"Write", [][]check{ownWriteChecks(), writeChecks()}},
		{"Conflict", [][]check{conflictChecks(), writeConflictChecks(), laterConflictChecks(), disjointChecks()}},
		{"Renew", [][]check{renewChecks()}},
		{"Guard", [][]check{guardChecks(), guardEdgeChecks()}},
		{"Bytes", [][]check{byteChecks(), returnedByteChecks()}},
		{"Limits", [][]check{limitChecks()}},
		{"Life", [][]check{lifeChecks(), storeLifeChecks()}},
		{"Context", [][]check{contextChecks(), cancelledCommitChecks()}},
		{"Concurrent", [][]check{concurrentChecks()}},
		{"History", [][]check{historyChecks()}},
		{"Durable", [][]check{durableChecks()}},
		{"Stamp", [][]check{stampChecks()}},
		{"Mark", [][]check{markChecks()}},
		{"Shared", [][]check{sharedChecks(), fenceChecks()}},
		{"Admin", [][]check{adminChecks(), shardChecks(), loadChecks()}},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range slices.Concat(group.checks...) {
				t.Run(c.sentence, func(t *testing.T) { c.run(open(t, e)) })
			}
		})
	}
}
