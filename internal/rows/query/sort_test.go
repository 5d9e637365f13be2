// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/testing/rounds"
)

func TestSorterAgainstModel(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	for round := range 60 {
		dir := t.TempDir()
		sort := Sort{BytesMax: 200 + random.IntN(4000), Spill: &spill.Folder{Dir: dir}}
		if random.IntN(2) == 0 {
			sort.KeepMax = 1 + random.IntN(200)
		}
		var model [][]byte
		s := sort.Open()
		for range random.IntN(3000) {
			record := make([]byte, random.IntN(20))
			for i := range record {
				record[i] = byte(random.IntN(3))
			}
			model = append(model, record)
			if err := s.Add(record); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortFunc(model, bytes.Compare)
		if sort.KeepMax > 0 {
			model = model[:min(len(model), sort.KeepMax)]
		}
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		for i, want := range model {
			if !s.Next() || !bytes.Equal(s.Record(), want) {
				t.Fatalf("round %d: record %d is %x, want %x", round, i, s.Record(), want)
			}
		}
		if s.Next() {
			t.Fatal("a record too many")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("%d files are left, %v", len(left), err)
		}
	}
}

func TestSorterWithoutFolder(t *testing.T) {
	s := Sort{BytesMax: 100}.Open()
	var err error
	for i := 0; err == nil && i < 100; i++ {
		err = s.Add([]byte("record"))
	}
	if !errors.Is(err, ErrSortMemory) {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
