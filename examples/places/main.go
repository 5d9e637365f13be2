// SPDX-License-Identifier: Apache-2.0

// Program places shows the cities of the world on a map: those in a box, and those nearest to a point. One Z-order
// index answers both, with the population as a third axis. The first start loads 135,233 cities from GeoNames
// (CC-BY 4.0); then it serves http://127.0.0.1:8091.
package main

import (
	"cmp"
	"context"
	_ "embed" // for the page
	"encoding/json"
	"errors"
	"log"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/files/cities"
)

// City is an item.
type City struct {
	Country    string  `weft:"country,key" json:"country"`
	Name       string  `weft:"name,key" json:"name"`
	Lat        float64 `weft:"lat,key" json:"lat"` // of two cities of a name
	Lon        float64 `weft:"lon" json:"lon"`
	Population int64   `weft:"population" json:"population"`
}

// Map is the cities.
type Map struct {
	db     *weft.DB
	cities weft.Typed[City]
}

// OpenMap opens the map in a folder. The first time it loads up to limit cities.
func OpenMap(ctx context.Context, dir string, limit int) (*Map, error) {
	db, err := weft.Open(ctx, dir, weft.Options{})
	if err != nil {
		return nil, err
	}
	m := &Map{db: db}
	m.cities, err = weft.EnsureTableOf[City](ctx, db, weft.TableSpec{
		Name:    "cities",
		Indexes: []weft.IndexSpec{{Name: "place", Key: weft.Key(weft.ZOrder("lat lat, lon lon, population u64"))}},
	})
	if err == nil {
		err = m.load(ctx, limit)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return m, nil
}

// Close closes the map.
func (m *Map) Close() error { return m.db.Close() }

// batch is the number of cities that are written in one commit.
const batch = 1000

// load writes the cities, unless there are some: a city that is written twice is one.
func (m *Map) load(ctx context.Context, limit int) error {
	for _, err := range m.cities.Query(ctx, weft.Query{Limit: 1}) {
		return err
	}
	var list []City
	err := cities.Each(func(c cities.City) error {
		lat, latErr := strconv.ParseFloat(c.Lat, 64)
		lon, lonErr := strconv.ParseFloat(c.Lon, 64)
		list = append(list, City{Country: c.Country, Name: c.Name, Lat: lat, Lon: lon, Population: c.Population})
		return errors.Join(latErr, lonErr)
	})
	if err != nil {
		return err
	}
	list = slices.CompactFunc(list[:min(limit, len(list))], func(a, b City) bool { return key(a) == key(b) })
	for part := range slices.Chunk(list, batch) {
		if err := m.put(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// put writes a part of the cities; a commit has each key once.
func (m *Map) put(ctx context.Context, part []City) error {
	byKey := map[City]City{}
	for _, c := range part {
		byKey[key(c)] = c
	}
	once := make([]City, 0, len(byKey))
	for _, c := range byKey {
		once = append(once, c)
	}
	return m.cities.PutAll(ctx, once...)
}

func key(c City) City { return City{Country: c.Country, Name: c.Name, Lat: c.Lat} }

// Box is a part of the map, and how many people a city must have at least.
type Box struct {
	South, West, North, East float64
	Population               int64
}

// In returns the cities of a box, the largest first, at most limit.
func (m *Map) In(ctx context.Context, b Box, limit int) ([]City, error) {
	where := weft.All(
		weft.Attribute("lat").Between(b.South, b.North), weft.Attribute("lon").Between(b.West, b.East),
		weft.Attribute("population").AtLeast(b.Population))
	found := []City{}
	for city, err := range m.cities.Query(ctx, weft.Query{Index: "place", Where: where}) {
		if err != nil {
			return nil, err
		}
		found = append(found, city)
	}
	slices.SortFunc(found, func(a, b City) int { return cmp.Compare(b.Population, a.Population) })
	return found[:min(limit, len(found))], nil
}

// Near returns the count cities nearest to a point. The index measures in degrees, of which one of longitude is shorter
// on the globe: so more are read than wanted, and put in order.
func (m *Map) Near(ctx context.Context, lat, lon float64, count int) ([]City, error) {
	near := &weft.Near{Attributes: []string{"lat", "lon"}, To: []float64{lat, lon}}
	found := []City{}
	for city, err := range m.cities.Query(ctx, weft.Query{Index: "place", Near: near, Limit: 5 * count}) {
		if err != nil {
			return nil, err
		}
		found = append(found, city)
	}
	slices.SortFunc(found, func(a, b City) int {
		return cmp.Compare(distance(lat, lon, a.Lat, a.Lon), distance(lat, lon, b.Lat, b.Lon))
	})
	return found[:min(count, len(found))], nil
}

// distance returns the angle between two points on the globe, in radians.
func distance(lat1, lon1, lat2, lon2 float64) float64 {
	const degree = math.Pi / 180
	a, b := math.Sin((lat2-lat1)*degree/2), math.Sin((lon2-lon1)*degree/2)
	return 2 * math.Asin(math.Sqrt(a*a+math.Cos(lat1*degree)*math.Cos(lat2*degree)*b*b))
}

//go:embed page.html
var page []byte // immutable

// Handler serves the page, and what it asks for.
func (m *Map) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // the client is gone
	})
	mux.HandleFunc("GET /box", func(w http.ResponseWriter, r *http.Request) {
		n, err := numbers(r, "south", "west", "north", "east", "population")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		found, err := m.In(r.Context(), Box{n[0], n[1], n[2], n[3], int64(n[4])}, 500)
		answer(w, found, err)
	})
	mux.HandleFunc("GET /near", func(w http.ResponseWriter, r *http.Request) {
		n, err := numbers(r, "lat", "lon")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		found, err := m.Near(r.Context(), n[0], n[1], 10)
		answer(w, found, err)
	})
	return mux
}

// numbers returns parameters of a request.
func numbers(r *http.Request, names ...string) (list []float64, err error) {
	for _, name := range names {
		n, err := strconv.ParseFloat(r.FormValue(name), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, errors.New(name + " is no number")
		}
		list = append(list, n)
	}
	return list, nil
}

func answer(w http.ResponseWriter, found []City, err error) {
	if err != nil {
		log.Print(err)
		http.Error(w, "an error, which was logged", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found) // the client is gone
}

func main() {
	m, err := OpenMap(context.Background(), "places.weft", cities.Count)
	if err != nil {
		log.Fatal(err)
	}
	log.Print("the map is at http://127.0.0.1:8091")
	err = http.ListenAndServe("127.0.0.1:8091", m.Handler())
	log.Fatal(errors.Join(err, m.Close()))
}
