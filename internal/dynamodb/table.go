// SPDX-License-Identifier: Apache-2.0

package dynamodb

// tableOperations are the operations on tables. // immutable
var tableOperations = []operation{}
