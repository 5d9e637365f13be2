// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/evaluate/document"
	"github.com/weftdb/weft/internal/sql/evaluate/encode"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// What functions are called with.
var (
	integers  = strings.Fields("0 1 2 3 -1 -7 10 255 2147483648 9223372036854775807 -9223372036854775808 18446744073709551615 NULL TRUE FALSE")
	fractions = strings.Fields("0.5 -0.5 1.005 2.50 12345.6789 -99.995 0.1e0 1.5e3 -2.5e-3")
	textual   = strings.Split("'abc';'ABC';'';'a,b,c';'  pad ';'héllo';'日本';'12';'3.7x';'a%b_c';'a';'b';',';'%';'0x1f';'YWJj';UNHEX('004142');NULL", ";")
	times     = strings.Split("DATE'2024-02-29';TIMESTAMP'2024-01-31 12:30:45';'2023-12-31 23:59:59';TIME'10:11:12';'-25:01:02'", ";")
	documents = strings.Split(`'{"a": [1, "x", null], "b": {"c": 1.5}}';'[1, 2, {"k": true}]';'[]';'"text"';'7';NULL;'$.a';'$.a[0]';'$[2].k';'$';'one';'all'`, ";")
)

// calendar are the functions that take times. Numbers are not given to them: here they are LindormTable's milliseconds
// since 1970, in MySQL digits of a date.
var calendar = strings.Fields(`addtime date date_format datediff day dayname dayofmonth dayofweek dayofyear hour last_day microsecond minute month monthname quarter second
	subtime time time_format time_to_sec timediff timestamp to_days to_seconds unix_timestamp week weekday weekofyear year yearweek`)

// second are the second arguments of functions of which they are no times.
var second = map[string][]string{
	"date_format": strings.Split("'%Y-%m-%d';'%H:%i:%s';'%W %M %e %y %j %U';'%d/%m/%Y %f';NULL", ";"),
	"time_format": strings.Split("'%H:%i:%s';'%k %l %p %f';'%T %r %%';NULL", ";"),
	"week":        strings.Fields("0 1 2 3 4 5 6 7"),
	"yearweek":    strings.Fields("0 1 2 3 4 5 6 7"),
}

// unjudged are functions that no server judges, with the reason.
var unjudged = map[string]string{
	"sleep": waits, "get_lock": waits, "release_lock": waits, "is_free_lock": waits, "is_used_lock": waits,
	"release_all_locks": waits,
	"uuid":              differs, "uuid_short": differs, "rand": differs, "random_bytes": differs,
	"connection_id": differs,
	"current_user":  differs, "current_role": differs, "database": differs, "schema": differs, "session_user": differs,
	"system_user": differs, "user": differs, "version": differs, "last_insert_id": differs,
	"now": clock, "curdate": clock, "current_date": clock, "curtime": clock, "current_time": clock,
	"current_timestamp": clock, "localtime": clock, "localtimestamp": clock,
	"sysdate": clock, "utc_date": clock, "utc_time": clock, "utc_timestamp": clock,
	"compress": "zlib writes other bytes for the same text", "weight_string": "each server has weights of its own",
	"name_const": "MySQL takes some forms of constants alone",
	"extract":    keyword, "position": keyword, "trim": keyword, "timestampadd": keyword, "timestampdiff": keyword,
}

// unjudgedBy are functions that a server doesn't judge, with the reason.
var unjudgedBy = map[string]map[string]string{mySQL: {
	"addtime": "8.0.12 takes a date for a time of day, and a date's time of day for a time", "subtime": "as ADDTIME",
	"timediff":   "8.0.12 has NULL for a DATE and a DATETIME",
	"timestamp":  "8.0.12 has NULL where the second argument has a date",
	"period_add": "before 8.0.28 it takes anything for a period", "period_diff": "as PERIOD_ADD",
	"from_days": zones, "from_unixtime": zones, "str_to_date": zones, "convert_tz": zones,
	"sec_to_time": "six digits behind the point wherever a text is an argument", "maketime": "as SEC_TO_TIME",
	"regexp_instr": "faults of arguments come before NULL, and 8.0.12 searches from before the beginning",
	"regexp_like":  "faults of arguments come before NULL", "regexp_replace": "as REGEXP_LIKE",
	"regexp_substr": "as REGEXP_LIKE",
}, mariaDB: {
	"period_add": errors8, "period_diff": errors8, "json_quote": errors8,
	"json_merge":  "MySQL's JSON_MERGE_PRESERVE by another name",
	"json_pretty": "MySQL's spaces are others than MariaDB's", "json_valid": errors8,
	"greatest": "MySQL compares texts where a text is among numbers, MariaDB numbers", "least": "as GREATEST",
	"convert_tz": zones, "str_to_date": zones, "from_days": zones, "from_unixtime": zones, "unix_timestamp": zones,
	"json_object": errors8, "json_remove": errors8, "json_search": errors8, "json_contains_path": errors8,
	"json_merge_patch":  errors8,
	"json_value":        "MySQL says true where MariaDB says 1",
	"json_array_append": "MySQL appends nothing where a path finds nothing", "json_contains": "as JSON_ARRAY_APPEND",
	"regexp_instr": errors8, "regexp_replace": errors8,
	"regexp_substr": "without a match MySQL 8 has NULL, MariaDB the empty text",
	"timediff":      zones, "timestamp": zones,
	"make_set": "MariaDB cuts the text '3.7' here and rounds it for other functions on bits",
	"format":   "more than 30 digits behind the point", "substring_index": "MariaDB's counts beyond 64 bits",
	"replace":     "MariaDB doesn't look at the third argument where there is nothing to replace",
	"sha2":        "MariaDB takes NULL as a length",
	"sec_to_time": "MariaDB takes the point of a number into the time", "maketime": "as SEC_TO_TIME",
	"soundex": "letters that are not Latin ones have no sound",
}}

const (
	waits   = "it waits for other sessions"
	differs = "it differs from server to server"
	clock   = "it differs from moment to moment"
	keyword = "its arguments are words, which other tests give it"
	zones   = "what is no date has no value here; MariaDB has 0000-00-00 and the beginning of 1970"
	errors8 = "MySQL 8 refuses what MariaDB answers with NULL"
)

// refused are errors that say nothing about a function: a call that a server doesn't read, and MySQL's errors for texts
// that are not JSON, where MariaDB has NULL, and Weft, if a later argument is NULL.
// and MariaDB reads a text beside a number as Latin letters
var refused = regexp.MustCompile(`^error: (Error )?(1064|1582|4079)|Incorrect arguments to ESCAPE|oneOrAll|Invalid (JSON|data type for JSON)|A path expression is not a path|[Ãæ]`)

// quirks are calls that a server answers otherwise than the manual of MySQL 8 has it. In both a text filled up with the
// empty text is NULL, -1 is equal to 2^64-1, integers are rounded to others that no integer holds, a text beside bytes
// is counted in bytes, and so is the place of the empty text. MySQL cuts counts beyond 32 bits, inserts behind the end
// of a text whose letters have several bytes, takes letters that are not Latin ones for a sound, and tells other faults
// before it looks at a NULL. In MariaDB what several paths find comes in the order of the document.
var quirks = map[string]*regexp.Regexp{
	mySQL: regexp.MustCompile(`^SELECT ([lr]pad\(.*(, ''\)|UNHEX)|locate\('', |round\(-?\d{18,}, |insert\((.*UNHEX|'日本)|field\(.*18446744073709551615|` +
		`format\(.*, (2147483648|9223372036854775807|18446744073709551615)|soundex\(.*日|(uuid_to_bin|bin_to_uuid)\(.*NULL)`),
	mariaDB: regexp.MustCompile(`^SELECT ([lr]pad\(.*, ''\)|json_extract\(.*, .*, |field\(.*18446744073709551615|locate\('', |round\(-?\d{18,}, |insert\(.*UNHEX|locate\('', )`),
}

// callsEach is the number of calls of each function that are compared.
const callsEach = 150

// given is what a function is called with: several kinds, of which most calls use one.
func given(name string) [][]string {
	switch {
	case name == "date_format":
		return [][]string{times[:3]} // a TIME is one of today, as in MySQL, and in MariaDB one of no day
	case slices.Contains(calendar, name):
		return [][]string{times}
	case strings.HasPrefix(name, "json_"):
		return [][]string{documents, documents, integers}
	}
	return [][]string{integers, fractions, textual, textual, documents}
}

// call is a random call of a function.
func call(r *rand.Rand, name string, f *function.Function) string {
	most := f.Max
	if most < 0 {
		most = f.Min + 3
	}
	kinds := given(name)
	kind := r.IntN(len(kinds))
	list := make([]string, f.Min+r.IntN(most-f.Min+1))
	for i := range list {
		if r.IntN(3) == 0 {
			kind = r.IntN(len(kinds))
		}
		of := kinds[kind]
		if more := second[name]; i > 0 && more != nil {
			of = more
		}
		list[i] = of[r.IntN(len(of))]
	}
	return name + "(" + strings.Join(list, ", ") + ")"
}

// functions are all functions by their names.
func functions() map[string]*function.Function {
	all := map[string]*function.Function{}
	list := slices.Concat(function.All(), document.All(), encode.All())
	for name := range list.Names() {
		all[name], _ = list.Find(name)
	}
	return all
}

// TestFunctions compares random calls of every function with MySQL's, and with MariaDB's where MySQL has no such
// function or isn't there.
func TestFunctions(t *testing.T) {
	var judges []*server
	for _, open := range servers {
		if s, ok := open(t); ok {
			judges = append(judges, s)
		}
	}
	if len(judges) == 0 {
		t.Skip("neither MySQL nor MariaDB is on this machine, and nothing else judges functions")
	}
	weft, seed, all := openOwn(t), rounds.Seed(t), functions()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if unjudged[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if s := judgeOf(t, judges, name); s != nil {
				compareCalls(t, weft, s, name, all[name], rand.New(rand.NewPCG(seed, 11)))
			}
		})
	}
}

// judgeOf returns the first server that judges a function; nil: none does.
func judgeOf(t *testing.T, judges []*server, name string) *server {
	for _, s := range judges {
		a := s.ask(t.Context(), "SELECT "+name+"()")
		if unjudgedBy[s.brand][name] == "" &&
			(a.err == nil || !strings.Contains(a.err.Error(), "FUNCTION d."+name+" does not exist")) {
			return s
		}
	}
	return nil
}

func compareCalls(t *testing.T, weft *own, s *server, name string, f *function.Function, r *rand.Rand) {
	differences := 0
	for range callsEach {
		statement := "SELECT " + call(r, name, f)
		mine, right := limited(t, weft, statement), limited(t, s, statement)
		if mine.same(right, true) || quirks[s.brand].MatchString(statement) || refused.MatchString(mine.String()) ||
			refused.MatchString(right.String()) {
			continue
		}
		if differences++; differences <= 4 {
			t.Errorf("%s\nweft: %v\n%s: %v", statement, mine, s.brand, right)
		}
	}
}
