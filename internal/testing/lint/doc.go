// SPDX-License-Identifier: Apache-2.0

// Package lint holds the rules of the code base as tests: which package may import which, how a package presents
// itself, what code must not do, how long things may grow. Each failure says what to do instead. `go test
// ./internal/testing/lint` runs all of them in seconds.
//
// The table of layers is in layers_test.go. Checks of one Go file are in the files named after their subject; each is
// tested on small sources in testdata, so that a check which has stopped finding anything is noticed.
//
// A comment opts one place out, on its line or the line above, and must give a reason:
//
//	// lint:invariant reason    a panic that only a bug in this package can reach
//	// lint:clock reason        a clock or random source, used or imported, in a pure package
//	// lint:init reason         an init function
//	// lint:global reason       a package-level variable that changes
//	// immutable                a package-level table that nothing changes; never a pool, a lock, a counter or a cache
//
// Knows: the sources of this repository as text and syntax trees.
// Never: what the code does when it runs; other checkers' business (gofmt, vet, staticcheck).
package lint

//go:generate go test -run TestArchitecture . -rewrite
