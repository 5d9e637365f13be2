// SPDX-License-Identifier: Apache-2.0

// Package search is full text by itself: how texts become words, what a query in words means, which texts match it, and
// how well. It scores by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009).
//
// # Analyzers
//
// An Analyzer turns a text into tokens. Its name carries a version ("english/2"), which an index stores: an analyzer
// that changes gets another version, and the former one stays.
//
// # Queries
//
// Parse reads a query as MySQL's MATCH .. AGAINST has it: in natural language any word will do; in boolean mode "+red
// -shoes \"exact phrase\" appl*" says which must and must not be there. Prefixes are cut as texts are: where they
// become several words, the last of a phrase is a prefix. Two forms are Lucene's: appel~1 is a word with one letter
// wrong, and (a b c)@2 asks for two of three.
//
// # Postings
//
// A Posting is an index's record of one word of one text: the length of the text, and the places of the word in it.
//
// Knows: words, queries, postings, scores.
// Never: tables, keys, stores, SQL.
package search
