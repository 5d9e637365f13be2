// SPDX-License-Identifier: Apache-2.0

package operator

import "errors"

const (
	// partBits is the number of bits of the hash part rows at once.
	partBits = 5
	// partLevels is the number of times that parts are parted again.
	partLevels = 4
)

// part is the rows of both sides whose hashes begin alike.
type part struct {
	left, right recordList
	level       int
	whole       bool // parting it again does not help: it is of few keys
}

func (p *part) close() error { return errors.Join(p.left.close(), p.right.close()) }

// partWriter are parts while rows are put into them.
type partWriter struct {
	of    *HashJoin
	level int
	parts [1 << partBits]*part
	piece []byte
}

// partOf is the part of a hash. The table uses the lower half of it.
func (p *partWriter) partOf(hash uint64) *part {
	i := hash >> (64 - partBits*(p.level+1)) & (1<<partBits - 1)
	if p.parts[i] == nil {
		p.parts[i] = &part{level: p.level + 1}
		p.parts[i].left.begin(p.of.Budget, &p.of.Counts)
		p.parts[i].right.begin(p.of.Budget, &p.of.Counts)
		// All goes to files at once: what memory there is serves the tables.
		p.parts[i].left.memory.free, p.parts[i].left.memory.most = bytesFree, 0
		p.parts[i].right.memory.free, p.parts[i].right.memory.most = bytesFree, 0
	}
	return p.parts[i]
}

func (p *partWriter) addRight(hash uint64, null bool, record []byte) error {
	p.piece = appendPiece(p.piece[:0], hash, null, record)
	return p.partOf(hash).right.add(p.piece)
}

func (p *partWriter) addLeft(hash uint64, null bool, record []byte) error {
	p.piece = appendPiece(p.piece[:0], hash, null, record)
	return p.partOf(hash).left.add(p.piece)
}

// finish hands the parts on. A part that cannot yield a row is dropped.
func (p *partWriter) finish(from int64) error {
	j := p.of
	for _, one := range p.parts {
		if one == nil {
			continue
		}
		j.parts = append(j.parts, one)
		if err := errors.Join(one.left.finish(), one.right.finish()); err != nil {
			return err
		}
		one.whole = from > 0 && one.right.bytes > from/10*9
	}
	return nil
}

// partTable moves what the table holds into parts.
func (j *HashJoin) partTable() (*partWriter, error) {
	if j.table.memory.of.Spill == nil {
		return nil, j.table.memory.of.full("a join")
	}
	p := &partWriter{of: j}
	for i := range j.table.entries {
		e := &j.table.entries[i]
		record := j.table.arena.get(e.at)
		key, _ := cutKeyed(record)
		if err := p.addRight(j.table.hash(key), e.next == unlinked, record); err != nil {
			return p, errors.Join(err, p.finish(0))
		}
	}
	j.table.clear()
	return p, nil
}

// partLeft puts all left rows into parts.
func (j *HashJoin) partLeft(p *partWriter) error {
	for {
		ok, null, err := j.readLeft()
		if err != nil {
			return errors.Join(err, p.finish(0))
		}
		if !ok {
			break
		}
		j.record = appendSlots(appendKeyed(j.record[:0], j.key), j.Context.Row, j.LeftSlots)
		if err = j.pulse.check(); err == nil {
			err = p.addLeft(j.hash, null, j.record)
		}
		if err != nil {
			return errors.Join(err, p.finish(0))
		}
	}
	j.leftOpen = false
	if err := errors.Join(j.Left.Close(), p.finish(0)); err != nil {
		return err
	}
	return j.nextPart()
}

// probe are the left rows of a part.
type probe struct {
	reader keptReader
	right  keptReader // behind the piece at hand
	rest   []byte     // the record that did not fit into the piece
	number int64      // of the row at hand, from 1
	pieces bool       // the right side comes in several pieces
	met    []uint64   // of several pieces: a bit for each left row that has a partner
}

func (p *probe) bit() (at *uint64, mask uint64) {
	n := p.number - 1
	return &p.met[n/64], 1 << (n % 64)
}

// meet notes that the row at hand has a partner.
func (p *probe) meet() {
	if p.pieces {
		at, mask := p.bit()
		*at |= mask
	}
}

// isDecided says that an earlier piece has decided on the row at hand.
func (p *probe) isDecided(kind JoinKind) bool {
	if !p.pieces || !kind.once() {
		return false
	}
	at, mask := p.bit()
	return *at&mask != 0
}

// read reads the next left row of the part into its slots.
func (p *probe) read(j *HashJoin) (ok, null bool, err error) {
	piece, ok, err := p.reader.next()
	if err != nil || !ok {
		return false, false, err
	}
	p.number++
	hash, null, record, err := cutPiece(piece)
	if err != nil {
		return false, false, err
	}
	key, row := cutKeyed(record)
	j.hash, j.key = hash, append(j.key[:0], key...)
	return true, null, cutSlots(row, j.Context.Row, j.LeftSlots)
}

// nextPart begins the next part; without one, the join has ended.
func (j *HashJoin) nextPart() error {
	for {
		if j.part != nil {
			if err := j.part.close(); err != nil {
				return err
			}
		}
		j.table.clear()
		last := len(j.parts) - 1
		if last < 0 {
			j.part, j.phase = nil, ended
			return nil
		}
		j.part, j.parts = j.parts[last], j.parts[:last]
		if j.part.left.rows == 0 && !j.Kind.keepsRight() || j.part.right.rows == 0 && !j.Kind.keepsLeft() {
			continue
		}
		if !j.part.whole && j.part.level < partLevels &&
			j.part.right.bytes+j.part.right.rows*entryBytes > j.table.memory.most {
			if err := j.partAgain(); err != nil {
				return err
			}
			continue
		}
		return j.beginPart()
	}
}

// partAgain parts the part at hand by more bits.
func (j *HashJoin) partAgain() error {
	p := &partWriter{of: j, level: j.part.level}
	err := j.spread(&j.part.right, p.addRight)
	if err == nil {
		err = j.spread(&j.part.left, p.addLeft)
	}
	return errors.Join(err, p.finish(j.part.right.bytes))
}

func (j *HashJoin) spread(of *recordList, add func(hash uint64, null bool, record []byte) error) error {
	var reader keptReader
	reader.begin(of)
	for {
		piece, ok, err := reader.next()
		if err != nil || !ok {
			return err
		}
		hash, null, record, err := cutPiece(piece)
		if err == nil {
			err = j.pulse.check()
		}
		if err == nil {
			err = add(hash, null, record)
		}
		if err != nil {
			return err
		}
	}
}

func (j *HashJoin) beginPart() error {
	j.probe = probe{}
	j.probe.right.begin(&j.part.right)
	return j.load()
}

// load makes a table of the next piece of the part's right side and begins its left side again.
func (j *HashJoin) load() error {
	j.table.clear()
	for {
		piece := j.probe.rest
		if j.probe.rest = nil; piece == nil {
			var ok bool
			var err error
			if piece, ok, err = j.probe.right.next(); err != nil {
				return err
			}
			if !ok {
				break
			}
		}
		if err := j.pulse.check(); err != nil {
			return err
		}
		hash, null, record, err := cutPiece(piece)
		if err != nil {
			return err
		}
		if j.table.add(hash, record, !null) {
			continue
		}
		if len(j.table.entries) == 0 {
			return j.table.memory.of.full("a row of a join")
		}
		j.probe.rest = append([]byte(nil), piece...)
		if err := j.beginPieces(); err != nil {
			return err
		}
		break
	}
	j.phase, j.candidates, j.probe.number = probing, false, 0
	j.probe.reader.begin(&j.part.left)
	return nil
}

// beginPieces makes room for what is known of the left rows after each piece: a bit of each.
func (j *HashJoin) beginPieces() error {
	if j.probe.pieces {
		return nil
	}
	j.probe.pieces = true
	j.probe.met = make([]uint64, (j.part.left.rows+63)/64)
	return nil
}

// nextPiece goes on when the table at hand is done.
func (j *HashJoin) nextPiece() error {
	switch {
	case j.part == nil:
		j.phase = ended
		return nil
	case j.probe.rest != nil:
		return j.load()
	case j.probe.pieces && j.Kind.keepsLeft():
		j.phase, j.probe.number = unmetLeft, 0
		j.probe.reader.begin(&j.part.left)
		setNull(j.Context.Row, j.RightSlots)
		return nil
	}
	return j.nextPart()
}

// nextUnmetLeft sends the left rows that met none of the pieces.
func (j *HashJoin) nextUnmetLeft() (bool, error) {
	ok, null, err := j.probe.read(j)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, j.nextPart()
	}
	if at, mask := j.probe.bit(); *at&mask != 0 || null && j.Kind == AntiNull {
		return false, nil
	}
	return true, nil
}
