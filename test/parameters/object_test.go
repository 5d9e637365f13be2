// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"bytes"
	"encoding/json"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/weftdb/weft/storage"
)

var filePattern = regexp.MustCompile(`data/[a-z2-7]{26}`) // immutable

// putObject stores an object: {"Bucket":..,"Name":..,"Text":..,"Gzip":true}.
func (p player) putObject(t *testing.T, one step) *answer {
	t.Helper()
	name, _ := one.body["Name"].(string)
	bucket, _ := one.body["Bucket"].(string)
	text, _ := one.body["Text"].(string)
	body := []byte(text)
	if one.body["Gzip"] == true {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		body = packed.Bytes()
	}
	if _, err := storage.Folder(filepath.Join(p.buckets, bucket)).Put(t.Context(), name, bytes.NewReader(body),
		int64(len(body))); err != nil {
		t.Fatal(err)
	}
	return nil
}

// objects shows all objects.
func (p player) objects(t *testing.T) *answer {
	t.Helper()
	shown := map[string]string{}
	from := storage.Folder(p.buckets)
	for o, err := range from.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		text := "…"
		if path.Base(path.Dir(o.Name)) == "data" {
			text = p.unpack(t, from, o.Name)
		}
		name := idPattern.ReplaceAllString(filePattern.ReplaceAllString(o.Name, "data/FILE"), "ID")
		shown[name] = strings.ReplaceAll(text, "\n", " ")
	}
	text, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	a := answerOf("objects", text, nil)
	return &a
}

func (p player) unpack(t *testing.T, from storage.Storage, name string) string {
	t.Helper()
	packed, err := storage.ReadAll(t.Context(), from, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
