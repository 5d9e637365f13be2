// SPDX-License-Identifier: Apache-2.0

// Package thriftwire reads and writes messages of Thrift's binary and compact protocols. A Reader cuts values off a
// message, which they alias, and a Writer appends them to one.
//
// A Reader trusts nothing: each length is compared with what is left of the message before anything is taken for it,
// structures that are passed over lie at most depthMax deep, and after the first error every value is zero and every
// loop over fields ends. So callers look at Err once, at the end.
//
// Knows: the two protocols, with and without frames.
// Never: services, connections.
package thriftwire
