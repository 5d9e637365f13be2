// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// adviceRowsMin is the number of rows from which on the report speaks of the key.
const adviceRowsMin = 1000

// watch looks whether the first column of the key grows as time passes. The order of a source tells nothing: an export
// of a hashed table comes in the order of hashes, a dump in that of keys. So the values are looked at: numbers given
// out one after the other, times, and ids that begin with one.
type watch struct {
	pin    database.Pinned
	column []byte // nil: nothing is looked at

	rows            int64
	numbers         int64
	least, greatest int64
	seconds         int64 // numbers that could be times, in seconds or milliseconds
	texts           int64 // texts that begin with a time, or ids made of one
	kind            string
}

func newWatch(pin database.Pinned) watch {
	w := watch{pin: pin}
	if key := pin.Descriptor().Primary.Key; !key[0].Hidden && key[0].Column() != "" {
		w.column = []byte(key[0].Column())
	}
	return w
}

func (w *watch) see(row value.Row) {
	if w.column == nil {
		return
	}
	v, ok := row.Get(w.pin.Names(), w.column)
	if !ok {
		return
	}
	w.rows++
	if v.Kind() == value.String {
		if w.texts*2 < w.rows-adviceRowsMin {
			w.column = nil // most are something else
			return
		}
		if kind := timeOf(v.Bytes()); kind != "" {
			w.texts, w.kind = w.texts+1, kind
		}
		return
	}
	n, ok := v.Int()
	if !ok {
		return
	}
	if w.numbers == 0 {
		w.least, w.greatest = n, n
	}
	w.numbers++
	w.least, w.greatest = min(w.least, n), max(w.greatest, n)
	if n > secondsMin && n < secondsMax || n > secondsMin*1000 && n < secondsMax*1000 {
		w.seconds++
	}
}

// Times of this age, in Unix seconds: from 2000 to 2060.
const (
	secondsMin = 946684800
	secondsMax = 2840140800
)

// add joins what another worker saw.
func (w *watch) add(other *watch) {
	if other.numbers > 0 && w.numbers > 0 {
		w.least, w.greatest = min(w.least, other.least), max(w.greatest, other.greatest)
	} else if other.numbers > 0 {
		w.least, w.greatest = other.least, other.greatest
	}
	w.rows, w.numbers, w.seconds, w.texts = w.rows+other.rows, w.numbers+other.numbers, w.seconds+
		other.seconds, w.texts+other.texts
	w.kind = cmp.Or(w.kind, other.kind)
	if other.column == nil {
		w.column = nil
	}
}

// timeOf says what a text begins with if that grows as time passes, "" if it does not.
func timeOf(s []byte) string {
	switch {
	case len(s) >= 10 && s[4] == '-' && s[7] == '-' && isTime(time.DateOnly, s[:10]):
		return "a date"
	case len(s) == 36 && s[8] == '-' && s[13] == '-' && s[14] == '7':
		return "a UUID of version 7, which is a time"
	case len(s) == 26 && isULID(s):
		return "a ULID, which is a time"
	case len(s) == 24 && isObjectID(s):
		return "an ObjectId, which is a time"
	}
	return ""
}

func isTime(layout string, s []byte) bool {
	_, err := time.Parse(layout, string(s))
	return err == nil
}

func isULID(s []byte) bool {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	ms := int64(0)
	for i, c := range s {
		digit := strings.IndexByte(digits, c)
		if digit < 0 {
			return false
		}
		if i < 10 {
			ms = ms<<5 | int64(digit)
		}
	}
	return ms > secondsMin*1000 && ms < secondsMax*1000
}

func isObjectID(s []byte) bool {
	var b [12]byte
	if _, err := hex.Decode(b[:], s); err != nil {
		return false
	}
	seconds := int64(b[0])<<24 | int64(b[1])<<16 | int64(b[2])<<8 | int64(b[3])
	return seconds > secondsMin && seconds < secondsMax
}

// verdict describes how the column grows, "" if it does not seem to.
func (w *watch) verdict() string {
	most := w.rows - w.rows/100
	spread := float64(w.greatest) - float64(w.least)
	switch {
	case w.column == nil || w.rows < adviceRowsMin:
		return ""
	case w.texts >= most:
		return "begins with " + w.kind
	case w.seconds >= most:
		return "is a time"
	case w.numbers >= most && spread >= float64(w.rows)/2 && spread <= 4*float64(w.rows):
		return fmt.Sprintf("counts from %d to %d", w.least, w.greatest)
	}
	return ""
}

// advice returns advice about the table's key, "" if there is none.
func (l *loader) advice() string {
	if len(l.workers) == 0 {
		return ""
	}
	all := l.workers[0].watch
	for _, w := range l.workers[1:] {
		all.add(&w.watch)
	}
	verdict := all.verdict()
	if verdict == "" {
		return ""
	}
	column := string(all.column)
	return fmt.Sprintf(`The first column of the key, %[1]s, %[2]s: it grows, so all new rows will meet at the end of the table, and no split can spread them. In a store that
hashes its keys that did not show. If rows are written at a high rate, make the table spread by a hash, and import into that one:
  weft import --hash ...                                                           (a table made by weft import)
  aws dynamodb create-table --tags Key=weft:distribution,Value=hash ...            (over DynamoDB)
  CREATE TABLE t (..., PRIMARY KEY(hash32(`+"`%[1]s`"+`), `+"`%[1]s`"+`, ...))      (in SQL)
Reads of ranges across different values of %[1]s then look everywhere; those of one value stay as they are.`, column, verdict)
}
