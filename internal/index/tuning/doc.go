// SPDX-License-Identifier: Apache-2.0

// Package tuning maintains the codecs of Z-order indexes. It learns them from samples of rows, compares them with the
// rows there are, and has an index rebuilt when others would suit those better: by the ordinary online build of another
// index, under a new id and an internal name. Once that is complete it takes the name, in one change of the table's
// descriptor. The one before stays complete under an internal name, for walks whose page keys were made on it, until
// these are too old.
//
// Knows: samples, learned codecs, skew, which index a page key belongs to, when a rebuild is due.
// Never: how an index is built or walked, any dialect.
package tuning
