// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"strconv"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/partiql"
)

// partiqlList is the common part of requests of several statements.
type partiqlList struct {
	request
	statements partiqlParts
	capacity   returnConsumedCapacity
}

// partiqlParts are the statements of a request.
type partiqlParts struct {
	has   bool
	text  []byte // as they stand in the request
	count int
	list  []*partiqlStatement
}

func (p *partiqlParts) IsGiven() bool { return p.has }

// release counts the request and gives all memory back.
func (p *partiqlList) release(err *error) {
	cause := recover()
	if cause == nil {
		p.addCost(*err)
	}
	p.freeParts(cause == nil)
	p.free(cause == nil)
	if cause != nil {
		panic(cause) // lint:invariant the panic of a bug goes on
	}
}

func (p *partiqlList) freeParts(orderly bool) {
	for _, s := range p.statements.list {
		s.free(orderly)
	}
	p.statements = partiqlParts{}
}

// readParts reads the statements, structures of a class. Those behind a few too many are only counted: the request will
// be refused.
func (p *partiqlList) readParts(class string) error {
	p.freeParts(true)
	p.reader.Peek()
	start := p.reader.Offset()
	if err := p.reader.BeginArray(); err != nil {
		return err
	}
	for {
		ok, err := p.reader.NextElement()
		if err != nil {
			return err
		}
		if !ok {
			p.statements.has, p.statements.text = true, p.reader.Since(start)
			return nil
		}
		if err := p.reader.Expect(attributejson.Element(class)); err != nil {
			return err
		}
		if p.statements.count++; p.statements.count > p.limits.TransactionMax {
			err = p.reader.Skip()
		} else {
			s := take[partiqlStatement](p.api, &p.api.pools.partiqlPart, p.operation)
			p.statements.list = append(p.statements.list, s)
			err = s.readPart(&p.request)
		}
		if err != nil {
			return err
		}
	}
}

// checkParts judges the members of the request and of its statements, of which there may be so many; member is the name
// of their list.
func (p *partiqlList) checkParts(member string, most int) error {
	c := p.beginConstraints()
	p.constrain(c)
	switch n := p.statements.count; {
	case !p.statements.has:
	case n == 0:
		c.Add("'[]'", member, "Member must have length greater than or equal to 1")
	case n > most:
		c.Add("'["+strconv.Itoa(n)+" statements]'", member,
			"Member must have length less than or equal to "+strconv.Itoa(most))
	}
	for i, s := range p.statements.list {
		c.At = member + "." + strconv.Itoa(i+1) + ".member."
		s.constrain(c)
	}
	return c.Err()
}

// checkMixture refuses reads beside writes. Statements that can't be read count as neither.
func (p *partiqlList) checkMixture() error {
	reads, writes := false, false
	for _, s := range p.statements.list {
		if s.judged {
			reads, writes = reads || s.tree.Verb == partiql.Select, writes || s.tree.Verb.Writes()
		}
	}
	if reads && writes {
		return exception.Validation(p.operation + " must contain either reads alone or writes alone")
	}
	return nil
}

// writesItems reports whether the statements write.
func (p *partiqlList) writesItems() bool {
	return len(p.statements.list) > 0 && p.statements.list[0].tree.Verb.Writes()
}

// prepare makes the read or the write of a statement in a list, which is about one item. It returns the item's encoded
// key.
func (s *partiqlStatement) prepare() (key []byte, err error) {
	if s.tree.Verb != partiql.Select {
		if err := s.prepareWrite(); err != nil {
			return nil, err
		}
		return s.pin.AppendItemKey(nil, &s.write)
	}
	if err := s.enterSelect(); err != nil {
		return nil, err
	}
	if !s.isGet() {
		return nil, exception.Validation("Select statements within " + s.operation +
			" must specify the primary key in the where clause.")
	}
	s.write.Op = database.OpCheck
	if s.write.Row, err = s.keyOfWhere(); err != nil {
		return nil, err
	}
	return s.pin.AppendItemKey(nil, &s.write)
}

// find returns what a SELECT shows of the item of its key, nil if it does not select that. It lives until the next
// call.
func (s *partiqlStatement) find(row value.Row) (value.Row, error) {
	if row == nil {
		return nil, nil
	}
	if ok, err := s.selects(row); !ok || err != nil {
		return nil, err
	}
	return s.columnsOf(row)
}

// appendStatement appends the statements, those that repeat the one before as one.
func (p *partiqlList) appendStatement(dst []byte, _ bool) []byte {
	dst = append(dst, p.operation...)
	last := ""
	for _, s := range p.statements.list {
		if isFull(dst, false) {
			break
		}
		text := string(s.appendStatement(nil, false)[len(s.operation):])
		if text != last {
			dst = append(append(dst, ","...), text...)
		}
		last = text
	}
	return dst
}
