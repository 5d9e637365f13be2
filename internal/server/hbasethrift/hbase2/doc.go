// SPDX-License-Identifier: Apache-2.0

// Package hbase2 is what Thrift's compiler makes of idl/hbase2.thrift: the structures of HBase's Thrift2 and its service THBaseService.
//
// Knows: the service.
// Never: what its calls mean.
package hbase2
