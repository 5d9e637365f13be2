// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// set does SET. Its assignments are done in order; those before a faulty one stay done, as in MySQL.
func (s *Session) set(ctx context.Context, st *tree.Set, c *call) error {
	for i := range st.Assignments {
		a := &st.Assignments[i]
		var value *datum.Datum
		if _, preset := a.Value.(*tree.Default); !preset {
			d, err := s.valueOf(ctx, a.Value, c)
			if err != nil {
				return err
			}
			value = &d
		}
		if err := s.assign(ctx, &a.Variable, value); err != nil {
			return err
		}
	}
	return c.sink.Done(result.Done{})
}

// valueOf computes an expression, which may have queries.
func (s *Session) valueOf(ctx context.Context, e tree.Expression, c *call) (datum.Datum, error) {
	if tree.HasQuery(e) {
		row := &oneRow{columns: 1}
		read := &tree.Select{List: []tree.SelectItem{{Expression: e}}}
		err := s.answerInto(ctx, read, c, func() result.Sink { *row = oneRow{columns: 1}; return row })
		if err != nil {
			return datum.Null, err
		}
		return row.values[0], nil
	}
	d, err := s.constant(ctx, e, c.parameters)
	return d.Clone(), err
}

// assign sets one variable. A nil value is its default.
func (s *Session) assign(ctx context.Context, v *tree.Variable, value *datum.Datum) error {
	if !v.System {
		return s.assignUser(v.Name, value)
	}
	if err := s.checkStore(v.Name, value); err != nil {
		return err
	}
	if v.Global {
		return s.engine.variables.SetGlobal(v.Name, value)
	}
	switch strings.ToLower(v.Name) {
	case "names", "character set", "charset", "character_set":
		return s.assignNames(value)
	case "next_transaction_read_only":
		return s.assignNext(value)
	case "next_transaction_isolation":
		return s.assignNextIsolation(value)
	case "autocommit":
		return s.assignAutocommit(ctx, value)
	case "password":
		return fault.Message(fault.NotSupported, "use the command weft user passwd to change passwords")
	}
	return s.assignSession(v.Name, value)
}

// userVariablesMax and userBytesMax bound what a session keeps in @variables.
const (
	userVariablesMax = 1000
	userBytesMax     = 1 << 20
)

func (s *Session) assignUser(name string, value *datum.Datum) error {
	name = strings.ToLower(name)
	before, there := s.user[name]
	if value == nil || value.IsNull() {
		s.userBytes -= int64(before.Len())
		s.userMemory.Shrink(s.userBytes)
		delete(s.user, name)
		return nil
	}
	if s.user == nil {
		s.user = map[string]datum.Datum{}
	}
	if !there && len(s.user) >= userVariablesMax || value.Len() > userBytesMax {
		return fault.Message(fault.Refused, "a session may have at most %d variables of %d bytes each",
			userVariablesMax, userBytesMax)
	}
	bytes := s.userBytes + int64(value.Len()-before.Len())
	if !s.userMemory.Hold(bytes) {
		return noMemory("a variable of this length")
	}
	s.userBytes = bytes
	s.user[name] = *value
	return nil
}

func (s *Session) assignSession(name string, value *datum.Datum) error {
	values, err := s.engine.variables.Set(s.values, name, value)
	if err == nil {
		err = s.askLimits(values)
	}
	if err != nil {
		return err
	}
	s.values = values
	switch {
	case strings.EqualFold(name, "sql_mode"):
		s.warnInvalidDates()
	case strings.EqualFold(name, "collation_connection") && value != nil:
		if text := string(value.AppendText(nil)); strings.HasSuffix(strings.ToLower(text), "_ci") {
			s.warn(fault.NotSupported, definition.CollationNote(text))
		}
	}
	return nil
}

// warnInvalidDates tells whoever allows dates that there are not that they are refused all the same.
func (s *Session) warnInvalidDates() {
	mode, err := s.engine.variables.Get(s.values, "sql_mode")
	if err != nil {
		return
	}
	if strings.Contains(string(mode.Bytes()), "ALLOW_INVALID_DATES") {
		s.warnings = append(s.warnings[:min(len(s.warnings), warningsMax-1)], warning{"Note", fault.Unknown,
			"an invalid date is an error in every sql_mode, even with ALLOW_INVALID_DATES"})
	}
}

// assignNames does SET NAMES, without the COLLATE that may follow.
func (s *Session) assignNames(value *datum.Datum) error {
	for _, name := range [...]string{"character_set_client", "character_set_connection", "character_set_results"} {
		if err := s.assignSession(name, value); err != nil {
			if value != nil {
				return fault.New(fault.UnknownCharset, string(value.AppendText(nil)))
			}
			return err
		}
	}
	return s.assignSession("collation_connection", nil)
}

// assignNext is SET TRANSACTION READ ONLY or READ WRITE, for the next transaction alone.
func (s *Session) assignNext(value *datum.Datum) error {
	if s.open != nil {
		return fault.New(fault.TransactionUnderWay)
	}
	readOnly := value != nil && string(value.AppendText(nil)) == "ON"
	s.nextRead = &readOnly
	return nil
}

// checkStore refuses values that the store can't give.
func (s *Session) checkStore(name string, value *datum.Datum) error {
	if value == nil {
		return nil
	}
	name, shown := strings.ToLower(name), string(value.AppendText(nil))
	switch {
	case strings.HasSuffix(name, "_isolation") && !s.engine.db.Serializes() &&
		(strings.EqualFold(shown, "SERIALIZABLE") || shown == "3"):
		return fault.Message(fault.NotSupported,
			"SERIALIZABLE is not supported on a store that several gateways share: use REPEATABLE READ, and read FOR UPDATE the rows that must not change")
	case name == "weft_replica_read" && (strings.EqualFold(shown, "any") || shown == "1") && !s.engine.db.ReadsReplicas():
		return fault.Message(fault.NotSupported,
			"weft_replica_read = 'any' needs replicas to read: a TiKV cluster, and a gateway with --tikv-replica-reads")
	}
	return nil
}

// assignNextIsolation is SET TRANSACTION ISOLATION LEVEL, for the next transaction alone.
func (s *Session) assignNextIsolation(value *datum.Datum) error {
	if s.open != nil {
		return fault.New(fault.TransactionUnderWay)
	}
	values, err := s.engine.variables.Set(s.values, "transaction_isolation", value)
	if err == nil {
		s.nextIsolation = &values.Isolation
	}
	return err
}

// assignAutocommit commits what is open when autocommit is switched on.
func (s *Session) assignAutocommit(ctx context.Context, value *datum.Datum) error {
	before := s.values.Autocommit
	if err := s.assignSession("autocommit", value); err != nil {
		return err
	}
	if !before && s.values.Autocommit {
		return s.commit(ctx)
	}
	return nil
}
