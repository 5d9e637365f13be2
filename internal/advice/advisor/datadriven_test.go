// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
)

// TestData runs the scripts in testdata:
//
//	rows n=n seed=n  the sample of the next document, an attribute on each line: name kind(arguments) present=share. See generate.
//	advise           a document (see design.Parse): the report. rules=(a,b) keeps the findings of these rules, sql the requests,
//	                 rules=none prints the heading alone; tell prints just severity, rule and subject of each finding; most=n is the number of indexes the table may have
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var rows []design.Row
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "rows":
				n, seed := 1000, 1
				d.MaybeScanArgs(t, "n", &n)
				d.MaybeScanArgs(t, "seed", &seed)
				rows = generate(t, d.Input, n, uint64(seed))
				return ""
			case "advise":
				parsed, err := design.Parse([]byte(d.Input))
				if err != nil {
					return err.Error() + "\n"
				}
				if len(rows) > 0 {
					parsed.Sample, rows = rows, nil
				}
				d.MaybeScanArgs(t, "most", &parsed.Table.IndexesMax)
				checkFollowed(t, parsed)
				return show(t, d, Advise(parsed))
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func show(t *testing.T, d *datadriven.TestData, r *report.Report) string {
	checkReport(t, r)
	for _, f := range r.Findings {
		for _, s := range f.Statements {
			if s.Input != nil {
				checkNames(t, s.Input)
			}
		}
	}
	var wanted []string
	d.MaybeScanArgs(t, "rules", &wanted)
	if wanted != nil {
		r.Findings = slices.DeleteFunc(r.Findings,
			func(f report.Finding) bool { return !slices.Contains(wanted, f.Rule) })
	}
	if d.HasArg("tell") {
		var b strings.Builder
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "%s %s %s\n", f.Severity, f.Rule, f.Subject)
		}
		return b.String() + fmt.Sprintf("%d of %d served\n", r.Served, r.Patterns)
	}
	return r.Text(report.TextOptions{All: true, Statements: d.HasArg("requests")})
}

// checkReport checks what is true of every report: sentences end, numbers are numbers, requests are JSON that names the
// table.
func checkReport(t *testing.T, r *report.Report) {
	t.Helper()
	if !json.Valid(r.JSON()) || !bytes.Contains(r.JSON(), []byte(`"Table"`)) {
		t.Errorf("the report's JSON is not valid: %s", r.JSON())
	}
	for _, f := range r.Findings {
		if f.Severity < report.Advice || f.Rule == "" || f.Subject == "" || !strings.HasSuffix(f.Problem, ".") ||
			!strings.HasSuffix(f.Remedy, ".") {
			t.Errorf("incomplete finding: %+v", f)
		}
		numbers := []float64{}
		for _, c := range []*report.Cost{f.Before, f.After} {
			if c != nil {
				numbers = append(numbers, c.Reads, c.Writes, c.Bytes)
			}
		}
		for _, e := range f.Evidence {
			numbers = append(numbers, e.Value)
		}
		for _, n := range numbers {
			if math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
				t.Errorf("%s: %v is no figure", f.Rule, n)
			}
		}
		for _, s := range f.Statements {
			// which DynamoDB's API has no request for
			if strings.HasPrefix(s.SQL, "CREATE INDEX find") && s.Input == nil {
				continue
			}
			var body struct{ TableName string }
			if err := json.Unmarshal(s.Input, &body); err != nil || !strings.HasPrefix(body.TableName, r.Table) {
				t.Errorf("%s: %s is no request: %s", f.Rule, s.Operation, s.Input)
			}
		}
	}
}

// checkFollowed makes the indexes that a report proposes and asks again: nothing new is proposed, and no fewer patterns
// are served.
func checkFollowed(t *testing.T, d *design.Design) {
	t.Helper()
	before := Advise(d)
	followed := *d
	followed.Table.Indexes = slices.Clone(d.Table.Indexes)
	for _, f := range before.Findings {
		for _, s := range f.Statements {
			if !strings.HasPrefix(f.Subject, "new index") || strings.Contains(string(s.Input), "_mark") {
				continue
			}
			var body struct {
				GlobalSecondaryIndexUpdates []struct {
					Create struct {
						IndexName string
						KeySchema []struct{ AttributeName string }
					}
					Delete struct{ IndexName string }
				}
			}
			if err := json.Unmarshal(s.Input, &body); err != nil {
				t.Fatal(err)
			}
			if gone := body.GlobalSecondaryIndexUpdates[0].Delete.IndexName; gone != "" {
				followed.Table.Indexes = slices.DeleteFunc(followed.Table.Indexes,
					func(x design.Index) bool { return x.Name == gone })
				continue
			}
			x := design.Index{Name: body.GlobalSecondaryIndexUpdates[0].Create.IndexName}
			for _, k := range body.GlobalSecondaryIndexUpdates[0].Create.KeySchema {
				x.Key = append(x.Key, k.AttributeName)
			}
			followed.Table.Indexes = append(followed.Table.Indexes, x)
		}
	}
	if len(followed.Table.Indexes) == len(d.Table.Indexes) && d.Table.IndexesMax == 0 {
		return
	}
	after := Advise(&followed)
	for _, f := range after.Findings {
		if strings.HasPrefix(f.Subject, "new index") {
			t.Errorf("%s: after following the advice %s (%s) is proposed", d.Table.Name, f.Subject, f.Rule)
		}
	}
	if after.Served < before.Served {
		t.Errorf("%s: %d patterns were served before the advice was followed, %d are after", d.Table.Name,
			before.Served, after.Served)
	}
}

// checkNames wants the computed key attributes of a request to be ones that the database understands.
func checkNames(t *testing.T, input []byte) {
	t.Helper()
	var body struct {
		AttributeDefinitions []struct{ AttributeName, AttributeType string }
	}
	if err := json.Unmarshal(input, &body); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]schema.Type{"S": schema.String, "N": schema.Number, "B": schema.Binary}
	for _, a := range body.AttributeDefinitions {
		if _, _, err := keytext.Parse(a.AttributeName, kinds[a.AttributeType]); err != nil {
			t.Error(err)
		}
	}
}

// generate makes rows. Kinds:
//
//	id(text)          text and the row's number, padded: unique and growing
//	whole(low,high)   whole numbers, evenly spread
//	real(low,high)    numbers with three decimals, evenly spread
//	normal(mean,sd)   numbers around a mean
//	step(first,step)  numbers that grow from row to row
//	one(a,b,...)      one of the texts; a*9 is nine times as likely
//	text(prefix,n)    one of n texts with a common beginning
//	date(days)        YYYY-MM-DD of 2018 and the days after
//	yes(share)        a BOOL that is true for a share of the rows
//	json()            a JSON document
//	hex()             32 random hexadecimal digits
//
// present=share leaves the attribute out of the other rows; with=attribute gives it only to rows that have the other.
func generate(t *testing.T, spec string, n int, seed uint64) []design.Row {
	t.Helper()
	rows := make([]design.Row, n)
	for _, line := range strings.Split(strings.TrimSpace(spec), "\n") {
		source := random(seed)
		for _, c := range line {
			source = random(source.next() + uint64(c))
		}
		fields := strings.Fields(line)
		name, call := fields[0], fields[1]
		present, with := 1.0, ""
		for _, option := range fields[2:] {
			if text, ok := strings.CutPrefix(option, "present="); ok {
				present, _ = strconv.ParseFloat(text, 64)
			}
			if text, ok := strings.CutPrefix(option, "with="); ok {
				with = text
			}
		}
		kind, list, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
		args := strings.Split(list, ",")
		for i := range rows {
			has := source.unit() < present
			v := makeValue(t, &source, kind, args, i)
			if has && (with == "" || slices.ContainsFunc(rows[i],
				func(f design.Field) bool { return f.Name == with })) {
				rows[i] = append(rows[i], design.Field{Name: name, Value: v})
			}
		}
	}
	return rows
}

func makeValue(t *testing.T, r *random, kind string, args []string, i int) design.Value {
	number := func(at int) float64 {
		n, err := strconv.ParseFloat(args[at], 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	switch kind {
	case "id":
		return design.Text(fmt.Sprintf("%s%06d", args[0], i))
	case "whole":
		return design.Number(fmt.Sprint(int64(number(0) + math.Floor(r.unit()*(number(1)-number(0)+1)))))
	case "real":
		return design.Number(fmt.Sprintf("%.3f", number(0)+r.unit()*(number(1)-number(0))))
	case "normal":
		sum := -6.0
		for range 12 {
			sum += r.unit()
		}
		return design.Number(fmt.Sprintf("%.2f", number(0)+sum*number(1)))
	case "step":
		return design.Number(fmt.Sprint(int64(number(0) + float64(i)*number(1))))
	case "one":
		var bag []string
		for _, a := range args {
			text, times, _ := strings.Cut(a, "*")
			n, _ := strconv.Atoi(times)
			bag = append(bag, slices.Repeat([]string{text}, max(1, n))...)
		}
		return design.Text(bag[r.next()%uint64(len(bag))])
	case "text":
		n := uint64(number(1))
		x := random(r.next() % n)
		return design.Text(fmt.Sprintf("%s%08x", args[0], x.next()>>32))
	case "date":
		day := int(r.unit() * number(0))
		return design.Text(fmt.Sprintf("%d-%02d-%02d", 2018+day/360, 1+day%360/30, 1+day%30))
	case "yes":
		return design.Bool(r.unit() < number(0))
	case "json":
		return design.Text(fmt.Sprintf(`{"a": %d, "b": [1, 2, 3]}`, r.next()%1000))
	case "hex":
		return design.Text(fmt.Sprintf("%016x%016x", r.next(), r.next()))
	}
	t.Fatalf("unknown kind %s", kind)
	return design.Value{}
}
