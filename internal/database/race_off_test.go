// SPDX-License-Identifier: Apache-2.0

//go:build !race

package database_test

// raceDetector says that the tests run under the race detector, some ten times slower.
const raceDetector = false
