// SPDX-License-Identifier: Apache-2.0

// Package console is the door for people and for machines that watch: it answers on the admin port. GET / lists its pages.
//
// Knows: HTTP, whether the server is ready, a Prometheus gatherer, Go's profiles; the pages that it is handed.
// Never: storage, other doors, how the server starts and stops.
package console
