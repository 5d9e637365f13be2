// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"errors"
	"sync"
)

// Pages on their way from a goroutine that merges to the one that stores.
const (
	pageBytes = 256 << 10
	pagesMax  = 4
)

// page is some entries with their bytes.
type page struct {
	entries []entry
	bytes   []byte // of their keys and values; it never grows while it is filled, so that they stay where they are
	rows    int64  // of all pages up to this one
	err     error  // behind the entries
}

// take copies an entry into the page; false: it is full. An empty page takes any.
func (p *page) take(e *entry) bool {
	size := len(e.key) + len(e.value)
	if len(p.entries) == 0 && cap(p.bytes) < size {
		p.bytes = make([]byte, 0, max(size, pageBytes))
	}
	n := len(p.bytes)
	if cap(p.bytes)-n < size {
		return false
	}
	p.bytes = append(append(p.bytes, e.key...), e.value...)
	middle := n + len(e.key)
	p.entries = append(p.entries, entry{p.bytes[n:middle:middle], p.bytes[middle:len(p.bytes):len(p.bytes)], e.ordinal,
		e.isRow})
	return true
}

// ahead reads winners on a goroutine of its own, so that merging and storing go on side by side.
type ahead struct {
	full, free chan *page
	stop       chan struct{}
	reading    sync.WaitGroup
	err        error // why no more pages come; nil at the end of the entries. It is set before full is closed
	page       *page
	next       int
}

var errStopped = errors.New("load: the reading was stopped") // immutable

// readAhead begins to read. The caller closes what it returns before it closes from.
func readAhead(from *winners) *ahead {
	a := &ahead{full: make(chan *page, pagesMax), free: make(chan *page, pagesMax), stop: make(chan struct{})}
	for range pagesMax {
		a.free <- new(page)
	}
	a.reading.Go(func() { a.fill(from) })
	return a
}

// fill fills pages until the entries end or nobody wants them any more.
func (a *ahead) fill(from *winners) {
	defer close(a.full)
	var e entry
	ok, err := from.read(&e)
	for ok || err != nil {
		var p *page
		select {
		case <-a.stop:
			a.err = errStopped
			return
		case p = <-a.free:
		}
		p.entries, p.bytes = p.entries[:0], p.bytes[:0]
		for ok && p.take(&e) {
			p.rows = from.rows
			ok, err = from.read(&e)
		}
		p.err = err
		a.full <- p // there is room for all pages
		if err != nil {
			return
		}
	}
}

// read gives the next entry, valid until the next read.
func (a *ahead) read(e *entry) (bool, error) {
	for a.page == nil || a.next == len(a.page.entries) {
		if a.page != nil && a.page.err != nil {
			return false, a.page.err
		}
		if a.page != nil {
			a.free <- a.page
		}
		if a.page = <-a.full; a.page == nil {
			return false, a.err
		}
		a.next = 0
	}
	*e = a.page.entries[a.next]
	a.next++
	return true, nil
}

// close ends the reading.
func (a *ahead) close() {
	close(a.stop)
	a.reading.Wait()
}
