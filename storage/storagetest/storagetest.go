// SPDX-License-Identifier: Apache-2.0

// Package storagetest is the conformance suite of storages: each promise of package storage is a test.
//
// Knows: the promises.
// Never: any storage.
package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/storage"
)

// Run tests a storage. open returns an empty one.
func Run(t *testing.T, open func(t *testing.T) storage.Storage) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s storage.Storage)
	}{
		{"Whole", testWhole}, {"Ranges", testRanges}, {"Absent", testAbsent}, {"Replaced", testReplaced},
		{"Listed", testListed}, {"Names", testNames},
		{"Short", testShort}, {"Long", testLong}, {"Failed", testFailed}, {"Large", testLarge},
		{"Concurrent", testConcurrent}, {"Below", testBelow}, {"Cancelled", testCancelled},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func put(t *testing.T, s storage.Storage, name, body string) {
	t.Helper()
	o, err := s.Put(t.Context(), name, strings.NewReader(body), int64(len(body)))
	if err != nil || o.Name != name || o.Size != int64(len(body)) {
		t.Fatalf("Put(%q): %+v, %v", name, o, err)
	}
}

func get(t *testing.T, s storage.Storage, name string, offset, length int64) string {
	t.Helper()
	body, err := s.Get(t.Context(), name, offset, length)
	if err != nil {
		t.Fatalf("Get(%q, %d, %d): %v", name, offset, length, err)
	}
	text, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		t.Fatalf("Get(%q, %d, %d): %v", name, offset, length, err)
	}
	return string(text)
}

// list returns the names.
func list(t *testing.T, s storage.Storage, prefix, after string) (names []string) {
	t.Helper()
	for o, err := range s.List(t.Context(), prefix, after) {
		if err != nil {
			t.Fatalf("List(%q, %q): %v", prefix, after, err)
		}
		names = append(names, o.Name)
	}
	return names
}

// isAbsent reports whether the storage shows no object of that name.
func isAbsent(ctx context.Context, s storage.Storage, name string) bool {
	body, err := s.Get(ctx, name, 0, -1)
	if err == nil {
		_, err = io.ReadAll(body)
		err = errors.Join(err, body.Close())
	}
	return errors.Is(err, storage.ErrNotFound)
}

func testWhole(t *testing.T, s storage.Storage) {
	for _, body := range []string{"", "x", strings.Repeat("weft", 1<<14)} {
		for _, size := range []int64{int64(len(body)), storage.Unknown} {
			o, err := s.Put(t.Context(), "a/b", strings.NewReader(body), size)
			if err != nil || o.Size != int64(len(body)) {
				t.Fatalf("Put of %d bytes as %d: %+v, %v", len(body), size, o, err)
			}
			if got := get(t, s, "a/b", 0, -1); got != body {
				t.Errorf("%d bytes were written as %d, %d came back", len(body), size, len(got))
			}
		}
	}
}

func testRanges(t *testing.T, s storage.Storage) {
	put(t, s, "r", "0123456789")
	for _, c := range []struct {
		offset, length int64
		want           string
	}{{0, -1, "0123456789"}, {0, 1, "0"}, {0, 0, ""}, {3, 4, "3456"}, {3, -1, "3456789"}, {9, 1, "9"}, {8, 10, "89"},
		{10, 5, ""}, {20, -1, ""}, {0, 100, "0123456789"}} {
		if got := get(t, s, "r", c.offset, c.length); got != c.want {
			t.Errorf("Get(%d, %d) = %q, want %q", c.offset, c.length, got, c.want)
		}
	}
}

func testAbsent(t *testing.T, s storage.Storage) {
	if !isAbsent(t.Context(), s, "none") || !isAbsent(t.Context(), s, "no/ne") {
		t.Error("an object that was never written is there")
	}
	put(t, s, "one/object", "x")
	if !isAbsent(t.Context(), s, "one") || !isAbsent(t.Context(), s, "one/object2") {
		t.Error("an object shows under another name")
	}
	for range 2 {
		if err := s.Delete(t.Context(), "one/object"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	if !isAbsent(t.Context(), s, "one/object") || list(t, s, "", "") != nil {
		t.Error("an object is there after Delete")
	}
}

func testReplaced(t *testing.T, s storage.Storage) {
	put(t, s, "a", "first, and longer")
	put(t, s, "a", "second")
	if got := get(t, s, "a", 0, -1); got != "second" {
		t.Errorf("got %q", got)
	}
}

func testListed(t *testing.T, s storage.Storage) {
	names := []string{"A", "a!", "a-b/c", "a/b", "a/b.c", "a/b0/c", "a/c", "a0", "b/a/a", "b/a/b", "ü/x", "Z"}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(names)) {
		put(t, s, names[i], names[i])
	}
	slices.Sort(names)
	for _, prefix := range []string{"", "a", "a/", "a/b", "b/a", "b/a/", "c", "ü", "a/b/c/d"} {
		for _, after := range append([]string{"", "a/", "b", "zz"}, names...) {
			var want []string
			for _, name := range names {
				if strings.HasPrefix(name, prefix) && name > after {
					want = append(want, name)
				}
			}
			if got := list(t, s, prefix, after); !slices.Equal(got, want) {
				t.Errorf("List(%q, %q) = %q, want %q", prefix, after, got, want)
			}
		}
	}
	for o, err := range s.List(t.Context(), "A", "") {
		if err != nil || o.Name != "A" || o.Size != 1 || o.Modified.IsZero() {
			t.Errorf("the first object is %+v, %v", o, err)
		}
		break
	}
}

func testNames(t *testing.T, s storage.Storage) {
	for _, name := range []string{"", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "../a", "a\x00b", "a\\b", "\xff",
		strings.Repeat("a", storage.NameBytesMax+1)} {
		_, err := s.Put(t.Context(), name, strings.NewReader("x"), 1)
		_, read := s.Get(t.Context(), name, 0, -1)
		if err == nil || read == nil || s.Delete(t.Context(), name) == nil {
			t.Errorf("the name %.40q was taken", name)
		}
	}
	for _, name := range []string{"a b", "a+b%20c&d=e?f#g", "ä/é", "x:y", "~"} {
		put(t, s, name, name)
		if got := get(t, s, name, 0, -1); got != name {
			t.Errorf("%q came back as %q", name, got)
		}
	}
}

func testShort(t *testing.T, s storage.Storage) {
	if _, err := s.Put(t.Context(), "short", strings.NewReader("12345"), 6); err == nil ||
		!isAbsent(t.Context(), s, "short") {
		t.Errorf("a body that ends too early was taken: %v", err)
	}
}

func testLong(t *testing.T, s storage.Storage) {
	if _, err := s.Put(t.Context(), "long", strings.NewReader("12345"), 4); err == nil ||
		!isAbsent(t.Context(), s, "long") {
		t.Errorf("a body that ends too late was taken: %v", err)
	}
}

var errBody = errors.New("the body failed") // immutable

func testFailed(t *testing.T, s storage.Storage) {
	put(t, s, "kept", "before")
	body := io.MultiReader(strings.NewReader("some bytes"), failing{})
	if _, err := s.Put(t.Context(), "kept", body, storage.Unknown); !errors.Is(err, errBody) {
		t.Errorf("Put of a body that fails: %v", err)
	}
	if got := get(t, s, "kept", 0, -1); got != "before" {
		t.Errorf("a body that failed left %q", got)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBody }

// testLarge writes more than one part.
func testLarge(t *testing.T, s storage.Storage) {
	body := make([]byte, 11<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(body) // it never fails
	for _, size := range []int64{int64(len(body)), storage.Unknown} {
		o, err := s.Put(t.Context(), "large", io.MultiReader(bytes.NewReader(body)), size)
		if err != nil || o.Size != int64(len(body)) {
			t.Fatalf("Put: %+v, %v", o, err)
		}
		if got := get(t, s, "large", 0, -1); got != string(body) {
			t.Errorf("%d bytes came back, or other ones", len(got))
		}
		if got := get(t, s, "large", 5<<20-1, 3); got != string(body[5<<20-1:5<<20+2]) {
			t.Errorf("the bytes between two parts are %x", got)
		}
	}
}

func testConcurrent(t *testing.T, s storage.Storage) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 8 {
				body := fmt.Sprint("body ", i)
				if _, err := s.Put(t.Context(), "shared", strings.NewReader(body), int64(len(body))); err != nil {
					t.Error(err)
				}
				if _, err := s.Put(t.Context(), fmt.Sprintf("own/%d/%d", i, j), strings.NewReader(body),
					storage.Unknown); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := get(t, s, "shared", 0, -1); len(got) != len("body 0") || !strings.HasPrefix(got, "body ") {
		t.Errorf("got %q", got)
	}
	if got := list(t, s, "own/", ""); len(got) != 64 {
		t.Errorf("%d objects", len(got))
	}
}

func testBelow(t *testing.T, s storage.Storage) {
	in := storage.Below(s, "/in/side/")
	put(t, in, "a/b", "x")
	put(t, in, "c", "y")
	put(t, s, "in/sidewards", "z")
	if got := list(t, in, "", "a/b"); !slices.Equal(got, []string{"c"}) {
		t.Errorf("got %q", got)
	}
	if got := list(t, s, "in/side/", ""); !slices.Equal(got, []string{"in/side/a/b", "in/side/c"}) {
		t.Errorf("got %q", got)
	}
	if got := get(t, in, "a/b", 0, -1); got != "x" {
		t.Errorf("got %q", got)
	}
	if err := in.Delete(t.Context(), "c"); err != nil || !isAbsent(t.Context(), s, "in/side/c") {
		t.Errorf("Delete: %v", err)
	}
}

func testCancelled(t *testing.T, s storage.Storage) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, "late", strings.NewReader("x"), 1); err == nil || !isAbsent(t.Context(), s, "late") {
		t.Errorf("Put after the end of its context: %v", err)
	}
	for _, err := range s.List(ctx, "", "") {
		if err != nil {
			return
		}
	}
	t.Error("List does not end with its context")
}
