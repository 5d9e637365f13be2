// SPDX-License-Identifier: Apache-2.0

// Package console serves the admin port, for people and for monitoring. GET / lists its pages.
//
// Knows: HTTP, whether the server is ready, a Prometheus gatherer, Go's profiles; the pages that it is handed.
// Never: storage, other protocols, how the server starts and stops.
package console
