// SPDX-License-Identifier: Apache-2.0

// Package console serves the admin port, for people and for monitoring: the web console, whose sources are the folder
// console at the top, and pages. GET / lists them.
//
// Knows: HTTP, which requests a browser may send, sessions of people, whether the server is ready, a Prometheus
// gatherer, Go's profiles; the pages that it is handed.
// Never: storage, other protocols, how the server starts and stops.
package console
