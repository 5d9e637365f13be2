// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// A temporary table lives in a database of its own, which no list has. The session alone looks there, and finds it
// before a table or view of its name.

// temporaries are the temporary tables of a session.
type temporaries struct {
	of map[tree.Name]string // the database of each, by the name and database that statements have for it
	// gone are databases of dropped ones. An open transaction may still use them.
	gone []string
	// version names what is in of, among all sessions; "" if nothing is. Plans depend on it.
	version string
}

// temporaryDropMax bounds how long the tables of a session that has ended are dropped; what is left goes with the next
// start.
const temporaryDropMax = 10 * time.Second

// temporary finds the session's own table of a name; ok is false if there is none. Errors: fault.UnknownDatabase for a
// database of others' tables.
func (s *Session) temporary(n tree.Name) (own tree.Name, ok bool, err error) {
	if database.IsTemporary(n.Database) {
		if slices.Contains(slices.Collect(maps.Values(s.temporaries.of)), n.Database) {
			return n, true, nil
		}
		return n, false, fault.New(fault.UnknownDatabase, n.Database)
	}
	if len(s.temporaries.of) == 0 {
		return n, false, nil
	}
	n.Database = cmp.Or(n.Database, s.database)
	of, ok := s.temporaries.of[n]
	return tree.Name{Database: of, Name: n.Name}, ok, nil
}

// isTemporary reports whether a statement is about temporary tables alone: it leaves an open transaction open.
func isTemporary(read tree.Statement) bool {
	switch read := read.(type) {
	case *tree.CreateTable:
		return read.Temporary
	case *tree.DropTable:
		return read.Temporary
	}
	return false
}

// createTemporary is CREATE TEMPORARY TABLE.
func (s *Session) createTemporary(ctx context.Context, read *tree.CreateTable, c *call) error {
	dbName, name, err := s.base(read.Table)
	if err == nil {
		err = s.engine.checkDatabase(ctx, dbName)
	}
	if err != nil {
		return err
	}
	known := tree.Name{Database: dbName, Name: name}
	if _, exists := s.temporaries.of[known]; exists {
		e := fault.New(fault.TableExists, name)
		if !read.IfNotExists {
			return e
		}
		s.note(e.Code, e.Message)
		return c.sink.Done(result.Done{})
	}
	if len(read.ForeignKeys) > 0 {
		return fault.Message(fault.NotSupported, "temporary tables have no foreign keys")
	}
	of, err := s.engine.db.CreateTemporary(ctx)
	if err != nil {
		return err
	}
	unnamed := tree.Name{Database: of} // until it is filled, it hides nothing
	s.setTemporary(unnamed, of)
	made := *read
	made.Temporary, made.IfNotExists, made.Table = false, false, tree.Name{Database: of, Name: name}
	if read.Query != nil {
		err = s.createAs(ctx, &made, c)
	} else {
		err = s.schemas(ctx, &made, c)
	}
	delete(s.temporaries.of, unnamed)
	if err != nil {
		s.temporaries.gone = append(s.temporaries.gone, of)
		return err
	}
	s.setTemporary(known, of)
	return nil
}

// setTemporary finds a table in a database from now on; "": no more.
func (s *Session) setTemporary(known tree.Name, of string) {
	if s.temporaries.of == nil {
		s.temporaries.of = map[tree.Name]string{}
	}
	if of != "" {
		s.temporaries.of[known] = of
	} else {
		s.temporaries.gone = append(s.temporaries.gone, s.temporaries.of[known])
		delete(s.temporaries.of, known)
	}
	s.temporaries.version = ""
	if len(s.temporaries.of) > 0 {
		s.temporaries.version = strconv.FormatInt(s.engine.counts.temporaries.Add(1), 10)
	}
}

// dropTemporary drops those tables of a DROP TABLE that are temporary. done is false for a statement that has others,
// which are left in it.
func (s *Session) dropTemporary(read *tree.DropTable, c *call) (rest *tree.DropTable, done bool, err error) {
	var own, others []tree.Name
	for _, n := range read.Tables {
		dbName, name, err := s.base(n)
		if err != nil {
			return read, false, err
		}
		known := tree.Name{Database: dbName, Name: name}
		if _, ok := s.temporaries.of[known]; ok {
			own = append(own, known)
		} else {
			others = append(others, known)
		}
	}
	if len(others) > 0 && read.Temporary {
		names := make([]string, len(others))
		for i, n := range others {
			names[i] = n.Database + "." + n.Name
		}
		unknown := fault.New(fault.UnknownTableDrop, strings.Join(names, ","))
		if !read.IfExists {
			return read, false, unknown
		}
		s.note(unknown.Code, unknown.Message)
		others = nil
	}
	for _, known := range own {
		s.setTemporary(known, "")
	}
	if len(others) == 0 {
		return read, true, c.sink.Done(result.Done{})
	}
	left := *read
	left.Tables = others
	return &left, false, nil
}

// sweep drops what nobody finds any more, once no transaction can use it. What fails is dropped at the next start.
func (s *Session) sweep() {
	if len(s.temporaries.gone) == 0 || s.open != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), temporaryDropMax)
	defer cancel()
	for _, of := range s.temporaries.gone {
		if err := s.engine.db.DropDatabase(ctx, of, true); err != nil && database.KindOf(err) != database.KindNotFound {
			s.engine.options.Logger.Warn("failed to drop a temporary table", "database", of, "error", err)
		}
	}
	s.temporaries.gone = nil
}

// dropTemporaries drops all of a session that ends.
func (s *Session) dropTemporaries() {
	for known := range s.temporaries.of {
		s.setTemporary(known, "")
	}
	s.sweep()
}

// checkNotTemporary refuses a view of temporary tables. Errors: 1352.
func checkNotTemporary(q *queryStatement) error {
	for i := range q.Tables {
		if t := q.Tables[i].Table; database.IsTemporary(t.Database) {
			return fault.Message(codeViewTemporary, "View's SELECT refers to a temporary table '%s'", t.Name)
		}
	}
	return nil
}

const codeViewTemporary fault.Code = 1352

// ownTable is the hook by which statements about tables find temporary ones.
func (s *Session) ownTable(n tree.Name) (tree.Name, error) {
	own, ok, err := s.temporary(n)
	if err != nil || !ok {
		return n, err
	}
	return own, nil
}
