// SPDX-License-Identifier: Apache-2.0

// Package memory counts memory that many holders share. A holder that finds none free is refused before the process
// runs out.
//
// Knows: bytes, as callers report them.
// Never: what they are for.
package memory

import "sync/atomic"

// Budget is memory that many share. nil has no bound. It is safe for concurrent use.
type Budget struct {
	limit         int64
	used, refused atomic.Int64
}

// New makes a Budget of so many bytes.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Take takes n bytes. It says false, and takes none, if they are not free.
func (b *Budget) Take(n int64) bool {
	if b == nil || b.used.Add(n) <= b.limit || n <= 0 {
		return true
	}
	b.used.Add(-n)
	b.refused.Add(1)
	return false
}

// Give gives n bytes back.
func (b *Budget) Give(n int64) {
	if b != nil {
		b.used.Add(-n)
	}
}

// Limit is the number of bytes in all.
func (b *Budget) Limit() int64 { return b.limit }

// Used is the number of them that are taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Refused is the number of requests that found no memory free.
func (b *Budget) Refused() int64 { return b.refused.Load() }

// Refuse counts a holder that found none free.
func (b *Budget) Refuse() { b.refused.Add(1) }

// step is the least number of bytes by which a Share grows: a holder of little rarely asks the Budget.
const step = 16 << 10

// Share is one holder's part of a Budget. The zero value has no bound. It is used by one goroutine at a time,
// and must be released.
type Share struct {
	Of    *Budget
	taken int64
}

// Held returns the number of bytes taken.
func (s *Share) Held() int64 { return s.taken }

// Hold takes the bytes that are missing to hold n. It returns false, and changes nothing, if they are not free.
func (s *Share) Hold(n int64) bool {
	if n <= s.taken || s.Of == nil {
		return true
	}
	more := n - s.taken
	if more < step && s.Of.Take(step) {
		s.taken += step
		return true
	}
	if !s.Of.Take(more) {
		return false
	}
	s.taken += more
	return true
}

// Grow is Hold for n bytes more than are held.
func (s *Share) Grow(n int64) bool {
	if s.Of == nil || !s.Of.Take(n) {
		return s.Of == nil
	}
	s.taken += n
	return true
}

// Shrink gives back what is held beyond n bytes.
func (s *Share) Shrink(n int64) {
	if n < s.taken {
		s.Of.Give(s.taken - n)
		s.taken = n
	}
}

// GrowUpTo is Grow unless all holders would have more than most bytes then. It is not counted if it fails: see
// Budget.Refuse.
func (s *Share) GrowUpTo(n, most int64) bool {
	if s.Of == nil {
		return true
	}
	if s.Of.used.Add(n) > most {
		s.Of.used.Add(-n)
		return false
	}
	s.taken += n
	return true
}

// Release gives all back.
func (s *Share) Release() { s.Shrink(0) }
