// SPDX-License-Identifier: Apache-2.0

// Package console is the door for people and for machines that watch: it answers on the admin port. Today that is /healthz, /readyz
// and /metrics; any other path is a 404 that names these.
//
// Knows: HTTP, whether the server is ready, a Prometheus gatherer.
// Never: storage, other doors, how the server starts and stops.
package console
