// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/advice/advisor/design"
)

// FuzzAdvise wants every design that can be read to be judged, with figures that are numbers and requests that are
// JSON.
func FuzzAdvise(f *testing.F) {
	files, _ := filepath.Glob("testdata/*")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the folder of found cases
		}
		for _, part := range strings.Split(string(text), "advise") {
			_, document, _ := strings.Cut(part, "\n")
			document, _, _ = strings.Cut(document, "\n----")
			f.Add([]byte(document), uint64(3))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		d, err := design.Parse(text)
		if err != nil || len(d.Shapes) > 20 || len(d.Sample) > 100 {
			return
		}
		if len(d.Sample) == 0 && seed%2 == 1 {
			d.Sample = generate(t, "id hex()\nCustomerId text(c,40)\nisOpen yes(0.1)\ntimestamp whole(1500000000,1600000000)\nlatitude real(-60,70)\nname one(a,b) present=0.3", 50, seed)
		}
		checkReport(t, Advise(d))
		for _, c := range Weigh(d) {
			if math.IsNaN(c.Score) || math.IsInf(c.Score, 0) || math.IsNaN(c.Total) {
				t.Errorf("%s scores %v of %v", c.Name, c.Score, c.Total)
			}
		}
	})
}
