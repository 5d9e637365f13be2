// SPDX-License-Identifier: Apache-2.0

package variable

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// mode is a word of sql_mode.
type mode struct {
	name string
	bit  int    // its number in MySQL
	of   string // what it stands for, if that is several modes
	// refused says that Weft does otherwise.
	refused bool
}

// modesAll are MySQL's modes in the order in which it shows them. Those that are neither refused nor among Settings say
// what Weft does anyway. // immutable
var modesAll = [...]mode{
	{name: "REAL_AS_FLOAT", bit: 0},
	{name: "PIPES_AS_CONCAT", bit: 1},
	{name: "ANSI_QUOTES", bit: 2},
	{name: "IGNORE_SPACE", bit: 3},
	{name: "ONLY_FULL_GROUP_BY", bit: 5},
	{name: "NO_UNSIGNED_SUBTRACTION", bit: 6, refused: true},
	{name: "NO_DIR_IN_CREATE", bit: 7, refused: true},
	{name: "ANSI", bit: 18, of: "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY"},
	{name: "NO_AUTO_VALUE_ON_ZERO", bit: 19},
	{name: "NO_BACKSLASH_ESCAPES", bit: 20},
	{name: "STRICT_TRANS_TABLES", bit: 21},
	{name: "STRICT_ALL_TABLES", bit: 22},
	{name: "NO_ZERO_IN_DATE", bit: 23},
	{name: "NO_ZERO_DATE", bit: 24},
	{name: "ALLOW_INVALID_DATES", bit: 25},
	{name: "ERROR_FOR_DIVISION_BY_ZERO", bit: 26},
	{name: "TRADITIONAL", bit: 27, of: "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"},
	{name: "NO_AUTO_CREATE_USER", bit: 28},
	{name: "HIGH_NOT_PRECEDENCE", bit: 29, refused: true},
	{name: "NO_ENGINE_SUBSTITUTION", bit: 30},
	{name: "PAD_CHAR_TO_FULL_LENGTH", bit: 31, refused: true},
	{name: "TIME_TRUNCATE_FRACTIONAL", bit: 32, refused: true},
}

// judgeModes returns how a value of sql_mode is shown: each mode once, in MySQL's order, with what it stands for.
// Errors: fault.WrongVariableValue, fault.Unsupported for a mode that Weft does not honour.
func judgeModes(value datum.Datum, given string) (string, error) {
	wanted, err := modesOf(value, given)
	if err != nil {
		return "", err
	}
	var shown []string
	for i := range modesAll {
		m := &modesAll[i]
		if wanted>>m.bit&1 == 0 {
			continue
		}
		if m.refused {
			return "", fault.New(fault.Unsupported,
				"the SQL mode "+m.name+" is not supported: leave it out of sql_mode")
		}
		shown = append(shown, m.name)
	}
	return strings.Join(shown, ","), nil
}

// modesOf reads names of modes, or their bits as MySQL numbers them.
func modesOf(value datum.Datum, given string) (bits uint64, err error) {
	if k := value.Kind(); k == datum.KindInt || k == datum.KindUint {
		if bits, err = strconv.ParseUint(given, 10, 64); err != nil || bits >= 1<<33 {
			return 0, fault.New(fault.WrongVariableValue, "sql_mode", given)
		}
		given = ""
	}
	for _, name := range strings.Split(given, ",") {
		if name = strings.TrimRight(name, " "); name == "" {
			continue
		}
		m := modeNamed(name)
		if m == nil {
			return 0, fault.New(fault.WrongVariableValue, "sql_mode", name)
		}
		bits |= 1 << m.bit
	}
	for i := range modesAll {
		if m := &modesAll[i]; bits>>m.bit&1 != 0 && m.of != "" {
			for _, name := range strings.Split(m.of, ",") {
				bits |= 1 << modeNamed(name).bit
			}
		}
	}
	return bits, nil
}

func modeNamed(name string) *mode {
	for i := range modesAll {
		if strings.EqualFold(modesAll[i].name, name) {
			return &modesAll[i]
		}
	}
	return nil
}

// modes sets what the modes change.
func (s *Settings) modes(shown string) {
	s.Lax = !strings.Contains(shown, "STRICT_")
	s.LooseGroups = !strings.Contains(shown, "ONLY_FULL_GROUP_BY")
	s.ZeroDates = s.Lax || !strings.Contains(shown, "NO_ZERO_DATE")
	s.StrictDivision = !s.Lax && strings.Contains(shown, "ERROR_FOR_DIVISION_BY_ZERO")
	for _, name := range strings.Split(shown, ",") {
		switch name {
		case "ANSI_QUOTES":
			s.AnsiQuotes = true
		case "PIPES_AS_CONCAT":
			s.PipesAsConcat = true
		case "NO_BACKSLASH_ESCAPES":
			s.NoBackslashEscapes = true
		case "REAL_AS_FLOAT":
			s.RealAsFloat = true
		case "NO_AUTO_VALUE_ON_ZERO":
			s.NoAutoValueOnZero = true
		}
	}
}
