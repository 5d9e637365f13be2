// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

var home = Account{Region: "us-east-1", ID: "000000000000"}

// TestARN runs testdata/arn: a name or an ARN on each line, and what it is as a TableName and as a ResourceArn.
func TestARN(t *testing.T) {
	datadriven.RunTest(t, "testdata/arn", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for line := range strings.Lines(d.Input) {
			text := strings.TrimSuffix(line, "\n")
			table, err := home.Table(text, "GetItem")
			fmt.Fprintf(&out, "table %s; ", orFault(table, err))
			table, part, err := home.Resource(&text, "TagResource")
			fmt.Fprintf(&out, "resource %s\n", orFault(table+" "+part, err))
		}
		return out.String()
	})
}

func orFault(text string, err error) string {
	if fault, ok := errors.AsType[*exception.Error](err); ok {
		return "(" + fault.Error() + ")"
	}
	return fmt.Sprintf("%q", text)
}

// FuzzARN: what is an ARN of this account is that of the table that it names, and reading it never fails otherwise than
// with an exception.
func FuzzARN(f *testing.F) {
	for _, text := range []string{"abc", home.TableARN("abc"), home.TableARN("abc") + "/index/x",
		home.TableARN("abc") + "/stream/2020-01-01T00:00:00.000", "arn:", "arn:aws:dynamodb:::table/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := home.Table(text, "GetItem")
		switch {
		case err != nil:
			if _, ok := errors.AsType[*exception.Error](err); !ok {
				t.Fatal(err)
			}
		case table != text && home.TableARN(table) != text:
			t.Fatalf("%q is table %q", text, table)
		}
	})
}

// TestSettingsOfEarlierVersions: whatever was kept of tables once can be read.
func TestSettingsOfEarlierVersions(t *testing.T) {
	table := &schema.Table{Name: "old", Primary: schema.Index{PartitionParts: 1,
		Key: database.Columns("a", schema.String)}}
	for _, text := range []string{
		`{"throughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6},"onDemandSinceMS":7,"onDemandThroughput":{"MaxReadRequestUnits":3},` +
			`"warmThroughput":{"ReadUnitsPerSecond":100,"WriteUnitsPerSecond":200,"Status":"ACTIVE"},"encryption":{"Enabled":true,"KMSMasterKeyId":"k"},` +
			`"tableClass":"STANDARD","deletionProtection":true,"tags":[{"Key":"k","Value":"v"}]}`,
		`{"onDemandThroughput":{"MaxReadRequestUnits":"many"}}`, `{"onDemandThroughput":[1]}`,
		`{"onDemandThroughput":"x"}`,
		`{"warmThroughput":{"ReadUnitsPerSecond":0,"WriteUnitsPerSecond":0}}`, `{}`,
		`{"stream":{"viewType":"KEYS_ONLY","createdAtMS":6},"policies":{"":{"text":"{}","revisionID":"7"}},"pointInTimeRecovery":{"sinceMS":8,"days":9}}`,
	} {
		table.Dialect = map[string]json.RawMessage{dialect: json.RawMessage(text)}
		d, err := Describe(table, home, Sizes{}, 0)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		// What was once kept and never done is not claimed any more.
		if shown, err := json.Marshal(d); err != nil || regexp.MustCompile("Stream|SSE|KMS").Match(shown) {
			t.Errorf("%s is described as %s %v", text, shown, err)
		}
	}
	table.Dialect = nil
	if d, err := Describe(table, home, Sizes{}, 0); err != nil || d.BillingModeSummary.BillingMode != payPerRequest {
		t.Errorf("a table that was made elsewhere: %+v %v", d, err)
	}
}

// TestSettingsSurvive: settings are read as they were kept.
func TestSettingsSurvive(t *testing.T) {
	five, text := int64(5), "x"
	whole := Settings{
		Throughput: &Throughput{&five, &five}, History: history{1, 2, 3}, OnDemandSinceMS: 4,
		OnDemand: &storedOnDemand{OnDemand{&five, &five}},
		Warm:     &Warm{&five, &five}, TableClass: "c", DeletionRefused: true, Tags: []Tag{{&text, &text}},
	}
	back, err := SettingsOf(&schema.Table{Dialect: keep(nil, &whole)})
	if err != nil || !reflect.DeepEqual(back, whole) {
		t.Errorf("%+v became %+v: %v", whole, back, err)
	}
}

// TestHistory: decreases are counted from midnight to midnight, in UTC.
func TestHistory(t *testing.T) {
	units := func(n int64) *Throughput { return &Throughput{&n, &n} }
	var h history
	for _, step := range []struct{ before, after, nowMS, today int64 }{
		{5, 4, dayMS + 1, 1}, {4, 3, 2*dayMS - 1, 2}, {3, 4, 2*dayMS - 1, 2}, {4, 3, 2 * dayMS, 1},
		{3, 3, 4 * dayMS, 0},
	} {
		h.note(units(step.before), units(step.after), step.nowMS)
		if got := h.decreasesOn(step.nowMS); got != step.today {
			t.Errorf("%+v: %d decreases", step, got)
		}
	}
	if h.IncreasedAtMS != 2*dayMS-1 || h.DecreasedAtMS != 2*dayMS {
		t.Errorf("%+v", h)
	}
}
