// SPDX-License-Identifier: Apache-2.0

// Package hbase1 is what Thrift's compiler makes of idl/hbase1.thrift: the structures of HBase's Thrift1 and its service Hbase.
//
// Knows: the service.
// Never: what its calls mean.
package hbase1
