// SPDX-License-Identifier: Apache-2.0

package heat

import "github.com/weftdb/weft/internal/advice/heat/diagnosis"

// Describe fills in the schema's part of a table or index: its names and key, and how to read one of its keys, of
// which it is handed the bytes after the object's own. ok is false if there is no such table any more.
type Describe func(id Object) (about diagnosis.Object, parts func(key []byte) []string, ok bool)

// Picture is the history as package diagnosis wants it.
func (h *History) Picture(describe Describe) (picture diagnosis.Object, ok bool) {
	picture, parts, ok := describe(h.Object)
	if !ok {
		return picture, false
	}
	first, _ := h.Object.Span()
	keyOf := func(key []byte) diagnosis.Key {
		if len(key) < len(first) {
			return diagnosis.Key{}
		}
		return diagnosis.Key{Bytes: string(key), Parts: parts(key[len(first):])}
	}
	keysOf := func(keys [][]byte) (list []diagnosis.Key) {
		for _, key := range keys {
			list = append(list, keyOf(key))
		}
		return list
	}
	for i := range h.Moments {
		m := &h.Moments[i]
		shown := diagnosis.Moment{From: m.From, To: m.To, Reads: m.Reads, Writes: m.Writes, Counted: m.Counted,
			Read: keysOf(m.Read), Written: keysOf(m.Written)}
		for d := range m.Tops {
			for _, t := range m.Tops[d] {
				shown.Tops[d] = append(shown.Tops[d], diagnosis.Top{Key: keyOf(t.Key), Count: t.Count, Over: t.Over})
			}
		}
		picture.Moments = append(picture.Moments, shown)
	}
	return picture, true
}
