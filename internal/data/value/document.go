// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// headerReserve is the size that Begin functions append: the tag, and a byte each for the byte length and the count.
// Documents that need longer numbers are moved by End functions.
const headerReserve = 3

// BeginList begins a list at the end of dst. Values are appended next; EndList, given the length that dst had before
// BeginList, completes it. Lists, maps and sets may be begun inside one another.
func BeginList(dst []byte) []byte { return append(dst, tagList, 0, 0) }

// EndList completes the list that begins at dst[start]. ErrMalformed says that what stands after it is not a row of
// values; dst is then of no more use, as with all End functions.
func EndList(dst []byte, start int) ([]byte, error) {
	count, rest := 0, dst[start+headerReserve:]
	for len(rest) > 0 {
		var err error
		if _, rest, err = Cut(rest); err != nil {
			return dst, err
		}
		count++
	}
	return endDocument(dst, start, count), nil
}

// BeginMap begins a map at the end of dst. Entries are appended next in any order, each as AppendName and one value;
// EndMap, given the length that dst had before BeginMap, completes it.
func BeginMap(dst []byte) []byte { return append(dst, tagMap, 0, 0) }

// EndMap completes the map that begins at dst[start], and sorts it where need be; only then, and if it has many
// entries, it allocates. Besides EndList's error there is ErrDuplicateName.
func EndMap(dst []byte, start int) ([]byte, error) {
	var few [partsFew]part
	count, sorted := 0, true
	var last []byte
	body := dst[start+headerReserve:]
	for rest := body; len(rest) > 0; count++ {
		begin := len(body) - len(rest)
		name, after, ok := cutString(rest)
		if !ok {
			return dst, ErrMalformed
		}
		if sorted && count > 0 {
			order := bytes.Compare(last, name)
			if order == 0 {
				return dst, ErrDuplicateName
			}
			sorted = order < 0
		}
		var err error
		if _, rest, err = Cut(after); err != nil {
			return dst, err
		}
		if count < partsFew {
			few[count] = part{key: name, start: begin, end: len(body) - len(rest)}
		}
		last = name
	}
	if !sorted && !sortParts(dst, start+headerReserve, count, &few, cutEntry) {
		return dst, ErrDuplicateName
	}
	return endDocument(dst, start, count), nil
}

// BeginSet begins a set of the given kind (StringSet, NumberSet or BinarySet) at the end of dst. Members are appended
// next as String, Number or Binary values; EndSet, given the length that dst had before BeginSet, completes it.
func BeginSet(dst []byte, kind Kind) []byte {
	tag := byte(0) // of no value: whatever reads it reports ErrMalformed
	if kind.IsSet() {
		tag = tagOfSet[kind]
	}
	return append(dst, tag, 0, 0)
}

// EndSet completes the set that begins at dst[start], and sorts it where need be; only then, and if it has many
// members, it allocates. Besides EndList's error, which includes a member of the wrong kind, there are ErrEmptySet and
// ErrDuplicateMember.
func EndSet(dst []byte, start int) ([]byte, error) {
	memberKind := kindOfTag[dst[start]].MemberKind()
	var few [partsFew]part
	count, sorted := 0, true
	var last []byte
	body := dst[start+headerReserve:]
	for rest := body; len(rest) > 0; count++ {
		begin := len(body) - len(rest)
		member, after, err := Cut(rest)
		if err != nil {
			return dst, err
		}
		if member.Kind() != memberKind {
			return dst, ErrMalformed
		}
		key := sortKey(member)
		if sorted && count > 0 {
			order := bytes.Compare(last, key)
			if order == 0 {
				return dst, ErrDuplicateMember
			}
			sorted = order < 0
		}
		if count < partsFew {
			few[count] = part{key: key, start: begin, end: len(body) - len(after)}
		}
		last, rest = key, after
	}
	if count == 0 {
		return dst, ErrEmptySet
	}
	if !sorted && !sortParts(dst, start+headerReserve, count, &few, cutMember) {
		return dst, ErrDuplicateMember
	}
	return endDocument(dst, start, count), nil
}

// endDocument writes count and byte length into the header at dst[start], moving what follows where they need more
// room.
func endDocument(dst []byte, start, count int) []byte {
	body := len(dst) - start - headerReserve
	countLen := uvarintLen(uint64(count))
	length := uint64(countLen + body)
	if more := uvarintLen(length) + countLen - (headerReserve - 1); more > 0 {
		dst = slices.Grow(dst, more)[:len(dst)+more]
		copy(dst[start+headerReserve+more:], dst[start+headerReserve:len(dst)-more])
	}
	n := binary.PutUvarint(dst[start+1:], length)
	binary.PutUvarint(dst[start+1+n:], uint64(count))
	return dst
}

// part is one map entry or set member while they are sorted: what it is sorted by, and where it stands among the
// others.
type part struct {
	key        []byte
	start, end int
}

// partsFew is the number of parts that are sorted without looking for them a second time.
const partsFew = 8

// cutEntry steps over a map entry of b, which is known to be well-formed, and returns its name.
func cutEntry(b []byte) (key, rest []byte) {
	name, after, _ := cutString(b)
	_, rest, _ = Cut(after)
	return name, rest
}

// cutMember steps over a set member of b, which is known to be well-formed, and returns what it is sorted by.
func cutMember(b []byte) (key, rest []byte) {
	member, rest, _ := Cut(b)
	return sortKey(member), rest
}

// sortParts sorts the count parts that stand in dst[start:] and reports whether all their keys differ. few holds the
// first of them.
func sortParts(dst []byte, start, count int, few *[partsFew]part, cut func([]byte) (key, rest []byte)) bool {
	body := dst[start:]
	if count <= partsFew {
		insertionSort(few[:count])
		return rearrange(dst, start, few[:count])
	}
	if count <= 64 {
		var parts [64]part
		return sortMany(dst, start, collect(parts[:0], body, cut))
	}
	return sortMany(dst, start, collect(make([]part, 0, count), body, cut))
}

// collect appends the parts of body.
func collect(parts []part, body []byte, cut func([]byte) (key, rest []byte)) []part {
	for rest := body; len(rest) > 0; {
		p := part{start: len(body) - len(rest)}
		p.key, rest = cut(rest)
		p.end = len(body) - len(rest)
		parts = append(parts, p)
	}
	return parts
}

func sortMany(dst []byte, start int, parts []part) bool {
	slices.SortFunc(parts, func(a, b part) int { return bytes.Compare(a.key, b.key) })
	return rearrange(dst, start, parts)
}

func insertionSort(parts []part) {
	for i := 1; i < len(parts); i++ {
		p, j := parts[i], i
		for ; j > 0 && bytes.Compare(p.key, parts[j-1].key) < 0; j-- {
			parts[j] = parts[j-1]
		}
		parts[j] = p
	}
}

// rearrange puts what stands in dst[start:] into the order of parts, which are sorted; it returns false instead if two
// are the same.
func rearrange(dst []byte, start int, parts []part) bool {
	for i := 1; i < len(parts); i++ {
		if bytes.Equal(parts[i-1].key, parts[i].key) {
			return false
		}
	}
	body := append(dst, dst[start:]...)[len(dst):] // a copy behind dst's end
	for _, p := range parts {
		start += copy(dst[start:], body[p.start:p.end])
	}
	return true
}

// sortKey returns the bytes by which a set's member is ordered among the others: as Compare does.
func sortKey(member Value) []byte {
	if member.Kind() == Number {
		return member[1:]
	}
	return member.Bytes()
}

func compareMembers(a, b Value) int { return bytes.Compare(sortKey(a), sortKey(b)) }
