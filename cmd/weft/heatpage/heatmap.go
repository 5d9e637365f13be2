// SPDX-License-Identifier: Apache-2.0

package heatpage

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/advice/heat/diagnosis"
	"github.com/weftdb/weft/internal/advice/heat/heatmap"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/kv"
)

// heatWindow is the time span that /api/heat shows by default.
const heatWindow = 6 * time.Hour

// heatMap is the answer of GET /api/heat. data holds a byte for each cell, time by time, key by key: 0 is nothing, 255
// is max, and 255*log(1+v)/log(1+max) what is between.
type heatMap struct {
	Times    []int64             `json:"times"` // Unix milliseconds: where each column begins, and where the last ends
	Keys     []heatKey           `json:"keys"`  // where each row begins
	Splits   []string            `json:"splits"`
	Max      float64             `json:"max"` // a minute
	Data     []byte              `json:"data"`
	Findings []diagnosis.Finding `json:"findings"`
}

// heatKey is the first key of a row of the picture, as bytes and for people: table, index, first key columns.
type heatKey struct {
	Hex    string   `json:"hex"`
	Labels []string `json:"labels"`
}

// BadRequest is a fault of a request to a page.
type BadRequest struct{ error }

// Refuse says that err is a fault of the request to a page.
func Refuse(err error) error { return BadRequest{err} }

// HeatMap is GET /api/heat?from&to&measure&lo&hi: times are Unix milliseconds, measure is entries (read and written),
// reads, writes, readBytes or writtenBytes, lo and hi are keys in hexadecimal. It shows where regions begin.
func (w *Watch) HeatMap(r *http.Request, db *database.DB, _ bool) ([]byte, error) {
	asked, err := parseHeat(r)
	if err != nil {
		return nil, BadRequest{err}
	}
	pictures, findings := w.diagnose(db)
	return drawMap(w.counts, db, &asked, pictures, findings)
}

// drawMap is the answer of GET /api/heat.
func drawMap(counts *heat.Map, db *database.DB, asked *askedHeat, pictures []diagnosis.Object,
	findings []diagnosis.Finding) ([]byte, error) {
	picture := counts.Draw(asked.from, asked.to, asked.measure, asked.keys, heatmap.BucketsMax)
	answer := heatMap{Times: picture.Times, Keys: []heatKey{}, Splits: []string{}, Max: picture.Max,
		Data: picture.Code(), Findings: findings}
	if answer.Times == nil {
		answer.Times = []int64{}
	}
	if answer.Findings == nil {
		answer.Findings = []diagnosis.Finding{}
	}
	for _, border := range picture.Borders {
		answer.Keys = append(answer.Keys, heatKey{hex.EncodeToString(border), labelsOf(db, border)})
	}
	for _, split := range splits(pictures, asked.keys) {
		answer.Splits = append(answer.Splits, hex.EncodeToString([]byte(split)))
	}
	return json.Marshal(answer)
}

// splits returns where regions within a range begin.
func splits(pictures []diagnosis.Object, keys kv.Range) (begins []string) {
	for i := range pictures {
		for _, b := range pictures[i].Borders {
			if b.Bytes >= string(keys.Start) && (keys.End == nil || b.Bytes < string(keys.End)) {
				begins = append(begins, b.Bytes)
			}
		}
	}
	return begins
}

type askedHeat struct {
	from, to int64
	measure  heatmap.Measure
	keys     kv.Range
}

func parseHeat(r *http.Request) (a askedHeat, err error) {
	a.from = time.Now().Add(-heatWindow).UnixMilli()
	for name, target := range map[string]*int64{"from": &a.from, "to": &a.to} {
		if text := r.FormValue(name); text != "" {
			if *target, err = strconv.ParseInt(text, 10, 64); err != nil {
				return a, fmt.Errorf("%s must be a time in Unix milliseconds", name)
			}
		}
	}
	for name, target := range map[string]*[]byte{"lo": &a.keys.Start, "hi": &a.keys.End} {
		if text := r.FormValue(name); text != "" {
			if *target, err = hex.DecodeString(text); err != nil {
				return a, fmt.Errorf("%s must be a key in hexadecimal", name)
			}
		}
	}
	text := r.FormValue("measure")
	for m := heatmap.Entries; m < heatmap.Measures; m++ {
		if text == m.String() || text == "" && m == heatmap.Writes {
			a.measure = m
			return a, nil
		}
	}
	return a, fmt.Errorf("measure must be entries, reads, writes, readBytes or writtenBytes")
}

// labelsOf reads a border: the table, the index if it is one's, and the key's columns as far as they are whole.
func labelsOf(db *database.DB, border []byte) []string {
	id, ok := heat.ObjectOf(border)
	if !ok {
		return []string{}
	}
	about, parts, ok := describeObject(db, id)
	if !ok {
		return []string{}
	}
	labels := []string{about.Table, about.Index}
	if first, _ := id.Span(); len(border) > len(first) {
		labels = append(labels, parts(border[len(first):])...)
	}
	return labels
}
