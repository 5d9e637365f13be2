// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"bytes"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/fault"
)

// Estimates of the memory that statements use. A tree takes most by its parts, each of which has at least a byte in the
// text.
const (
	freeBytes = 2 << 10 // a shorter text is not counted while it is run
	textTimes = 3       // the text, the reader's copy of it, and its literals
	partBytes = 160     // a part of the tree, its plan and its parameter
	planBytes = 4 << 10 // of the least plan
)

// costOf estimates the memory for reading and planning a text.
func costOf(text []byte) int64 {
	parts := 0
	for _, mark := range []byte(", ('") {
		parts += bytes.Count(text, []byte{mark})
	}
	return textTimes*int64(len(text)) + partBytes*int64(parts)
}

// noMemory is the error of the statement that finds no memory. Others continue.
func noMemory(what string) error {
	return fault.New(fault.OutOfResources,
		"no memory left for "+what+" (--sql-memory): make it smaller, or try again later")
}

// admit counts the text of a statement that is to be run, until the share is released.
func (s *Session) admit(share *memory.Share, text []byte) error {
	share.Of = s.engine.options.Memory
	if len(text) > freeBytes && !share.Grow(costOf(text)) {
		return noMemory("a statement of this length")
	}
	return nil
}
