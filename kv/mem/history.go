// SPDX-License-Identifier: Apache-2.0

package mem

import "container/list"

// history remembers which keys were committed since the oldest open transaction began: what conflicts are found by, and
// no more. It is guarded by Store.mu.
type history struct {
	versions map[string]uint64 // key → version of its latest remembered commit
	commits  []commitRecord    // ascending versions; exactly the commits that versions was filled from
	// snapshot versions (uint64) of the open transactions, ascending since each begins at the latest
	open *list.List
}

type commitRecord struct {
	version uint64
	keys    []string
}

func newHistory() history {
	return history{versions: map[string]uint64{}, open: list.New()}
}

// begin notes that a transaction reads at version.
func (h *history) begin(version uint64) *list.Element { return h.open.PushBack(version) }

// end forgets an open transaction and the commits that only it could conflict with. Ending one of an earlier, closed
// history does nothing.
func (h *history) end(e *list.Element) {
	h.open.Remove(e)
	h.prune()
}

// record notes that keys were committed as version.
func (h *history) record(version uint64, keys []string) {
	h.commits = append(h.commits, commitRecord{version: version, keys: keys})
	for _, key := range keys {
		h.versions[key] = version
	}
}

// changedSince reports whether key was committed after version, which an open transaction reads at.
func (h *history) changedSince(key string, version uint64) bool { return h.versions[key] > version }

func (h *history) prune() {
	oldest := ^uint64(0)
	if front := h.open.Front(); front != nil {
		oldest = front.Value.(uint64)
	}
	for len(h.commits) > 0 && h.commits[0].version <= oldest {
		first := h.commits[0]
		for _, key := range first.keys {
			if h.versions[key] == first.version {
				delete(h.versions, key)
			}
		}
		h.commits[0] = commitRecord{} // the array lives on behind the slice: let the keys go
		h.commits = h.commits[1:]
	}
}
