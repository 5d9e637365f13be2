// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestMap compares what the index finds with a look at every city.
func TestMap(t *testing.T) {
	dir := t.TempDir()
	var all []City
	for range 2 { // the second time nothing is loaded
		m, err := OpenMap(t.Context(), dir, 4000)
		if err != nil {
			t.Fatal(err)
		}
		all = nil
		for city, err := range m.cities.Query(t.Context(), weft.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, city)
		}
		if len(all) < 3500 {
			t.Fatalf("%d cities", len(all))
		}
		compare(t, m, all)
		serve(t, m)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// compare looks into random boxes, and around random points.
func compare(t *testing.T, m *Map, all []City) {
	random := rand.New(rand.NewPCG(rounds.Seed(t), 1))
	for range 30 {
		center := all[random.IntN(len(all))]
		size := random.Float64() * 20
		b := Box{center.Lat - size, center.Lon - size, center.Lat + size, center.Lon + size, random.Int64N(100_000)}
		found, err := m.In(t.Context(), b, len(all))
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, c := range all {
			if c.Lat >= b.South && c.Lat <= b.North && c.Lon >= b.West && c.Lon <= b.East &&
				c.Population >= b.Population {
				want++
			}
		}
		if len(found) != want || !slices.IsSortedFunc(found,
			func(a, b City) int { return int(b.Population - a.Population) }) {
			t.Errorf("%+v: %d cities, want %d", b, len(found), want)
		}
		near, err := m.Near(t.Context(), center.Lat, center.Lon, 3)
		if err != nil || len(near) != 3 || near[0].Lat != center.Lat || near[0].Lon != center.Lon {
			t.Errorf("nearest to %+v: %+v, %v", center, near, err)
		}
	}
}

func serve(t *testing.T, m *Map) {
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	for path, want := range map[string]int{"/": 200, "/box?south=1": 400, "/near?lat=x&lon=1": 400,
		"/near?lat=NaN&lon=1": 400, "/none": 404} {
		if status, _ := get(path); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
	if _, text := get("/"); !strings.Contains(text, "<svg") {
		t.Error("the page has no map")
	}
	var found []City
	_, text := get("/box?south=-90&west=-180&north=90&east=180&population=100000")
	if err := json.Unmarshal([]byte(text), &found); err != nil || len(found) == 0 || len(found) > 500 ||
		reflect.DeepEqual(found[0], City{}) {
		t.Errorf("%d cities, %v", len(found), err)
	}
}
