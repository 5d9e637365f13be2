// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"context"
	"sync"
	"time"
)

// Scanners are the open scans of a server's clients, by their numbers. One that no client asks for a minute is closed.
// The zero value works. It is safe for concurrent use.
type Scanners struct {
	Now func() time.Time // default: time.Now

	mu   sync.Mutex
	last int32
	open map[int32]*leasedScanner
}

// leasedScanner is a scanner with its lease.
type leasedScanner struct {
	mu      sync.Mutex // held while the scanner reads
	scanner *Scanner
	user    string
	until   time.Time
}

func (s *Scanners) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// idMax is the greatest number of a scanner. Protocols may tell clients one bit more.
const idMax = 1<<30 - 1

// Add keeps a scanner of a user and returns its number. Errors: there are too many.
func (s *Scanners) Add(user string, scanner *Scanner) (id int32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	mine := 0
	for _, h := range s.open {
		if h.user == user {
			mine++
		}
	}
	if len(s.open) >= scannersMax || mine >= scannersUserMax {
		return 0, &Fault{Class: hbasePackage + "quotas.ThrottlingException",
			Message: "too many scanners are open: close those that are no longer needed", Retry: true}
	}
	for {
		if s.last++; s.last > idMax {
			s.last = 0
		}
		if _, taken := s.open[s.last]; !taken {
			break
		}
	}
	if s.open == nil {
		s.open = map[int32]*leasedScanner{}
	}
	s.open[s.last] = &leasedScanner{scanner: scanner, user: user, until: s.now().Add(leaseTime)}
	return s.last, nil
}

// expire closes scanners whose lease is over. The caller holds mu.
func (s *Scanners) expire() {
	now := s.now()
	for id, h := range s.open {
		if now.After(h.until) {
			delete(s.open, id)
		}
	}
}

// Next returns the next results of a user's scanner. Errors: IllegalArgument for one that is not open.
func (s *Scanners) Next(ctx context.Context, user string, id int32, results int) ([]Result, error) {
	h, err := s.find(user, id)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	page, err := h.scanner.Next(ctx, results)
	s.mu.Lock()
	h.until = s.now().Add(leaseTime)
	s.mu.Unlock()
	return page, err
}

func (s *Scanners) find(user string, id int32) (*leasedScanner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	h, ok := s.open[id]
	if !ok || h.user != user {
		return nil, Illegal("Invalid scanner Id: %d is not open; a scanner is closed after a minute without a call", id)
	}
	h.until = s.now().Add(24 * time.Hour) // while it reads
	return h, nil
}

// Close closes a user's scanner. Errors: IllegalArgument for one that is not open.
func (s *Scanners) Close(user string, id int32) error {
	if _, err := s.find(user, id); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	return nil
}
