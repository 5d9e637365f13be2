// SPDX-License-Identifier: Apache-2.0

// Package hbasethrift serves HBase's Thrift APIs: Thrift2 (THBaseService) on one port, Thrift1 (Hbase) on another.
//
// A port takes Thrift over HTTP and over plain sockets, and knows by the first bytes which one a client speaks,
// whether it sends frames, and whether it writes the binary or the compact protocol. A message is read whole into
// memory that is counted, and its answer is written at once. Every length that a client names is checked against what
// is left of its message before anything is allocated for it. A connection's failure, a panic included, ends that
// connection only.
//
// The services in the folder idl are the specification. A version's table of methods says of each call what it takes,
// how it is done, and what it gives; arguments are read as package hbase wants them, and alias the message.
//
// Knows: Thrift's transports, how HBase's Thrift structures say what package hbase does.
// Never: storage, other protocols.
package hbasethrift
