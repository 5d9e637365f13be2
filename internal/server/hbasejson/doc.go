// SPDX-License-Identifier: Apache-2.0

// Package hbasejson answers HBase's scans over HTTP: a scan comes as JSON, and its rows go out as lines of JSON while
// they are read.
//
// Knows: HTTP, how rows and cells are written so that no byte is lost in a browser.
// Never: rights, the meaning of scans, Thrift.
package hbasejson
