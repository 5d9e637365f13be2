// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// The names of options that other code reads.
const (
	OptionTTL              = "TTL"
	OptionVersions         = "VERSIONS"
	OptionCompactionPeriod = "COMPACTION_MAJOR_PERIOD"
	OptionConsistency      = "CONSISTENCY"
	OptionMutability       = "MUTABILITY"
	OptionComment          = "COMMENT"

	optionDynamic   = "DYNAMIC_COLUMNS"
	optionWildcard  = "WILDCARD_COLUMN"
	optionRegions   = "NUMREGIONS"
	optionStartKey  = "STARTKEY"
	optionEndKey    = "ENDKEY"
	optionSplitKeys = "SPLITKEYS"
	optionTimeAt    = "CHS_COLUMN"
	optionSparse    = "SPARSE"
	optionCovered   = "INDEX_COVERED_TYPE"
	optionInsert    = "INSERT_MODE"
	optionStream    = "STREAM"
	optionRecovery  = "RECOVERY_DAYS"

	wordTrue  = "true"
	wordFalse = "false"
)

// regionsMax is the number of regions a table may begin with.
const regionsMax = 4096

// rule says what an option may be. check returns the value as it is kept, or what to write instead.
type rule struct {
	table, index bool // on what it may stand
	fixed        bool // it can't be changed by ALTER TABLE
	check        func(value string) (kept, instead string)
}

// rules returns the rule of each option, by its name in upper case.
func rules() map[string]rule {
	both := func(check func(string) (string, string)) rule { return rule{table: true, index: true, check: check} }
	table := func(check func(string) (string, string)) rule { return rule{table: true, check: check} }
	region := func(check func(string) (string, string)) rule {
		return rule{table: true, index: true, fixed: true, check: check}
	}
	index := func(check func(string) (string, string)) rule { return rule{index: true, check: check} }
	return map[string]rule{
		OptionTTL:              both(whole(1, 1<<31-1, "whole seconds, or '' for never")),
		OptionVersions:         table(number(0, 1<<31-1)),
		OptionCompactionPeriod: both(whole(1, 1<<53, "whole milliseconds, or '' for the default")),
		"COMPRESSION":          both(oneOf("NONE", "SNAPPY", "ZSTD", "LZ4")),
		"DATA_BLOCK_ENCODING": both(oneOf("NONE", "PREFIX", "DIFF", "FAST_DIFF", "PREFIX_TREE", "ROW_INDEX_V1",
			"INDEX")),
		optionDynamic:     table(truth),
		optionWildcard:    {table: true, fixed: true, check: acceptAny},
		optionRegions:     region(number(1, regionsMax)),
		optionStartKey:    region(acceptAny),
		optionEndKey:      region(acceptAny),
		optionSplitKeys:   region(acceptAny),
		OptionConsistency: table(oneOf("eventual", "strong")),
		OptionMutability:  table(oneOf("IMMUTABLE", "IMMUTABLE_ROWS", "MUTABLE_LATEST", "MUTABLE_ALL")),
		"CHS":             both(whole(1, 1<<31-1, "whole seconds, or '' for none")),
		"CHS_L2":          both(oneOf("", "storagetype=COLD")),
		optionTimeAt:      table(acceptAny),
		"EC_POLICY":       both(erasure),
		OptionComment:     {table: true, index: true, check: acceptAny},
		optionInsert:      table(oneOf(insertUpsert, insertError)),
		optionStream:      table(oneOf(append([]string{streamOff}, schema.ImageNames()...)...)),
		optionRecovery:    table(number(0, schema.RecoveryDaysMax)),
		optionSparse:      index(truth),
		optionCovered:     index(oneOf(CoverSchema, CoverDynamic)),
	}
}

// Idle names those of the options that are kept and shown and change nothing: the engine stores all tables alike, and
// an index goes with its table.
func Idle(options []tree.Option) []string {
	var names []string
	for _, o := range options {
		switch name := strings.ToUpper(o.Name); name {
		case "COMPRESSION", "DATA_BLOCK_ENCODING", "CHS", "CHS_L2", optionTimeAt, "EC_POLICY":
			names = append(names, name)
		case OptionMutability: // an index is right in every case
			if value := strings.ToUpper(o.Value); value == "IMMUTABLE" || value == "IMMUTABLE_ROWS" {
				names = append(names, name)
			}
		}
	}
	return names
}

// CollationNote is the warning about a collation or character set that a statement names.
func CollationNote(name string) string {
	return name + " is not honoured: texts are UTF-8 and compare as bytes, as by utf8mb4_bin"
}

// isForeignOption reports whether MySQL has the option, and it means nothing here: it is read and forgotten, so that
// dumps of MySQL's can be read.
func isForeignOption(name string) bool {
	name = strings.TrimPrefix(strings.ReplaceAll(name, " ", "_"), "DEFAULT_")
	switch name {
	case "ENGINE", "CHARSET", "CHARACTER_SET", "COLLATE", "ROW_FORMAT", "AUTO_INCREMENT", "KEY_BLOCK_SIZE",
		"STATS_PERSISTENT", "STATS_AUTO_RECALC",
		"AVG_ROW_LENGTH", "CHECKSUM", "DELAY_KEY_WRITE", "MAX_ROWS", "MIN_ROWS", "PACK_KEYS", "CONNECTION",
		"INSERT_METHOD", "PASSWORD",
		"UNION", "STATS_SAMPLE_PAGES", "DIRECTORY", "TABLESPACE", "STORAGE", "ENCRYPTION":
		return true
	}
	return false
}

func acceptAny(value string) (kept, instead string) { return value, "" }

func truth(value string) (kept, instead string) {
	return oneOf(wordTrue, wordFalse)(value)
}

// number takes whole numbers of a range.
func number(least, most int64) func(string) (string, string) {
	return func(value string) (kept, instead string) {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || n < least || n > most {
			return "", fmt.Sprintf("a whole number from %d to %d", least, most)
		}
		return strconv.FormatInt(n, 10), ""
	}
}

// whole is number, or "", which unsets the option.
func whole(least, most int64, words string) func(string) (string, string) {
	return func(value string) (kept, instead string) {
		if value == "" {
			return "", ""
		}
		if kept, instead = number(least, most)(value); instead != "" {
			instead = words
		}
		return kept, instead
	}
}

// oneOf takes words in any case, and keeps them as they are listed.
func oneOf(words ...string) func(string) (string, string) {
	return func(value string) (kept, instead string) {
		for _, word := range words {
			if strings.EqualFold(word, value) {
				return word, ""
			}
		}
		return "", strings.Join(words, ", ")
	}
}

// erasure takes RS-data-parity.
func erasure(value string) (kept, instead string) {
	parts := strings.Split(strings.ToUpper(value), "-")
	if value == "" || len(parts) == 3 && parts[0] == "RS" && isCount(parts[1]) && isCount(parts[2]) {
		return strings.ToUpper(value), ""
	}
	return "", "RS- and two counts, such as RS-4-2, or '' for none"
}

func isCount(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n > 0 && n <= 32
}

// checkOption checks one option and returns the value to keep; keep is false for an option that is read and forgotten.
func checkOption(o tree.Option, index, alter bool) (name, value string, keep bool, err error) {
	name = strings.ToUpper(o.Name)
	if isForeignOption(name) {
		return name, "", false, nil
	}
	all := rules()
	r, known := all[name]
	if !known || index && !r.index || !index && !r.table {
		return name, "", false, unknownOption(name, index, all)
	}
	if alter && r.fixed {
		return name, "", false, refusal("option %s can't be changed: it only applies when the table is created", name)
	}
	value, instead := r.check(o.Value)
	if instead != "" {
		return name, "", false, badOption(name, o.Value, "write "+instead)
	}
	return name, value, true, nil
}

func badOption(name, value, advice string) error {
	return fault.Message(fault.WrongVariableValue, "Option '%s' can't be set to the value of '%s': %s", name, value,
		advice)
}

func unknownOption(name string, index bool, all map[string]rule) error {
	what := "a table"
	if index {
		what = "an index"
	}
	var names []string
	for _, one := range slices.Sorted(maps.Keys(all)) {
		if r := all[one]; index && r.index || !index && r.table {
			names = append(names, one)
		}
	}
	return fault.Message(fault.UnknownVariable, "Unknown option '%s': the options of %s are %s", name, what,
		strings.Join(names, ", ")).Meant(name, slices.Values(names))
}

// setOptions takes options over, of CREATE TABLE (created) or of ALTER TABLE .. SET. An empty value unsets an option.
func (t *Table) setOptions(options []tree.Option, created bool) error {
	for _, o := range options {
		name, value, keep, err := checkOption(o, false, !created)
		if err != nil {
			return err
		}
		if keep {
			if err := t.setOption(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Table) setOption(name, value string) error {
	switch name {
	case optionDynamic:
		if t.Dynamic && value == wordFalse {
			return refusal("DYNAMIC_COLUMNS can't be switched off once it is on: rows may hold columns that nobody declared")
		}
		t.Dynamic = t.Dynamic || value == wordTrue
	case optionWildcard:
		return t.orderWildcards(value)
	case optionInsert:
		t.InsertFails = value == insertError
		return nil
	case optionStream, optionRecovery:
		t.setJournal(name, value)
		return nil
	case optionTimeAt:
		if err := t.checkTimeColumn(value); err != nil {
			return err
		}
	}
	if value == "" {
		delete(t.Options, name)
		return nil
	}
	t.Options[name] = value
	return nil
}

// orderWildcards checks that each pattern listed was declared with its type, and puts the patterns into the order of
// the list: the first that fits counts.
func (t *Table) orderWildcards(list string) error {
	ordered := make([]Wildcard, 0, len(t.Wildcards))
	for pattern := range strings.SplitSeq(list, ",") {
		pattern = strings.Trim(strings.TrimSpace(pattern), "`")
		at := slices.IndexFunc(t.Wildcards, func(w Wildcard) bool { return w.Pattern == pattern })
		if at < 0 {
			return badOption(optionWildcard, list,
				"declare the type of '"+pattern+"' among the columns, such as `*_str` VARCHAR")
		}
		if !slices.Contains(ordered, t.Wildcards[at]) {
			ordered = append(ordered, t.Wildcards[at])
		}
	}
	for _, w := range t.Wildcards {
		if !slices.Contains(ordered, w) {
			ordered = append(ordered, w)
		}
	}
	t.Wildcards = ordered
	return nil
}

// checkTimeColumn takes the name of a column that holds times, perhaps behind `COLUMN=`.
func (t *Table) checkTimeColumn(value string) error {
	name := value
	if len(name) > 7 && strings.EqualFold(name[:7], "COLUMN=") {
		name = name[7:]
	}
	at, ok := t.byName[name]
	if value != "" && (!ok || (t.Columns[at].Type.Base != datum.Timestamp || t.Columns[at].Type.TimeUnit() == 1) &&
		t.Columns[at].Type.Base != datum.BigInt) {
		return badOption(optionTimeAt, value, "name a column of type TIMESTAMP or BIGINT")
	}
	return nil
}

// indexOptions checks the options of an index.
func indexOptions(t *Table, options []tree.Option) (stored storedIndex, err error) {
	for _, o := range options {
		name, value, keep, err := checkOption(o, true, false)
		if err != nil {
			return stored, err
		}
		switch {
		case name == optionCovered:
			stored.Covers = value
			continue
		case (name == OptionTTL || name == OptionCompactionPeriod) && value != "" && value != t.Options[name]:
			return stored, refusal("option %s is not allowed for an index, whose entries live as long as their rows: omit it, or set it for the table: ALTER TABLE %s SET '%s'='%s'", name, t.Name, name, value)
		}
		if keep && value != "" {
			if stored.Options == nil {
				stored.Options = map[string]string{}
			}
			stored.Options[name] = value
		}
	}
	return stored, nil
}
