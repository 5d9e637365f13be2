// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestRecognize plants the faults that TestKill looks for: what was acknowledged is gone or old, a value nobody wrote,
// a half transaction. What a crash may leave is no fault.
func TestRecognize(t *testing.T) {
	at := func(sk int, v string) document { return itemKey{"w0", sk}.document().with(document{"v": "S" + v}) }
	old, acked, open, other := at(1, "old"), at(1, "acked"), at(1, "open"), at(1, "other")
	second, secondOpen := at(2, "second"), at(2, "second open")
	for _, c := range []struct {
		name     string
		open     map[int]document
		together bool
		found    []document
		want     string // a part of the fault; "" is none
	}{
		{"as acknowledged", nil, false, []document{acked, second}, ""},
		{"lost", nil, false, []document{second}, "item {w0 1} is absent; acknowledged"},
		{"older", nil, false, []document{old, second}, "v=old; acknowledged"},
		{"an item nobody wrote", nil, false, []document{acked, second, at(3, "new")}, "item {w0 3} is"},
		{"the open write was done", map[int]document{1: open}, false, []document{open, second}, ""},
		{"the open write was not done", map[int]document{1: open}, false, []document{acked, second}, ""},
		{"neither", map[int]document{1: open}, false, []document{other, second}, "without an answer"},
		{"an open delete was done", map[int]document{1: nil}, false, []document{second}, ""},
		{"an open delete took another item", map[int]document{1: nil}, false, []document{acked},
			"item {w0 2} is absent"},
		{"a part of a batch", map[int]document{1: open, 2: secondOpen}, false, []document{open, second}, ""},
		{"a part of a transaction", map[int]document{1: open, 2: secondOpen}, true, []document{open, second},
			"a part of a transaction"},
		{"a whole transaction", map[int]document{1: open, 2: secondOpen}, true, []document{open, secondOpen}, ""},
		{"no transaction, one part of which changes nothing", map[int]document{1: open, 3: nil}, true,
			[]document{acked, second}, ""},
	} {
		w := &worker{name: "w0", open: c.open, together: c.together}
		w.known[1], w.known[2] = acked, second
		rows := map[itemKey]document{}
		for _, d := range c.found {
			rows[d.key()] = d
		}
		faults := strings.Join(w.recognize(rows), "\n")
		if c.want == "" && faults != "" || !strings.Contains(faults, c.want) {
			t.Errorf("%s: %q, want %q", c.name, faults, c.want)
		}
		if !equal(w.known[1], rows[itemKey{"w0", 1}]) || w.open != nil {
			t.Errorf("%s: the worker does not go on from what is there", c.name)
		}
	}
}

// TestSettle holds what each answer of the server means to a worker.
func TestSettle(t *testing.T) {
	refusal, fault := &types.ConditionalCheckFailedException{}, &types.InternalServerError{}
	cut := errors.New("connection reset by peer")
	for _, c := range []struct {
		name              string
		err               error
		refused           bool
		done, bad, stands bool // stands: the change is taken for done
		open              int
	}{
		{"done", nil, false, true, false, true, 0},
		{"done against a false condition", nil, true, true, true, false, 0},
		{"refused", refusal, true, true, false, false, 0},
		{"refused without a reason", refusal, false, false, true, false, 0},
		{"a fault of the server", fault, false, false, true, false, 0},
		{"no answer", cut, false, false, false, false, 1},
		{"no answer to what must be refused", cut, true, false, false, false, 0},
	} {
		w := &worker{name: "w0"}
		d := w.key(1).document()
		done, bad := w.settle(c.err, map[int]document{1: d}, c.refused)
		if done != c.done || (bad != nil) != c.bad || len(w.open) != c.open || (w.known[1] != nil) != c.stands {
			t.Errorf("%s: done %v, bad %v, open %v, known %v", c.name, done, bad, w.open, w.known[1])
		}
	}
}
