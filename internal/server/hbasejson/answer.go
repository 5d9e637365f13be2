// SPDX-License-Identifier: Apache-2.0

package hbasejson

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/hbase"
)

// answer writes rows as lines of JSON.
type answer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	rowsMax int
	rows    int
	more    bool // there is one more than rowsMax
}

// shownRow is a row of an answer.
type shownRow struct {
	Row   shownBytes  `json:"row"`
	Cells []shownCell `json:"cells"` // by family and qualifier, newest first
}

// shownCell is a version of a column.
type shownCell struct {
	Family    shownBytes `json:"family"`
	Qualifier shownBytes `json:"qualifier"`
	Timestamp shownTime  `json:"timestamp"` // milliseconds since 1970
	Value     shownBytes `json:"value"`
}

// shownTime is a number, or a text of digits for one that programs in JavaScript would round.
type shownTime int64

// MarshalJSON implements json.Marshaler.
func (t shownTime) MarshalJSON() ([]byte, error) {
	const exactMax = 1 << 53
	if t <= exactMax {
		return json.Marshal(int64(t))
	}
	return json.Marshal(strconv.FormatInt(int64(t), 10))
}

// shownBytes is a text, or {"base64": ".."} for bytes that are none.
type shownBytes []byte

// MarshalJSON implements json.Marshaler.
func (b shownBytes) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		return json.Marshal(string(b))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString(b)})
}

// send sends rows, but no more than the request wants.
func (a *answer) send(page []hbase.Result) error {
	if len(page) > a.rowsMax-a.rows {
		page, a.more = page[:a.rowsMax-a.rows], true
	}
	if len(page) == 0 {
		return nil
	}
	a.rows += len(page)
	list := make([]shownRow, len(page))
	for i := range page {
		list[i] = shownRow{Row: page[i].Row, Cells: make([]shownCell, len(page[i].Cells))}
		for j := range page[i].Cells {
			c := &page[i].Cells[j]
			list[i].Cells[j] = shownCell{c.Family, c.Qualifier, shownTime(c.AtMS), c.Value}
		}
	}
	return a.line("rows", list)
}

// finish ends the answer.
func (a *answer) finish(err error, log *slog.Logger) {
	if err != nil {
		_ = a.line("error", map[string]string{"message": messageOf(err, log)}) // the client is gone; nobody to tell
		return
	}
	_ = a.line("done", map[string]any{"rows": a.rows, "limited": a.more}) // as above
}

// line sends a line with one member.
func (a *answer) line(name string, content any) error {
	body, err := json.Marshal(map[string]any{name: content})
	if err != nil {
		return err
	}
	// fails only on a closed connection, as the write then does
	_ = a.control.SetWriteDeadline(time.Now().Add(partTimeout))
	if _, err := a.w.Write(append(body, '\n')); err != nil {
		return err
	}
	return a.control.Flush()
}

// bytesOf reads a text in which \xNN stands for a byte, as HBase's shell and Bytes.toBytesBinary do. All else is what
// it is.
func bytesOf(text string) []byte {
	if text == "" {
		return nil
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if i+4 <= len(text) && text[i] == '\\' && text[i+1] == 'x' {
			if b, err := hex.DecodeString(text[i+2 : i+4]); err == nil {
				out = append(out, b...)
				i += 3
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

// columnOf reads family or family:qualifier.
func columnOf(text string) hbase.Column {
	family, qualifier, ok := bytes.Cut(bytesOf(text), []byte(":"))
	return hbase.Column{Family: family, Qualifier: qualifier, Whole: !ok}
}
