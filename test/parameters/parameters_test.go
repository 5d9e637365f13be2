// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/storage"
)

// elsewhere is how this server refuses a parameter whose work it does not do.
const elsewhere = "this server has no "

// now is what the clock of all cases shows: 2,000,000,000 s since the Unix epoch. // immutable
var now = time.Unix(2_000_000_000, 0)

// TestCases runs the cases of testdata/cases.
func TestCases(t *testing.T) {
	rounds.SkipRace(t)
	text, err := os.ReadFile("testdata/standard")
	if err != nil {
		t.Fatal(err)
	}
	standard, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	datadriven.Walk(t, casesFolder, func(t *testing.T, path string) {
		f := file{operation: filepath.Base(path), standard: standard.setup}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) (shown string) {
			t.Helper()
			s, err := parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			if d.Cmd == "base" {
				f.base = s
				t.Run("base", func(t *testing.T) { shown = f.showBase(t) })
				return shown
			}
			if !isState(d.Cmd) || len(d.CmdArgs) != 1 {
				d.Fatalf(t, "a block begins with base, or a state and a parameter")
			}
			c := trial{file: &f, state: d.Cmd, parameter: d.CmdArgs[0].Key, script: s}
			t.Run(c.parameter, func(t *testing.T) { shown = c.run(t, d.Pos) })
			return shown
		})
	})
}

// file is the state of a file of cases.
type file struct {
	operation string
	standard  []step
	base      script
}

// showBase shows the answers to a base, but not how tables are described behind it: what matters of that is in the
// cases.
func (f *file) showBase(t *testing.T) (text string) {
	for i, a := range f.play(t, f.base.setup, f.base.base, f.base.then) {
		if i > 0 {
			text += "then " + a.operation + "\n"
		}
		if describes(a.operation) && slices.Contains(keepers, f.operation) {
			text += a.brief() + "\n"
		} else {
			text += a.text()
		}
	}
	return text
}

// play opens a database and runs steps before a request, the request and steps after it. The first answer is the
// request's.
func (f *file) play(t *testing.T, setup []step, body object, then []step) []answer {
	t.Helper()
	buckets := t.TempDir()
	p := player{&dynamodb.API{Kinesis: true,
		DB: testdb.OpenWith(t, database.Options{ExpiryInterval: -1, Now: func() time.Time { return now }}),
		Buckets: func(name string) (storage.Storage, error) {
			return storage.Folder(filepath.Join(buckets, name)),
				nil
		}, Dir: t.TempDir()}, map[string]string{}, buckets}
	p.api.Serve()
	for _, one := range slices.Concat(f.standard, setup) {
		if a := p.run(t, one); a != nil && a.failure != nil {
			t.Fatalf("setup: %s: %s", one.operation, a.brief())
		}
	}
	answers := []answer{*p.run(t, step{f.operation, body})}
	for _, one := range then {
		if a := p.run(t, one); a != nil {
			answers = append(answers, *a)
		}
	}
	return answers
}

type player struct {
	api *dynamodb.API
	// arns are those that the answers have shown last, by the names of their members.
	arns map[string]string
	// buckets is the folder with a folder for each bucket.
	buckets string
}

var (
	// immutable
	arnPattern = regexp.MustCompile(`"(BackupArn|ExportArn|ImportArn|BulkOperationArn|LatestStreamArn|ShardId|ShardIterator|SequenceNumber)":"([^"]+)"`)
	// immutable
	idPattern = regexp.MustCompile(`[0-9]{14}-[0-9a-f]{8}|[0-9]{14}[0-9a-f]{8}0{10}`)
)

// fill puts ARNs in the place of their members' names with a dollar sign in front.
func (p player) fill(body []byte) []byte {
	for name, arn := range p.arns {
		body = bytes.ReplaceAll(body, []byte("$"+name), []byte(arn))
	}
	return body
}

// run runs one step; the answer is nil for those that are no operation.
func (p player) run(t *testing.T, one step) *answer {
	t.Helper()
	var err error
	switch one.operation {
	case "wait":
		err = errors.Join(p.api.DB.WaitJobs(t.Context()), p.api.DB.Tasks().Wait(t.Context()))
	case "object":
		return p.putObject(t, one)
	case "objects":
		return p.objects(t)
	case "expire":
		_, err = p.api.DB.Jobs().Expire(t.Context())
	default:
		return p.do(t, one)
	}
	if err != nil {
		t.Fatal(err)
	}
	return nil
}

func (p player) do(t *testing.T, one step) *answer {
	t.Helper()
	if dynamodb.FindOperation(one.operation) == nil {
		t.Fatalf("there is no operation %s", one.operation)
	}
	body, err := json.Marshal(one.body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.api.Do(context.Background(), one.operation, p.fill(body), nil)
	for _, found := range arnPattern.FindAllSubmatch(text, -1) {
		p.arns[string(found[1])] = string(found[2])
	}
	if fault, ok := errors.AsType[*dynamodb.Error](err); ok {
		fault.Message = idPattern.ReplaceAllString(fault.Message, "ID")
	}
	a := answerOf(one.operation, idPattern.ReplaceAll(text, []byte("ID")), err)
	return &a
}

// trial is a case.
type trial struct {
	*file
	state, parameter string
	script           script
}

// run runs the request without the parameter and with it, judges the state and shows the differences.
func (c *trial) run(t *testing.T, at string) string {
	base, _ := merged(c.base.base, c.script.base).(object)
	with, _ := merged(base, c.script.with).(object)
	if !reaches(c.script.with, strings.Split(c.parameter, ".")) {
		t.Fatalf("%s: the line with does not have %s", at, c.parameter)
	}
	setup, then := slices.Concat(c.base.setup, c.script.setup), slices.Concat(c.base.then, c.script.then)
	if c.state == stored {
		if len(c.base.probes) == 0 {
			t.Fatalf("%s: the base has no probes", at)
		}
		then = append(then, c.base.probes...)
	}
	before, after := c.play(t, setup, base, then), c.play(t, setup, with, then)
	found := c.compare(before, after)
	for _, state := range states {
		fault := judge(state, c.parameter, found, &before[0], &after[0])
		switch {
		case state == c.state && fault != "":
			t.Errorf("%s: %s is not %s: %s\n%s", at, c.parameter, state, fault, found.text)
		case state != c.state && fault == "":
			t.Errorf("%s: %s is %s\n%s", at, c.parameter, state, found.text)
		}
	}
	return found.text
}

// differences are those between the answers without and with a parameter.
type differences struct {
	text                       string
	own, described, consequent bool // whether the request's own answer differs, a description behind it, anything else
}

func (c *trial) compare(before, after []answer) (found differences) {
	for i := range before {
		lines, prefix := before[i].difference(&after[i]), ""
		if len(lines) == 0 {
			continue
		}
		if i > 0 {
			prefix = "then " + before[i].operation + ": "
		}
		for _, line := range lines {
			found.text += prefix + line + "\n"
		}
		failed := before[i].failure != nil || after[i].failure != nil
		found.own = found.own || i == 0
		switch {
		case !failed && slices.Contains(keepers, c.operation) && describes(before[i].operation):
			found.described = found.described || i > 0
		default:
			found.consequent = true
		}
	}
	if found.text == "" {
		found.text = "nothing differs\n"
	}
	return found
}

// judge says why a parameter is not in a state; "" if it is.
func judge(state, parameter string, found differences, before, after *answer) string {
	refusal := after.failure != nil && strings.Contains(after.failure.Message, elsewhere)
	switch state {
	case honoured:
		switch {
		case refusal:
			return "it is refused"
		case !found.consequent:
			return "nothing but descriptions differs"
		}
	case stored:
		switch {
		case after.failure != nil || before.failure != nil:
			return "a request failed"
		case found.consequent:
			return "something follows from it"
		case !found.described:
			return "no description behind the request shows it"
		}
	case refused:
		switch {
		case before.failure != nil && strings.Contains(before.failure.Message, elsewhere):
			return "the request without it is refused, too"
		case !refusal || after.failure.Name() != "ValidationException" ||
			!strings.Contains(after.failure.Message, parameter):
			return "no ValidationException says that this server has no such thing"
		}
	case needless:
		if found.own || found.described || found.consequent {
			return "it makes a difference"
		}
	}
	return ""
}

// TestEveryParameter holds the cases to the SDK's parameters: each has a case, and there is no case of another.
func TestEveryParameter(t *testing.T) {
	all, err := claims()
	if err != nil {
		t.Fatal(err)
	}
	structs := inputs()
	for operation, states := range all {
		if dynamodb.FindOperation(operation) == nil {
			t.Errorf("%s/%s: the server knows no such operation", casesFolder, operation)
			continue
		}
		list := parametersOf(structs[operation])
		for name := range states {
			if !slices.ContainsFunc(list, func(p parameter) bool { return p.name == name }) {
				t.Errorf("%s/%s: the SDK knows no parameter %s", casesFolder, operation, name)
			}
		}
	}
	for _, o := range dynamodb.Operations() {
		operation := o.Name
		if all[operation] == nil {
			t.Errorf("%s has no file in %s", operation, casesFolder)
			continue
		}
		for _, p := range parametersOf(structs[operation]) {
			if !p.holds && stateOf(all[operation], p.name) == "" {
				t.Errorf("%s/%s has no case of %s: write `honoured %s`, say", casesFolder, operation, p.name, p.name)
			}
		}
	}
}

// stateOf is the state of a parameter that holds no others: its own, or that of one that holds it and is refused as a
// whole.
func stateOf(states map[string]string, name string) string {
	if state, ok := states[name]; ok {
		return state
	}
	for container, state := range states {
		if state == refused && isWithin(name, container) {
			return refused
		}
	}
	return ""
}

// TestUnknownOperations holds the list of the SDK's operations that the server does not know to the text, and asks for
// each of them.
func TestUnknownOperations(t *testing.T) {
	datadriven.RunTest(t, "testdata/unknown", func(t *testing.T, d *datadriven.TestData) string {
		api := &dynamodb.API{DB: testdb.Open(t)}
		lines := ""
		for _, name := range unknown() {
			_, err := api.Do(t.Context(), name, []byte("{}"), nil)
			a := answerOf(name, nil, err)
			if a.failure == nil || a.failure.Name() != "UnknownOperationException" {
				t.Errorf("%s: %s", name, a.text())
			}
			lines += name + "\n"
		}
		return lines
	})
}
