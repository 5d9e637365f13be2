// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"fmt"
	"strings"
	"testing"
)

// servers open the servers that judge; the first is asked first. // immutable
var servers = []func(*testing.T) (*server, bool){openMySQL, openMariaDB}

// court is Weft and those that judge its answers to queries. All hold the same tables.
type court struct {
	t              *testing.T
	seed           uint64
	weft           *own
	other          *embedded
	mysql, mariadb *server // nil: not on this machine
}

// openCourt opens all of a court, and fills their tables.
func openCourt(t *testing.T, seed uint64) (c *court, ok bool) {
	t.Helper()
	c = &court{t: t, seed: seed, weft: openOwn(t), other: openEmbedded(t)}
	judges := []judge{c.weft, c.other}
	if s, ok := openMySQL(t); ok {
		c.mysql, judges = s, append(judges, s)
	}
	if s, ok := openMariaDB(t); ok {
		c.mariadb, judges = s, append(judges, s)
	}
	if c.mysql == nil && c.mariadb == nil {
		return nil, false
	}
	fill(t, seed, judges)
	return c, true
}

// wrong is the verdict that Weft's answer differs from what all others say.
const wrong = "wrong"

// judge returns "" for an answer of Weft's that MySQL gives too (MariaDB, where MySQL isn't there or doesn't read the
// statement), wrong, or what is doubtful. said is what the others answered.
func (c *court) judge(statement string, mine answer, ordered bool) (verdict, said string) {
	asked := false
	if c.mysql != nil {
		right := c.ask(&c.mysql, openMySQL, statement)
		if mine.same(right, ordered) || late(right) {
			return "", ""
		}
		asked = !unread(right)
		said = fmt.Sprintf("MySQL: %v\n", right)
	}
	switch {
	case late(mine):
		return "Weft took too long", said
	case c.mariadb != nil:
		right := c.ask(&c.mariadb, openMariaDB, statement)
		said += fmt.Sprintf("MariaDB: %v\n", right)
		switch {
		case late(right):
			return "MariaDB took too long", said
		case mine.same(right, ordered) && !asked:
			return "", ""
		case mine.same(right, ordered):
			return "MariaDB agrees, MySQL does not", said
		case mine.err == nil && avoid(statement) != statement &&
			mine.same(limited(c.t, c.mariadb, avoid(statement)), ordered):
			return "MariaDB agrees in an equal form of the statement", said
		}
	}
	if mine.err == nil && mine.same(limited(c.t, c.other, statement), ordered) {
		return "only go-mysql-server agrees", said
	}
	return wrong, said
}

// ask asks a server. One that a statement has crashed is started again.
func (c *court) ask(s **server, open func(*testing.T) (*server, bool), statement string) answer {
	a := limited(c.t, *s, statement)
	if a.err == nil || !strings.Contains(a.err.Error(), "connection") {
		return a
	}
	c.t.Logf("seed %d: %s has crashed, another is started: %s", c.seed, (*s).brand, statement)
	*s, _ = open(c.t)
	fill(c.t, c.seed, []judge{*s})
	return answer{err: fmt.Errorf("maximum statement execution time exceeded: it crashed")}
}

// unread reports whether a server does not know the grammar of a statement.
func unread(a answer) bool { return a.err != nil && strings.Contains(a.err.Error(), "Error 1064") }
