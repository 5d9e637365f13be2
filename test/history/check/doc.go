// SPDX-License-Identifier: Apache-2.0

// Package check judges histories of transactions over lists. Every append adds an element that no other append adds, so
// the lists that were read tell in which order the appends took effect, and with that which transaction must come
// before which. A history is strictly serializable if that order and the order of time have no cycle together.
//
// The edges of the graph, each from the transaction that must come first:
//
//	ww  two appends to one list, in the order of the list
//	wr  an append, and the read whose list ends with it
//	rw  a read, and the append that comes next in the list
//	rt  an answer that came before another request was made
//
// A class of anomaly is named after the edges that its cycle needs. What can be seen without a graph, such as an
// element of an aborted transaction in a list, is looked for first. Checking takes time in proportion to the elements
// read and the operations, sorting aside.
//
// Knows: histories of appends and reads, the classes of anomalies.
// Never: how a history came about, databases, clocks.
package check
