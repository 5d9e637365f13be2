// SPDX-License-Identifier: Apache-2.0

// Package httpwire serves HTTP to clients that send many short requests over each connection, for a handler of package
// net/http.
//
// It reads one kind of request itself: POST / of HTTP/1.1 over plain TCP, with a Content-Length and nothing unusual in
// its head. That costs a fraction of net/http's work: a connection has one goroutine, keeps the values of
// headers that come again, moves deadlines on only when they are due, and sends an answer in one piece. Everything else
// goes to net/http on the same connection, before any of it is used up, and the connection stays there: TLS, chunked
// bodies, upgrades, other methods and paths, broken requests. So no request is read in two ways, and what is refused is
// refused by net/http. FuzzHead holds the two readings against each other, TestParity the answers.
//
// The library fasthttp was the other choice. An echo costs 16 µs of CPU with net/http, 9.2 with fasthttp and 7.0 with a
// loop like this one, so it is a third dearer than the loop. It also has types of its own for requests and answers, so
// that a handler of net/http needs a copy of both; it reads heads by rules of its own, and would have to be compared
// with whatever proxy stands before it; and it has no context that ends when a client goes away.
//
// Knows: HTTP/1.1, connections, net/http.
// Never: what requests are about.
package httpwire
