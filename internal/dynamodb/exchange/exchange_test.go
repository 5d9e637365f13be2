// SPDX-License-Identifier: Apache-2.0

package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/exchange"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/storage"
)

// What varies from run to run is shown by a name. // immutable
var hidden = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\d{14}-[0-9a-f]{8}`), "ID"},
	{regexp.MustCompile(`\d{14}[0-9a-f]{8}0{10}`), "TOKEN"},
	{regexp.MustCompile(`(Time":)[0-9.]+`), "${1}TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`"[0-9a-f]{8}-[0-9a-f-]{27}"`), `"UUID"`},
	{regexp.MustCompile(`data/[a-z2-7]{26}`), "data/FILE"},
	{regexp.MustCompile(`(md5Checksum|etag)":"[^"]+"`), `${1}":"SUM"`},
	{regexp.MustCompile(`WriteTimestampMicros":\{"N":"\d{16}"`), `WriteTimestampMicros":{"N":"MICROS"`},
	{regexp.MustCompile(`WriteTimestampMicros:\d{16}\.`), `WriteTimestampMicros:MICROS.`},
}

func hide(text string) string {
	for _, h := range hidden {
		text = h.pattern.ReplaceAllString(text, h.name)
	}
	return text
}

// TestScripts runs the scripts of testdata/scripts. A script has the commands
//
//	op NAME                      runs an operation on a JSON body and shows the answer
//	wait                         waits until no work is left
//	moment NAME                  gives the present a name, which stands for its Unix seconds in a body
//	objects BUCKET               shows the objects of a bucket, unpacked
//	work                         shows the work that goes on or has ended, without its times
//	put BUCKET NAME [gzip|zstd]  stores an object
//
// In a body, $arn is the last ARN of an export, an import or a bulk operation that was shown.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		dir := t.TempDir()
		s := &script{dir: dir, moments: map[string]string{},
			api: &dynamodb.API{DB: testdb.Open(t), Dir: t.TempDir(),
				Options: dynamodb.Options{IncrementMin: time.Millisecond}, Buckets: func(name string) (storage.Storage,
					error) {
					if name == "missing" {
						return nil, storage.ErrNoBucket
					}
					return storage.Folder(filepath.Join(dir, name)), nil
				}}}
		s.api.Serve()
		datadriven.RunTest(t, path, s.run)
	})
}

type script struct {
	api     *dynamodb.API
	dir     string
	arn     string
	moments map[string]string
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	argument := func(i int) string { return d.CmdArgs[i].Key }
	switch d.Cmd {
	case "op":
		return s.op(t, argument(0), d.Input)
	case "wait":
		if err := errors.Join(s.api.DB.WaitJobs(t.Context()), s.api.DB.Tasks().Wait(t.Context())); err != nil {
			t.Fatal(err)
		}
	case "moment":
		<-time.After(3 * time.Millisecond)
		s.moments[argument(0)] = fmt.Sprintf("%.3f", float64(time.Now().UnixMilli())/1000)
		<-time.After(3 * time.Millisecond)
	case "work":
		return s.work(t)
	case "objects":
		return s.objects(t, argument(0))
	case "put":
		text := []byte(d.Input)
		if len(d.CmdArgs) > 2 {
			text = pack(argument(2), text)
		}
		if _, err := storage.Folder(filepath.Join(s.dir, argument(0))).Put(t.Context(), argument(1),
			bytes.NewReader(text), int64(len(text))); err != nil {
			t.Fatal(err)
		}
	default:
		d.Fatalf(t, "unknown command %s", d.Cmd)
	}
	return ""
}

func (s *script) work(t *testing.T) (shown string) {
	list, err := exchange.Work(t.Context(), s.api.DB)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range list {
		if w.BeganMS == 0 || w.EndedMS < w.BeganMS {
			t.Errorf("%+v", w)
		}
		shown += fmt.Sprintf("%s: %s.%s, %s, %d items, %s\n", w.Kind, w.Database, w.Table, w.State, w.Done, w.Fault)
	}
	return shown
}

func pack(how string, text []byte) []byte {
	var packed bytes.Buffer
	if how == "gzip" {
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(text)
		_ = w.Close()
		return packed.Bytes()
	}
	w, _ := zstd.NewWriter(&packed)
	_, _ = w.Write(text)
	_ = w.Close()
	return packed.Bytes()
}

var arnPattern = regexp.MustCompile(`arn:[^"]*/(export|import|bulk-operation)/[^"]*`) // immutable

func (s *script) op(t *testing.T, name, body string) string {
	body = strings.ReplaceAll(body, "$arn", s.arn)
	for moment, at := range s.moments {
		body = strings.ReplaceAll(body, "$"+moment, at)
	}
	answer, err := s.api.Do(context.Background(), name, []byte(body), nil)
	if e, ok := errors.AsType[*exception.Error](err); ok {
		return hide(fmt.Sprintf("%s: %s\n", e.Kind.Name(), e.Message))
	}
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(answer) {
		t.Fatalf("the answer is no JSON: %s", answer)
	}
	if arn := arnPattern.FindString(string(answer)); arn != "" {
		s.arn = arn
	}
	return hide(strings.ReplaceAll(string(answer), "},{", "},\n {") + "\n")
}

func (s *script) objects(t *testing.T, bucket string) (shown string) {
	from := storage.Folder(filepath.Join(s.dir, bucket))
	var names []string
	for o, err := range from.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, o.Name)
	}
	slices.Sort(names)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(s.dir, bucket, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			r, err := gzip.NewReader(bytes.NewReader(text))
			if err == nil {
				text, err = io.ReadAll(r)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasSuffix(name, ".md5") {
			text = []byte("SUM")
		}
		shown += "-- " + name + "\n" + strings.TrimSuffix(string(text), "\n") + "\n"
	}
	return hide(shown)
}
