// SPDX-License-Identifier: Apache-2.0

package s3_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// pageMax is the number of objects the server lists at once: few, so that a client must ask again.
const pageMax = 3

// server speaks as much of S3's protocol as the client uses, for one bucket and without signatures.
type server struct {
	mu      sync.Mutex
	objects map[string][]byte
	uploads map[string]map[int][]byte // parts by upload
	count   int
}

func serve(t *testing.T) (endpoint string) {
	s := &server{objects: map[string][]byte{}, uploads: map[string]map[int][]byte{}}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return web.URL
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, err := io.ReadAll(r.Body)
	if err != nil || r.ContentLength > 0 && int64(len(body)) != r.ContentLength {
		fail(w, http.StatusBadRequest, "IncompleteBody")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	upload := query.Get("uploadId")
	switch {
	case name == "" && query.Has("list-type"):
		s.list(w, query.Get("prefix"), max(query.Get("start-after"), query.Get("continuation-token")))
	case r.Method == http.MethodPost && query.Has("uploads"):
		s.count++
		id := strconv.Itoa(s.count)
		s.uploads[id] = map[int][]byte{}
		answer(w, struct {
			XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
			UploadId string
		}{UploadId: id})
	case r.Method == http.MethodPut && upload != "":
		number, _ := strconv.Atoi(query.Get("partNumber"))
		s.uploads[upload][number] = body
		w.Header().Set("ETag", sum(body))
	case r.Method == http.MethodPost && upload != "":
		s.complete(w, name, upload)
	case r.Method == http.MethodPut:
		s.objects[name] = body
		w.Header().Set("ETag", sum(body))
	case r.Method == http.MethodDelete && upload != "":
		delete(s.uploads, upload)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodDelete:
		delete(s.objects, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.get(w, r, name)
	}
}

// complete makes an object of the parts of an upload.
func (s *server) complete(w http.ResponseWriter, name, upload string) {
	var whole []byte
	parts := s.uploads[upload]
	for _, number := range slices.Sorted(maps.Keys(parts)) {
		whole = append(whole, parts[number]...)
	}
	s.objects[name] = whole
	delete(s.uploads, upload)
	answer(w, struct {
		XMLName           xml.Name `xml:"CompleteMultipartUploadResult"`
		Bucket, Key, ETag string
	}{Bucket: "weft", Key: name, ETag: sum(whole)})
}

func (s *server) get(w http.ResponseWriter, r *http.Request, name string) {
	body, ok := s.objects[name]
	if !ok {
		fail(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	w.Header().Set("ETag", sum(body))
	w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
	if span := r.Header.Get("Range"); span != "" {
		first, last, _ := strings.Cut(strings.TrimPrefix(span, "bytes="), "-")
		from, _ := strconv.Atoi(first)
		if from >= len(body) {
			fail(w, http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
			return
		}
		to := len(body)
		if n, err := strconv.Atoi(last); err == nil {
			to = min(to, n+1)
		}
		body = body[from:to]
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(http.StatusPartialContent)
	}
	_, _ = w.Write(body)
}

type listed struct {
	Key, LastModified, ETag string
	Size                    int
}

func (s *server) list(w http.ResponseWriter, prefix, after string) {
	var result struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []listed
	}
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(name, prefix) || name <= after {
			continue
		}
		if len(result.Contents) == pageMax {
			result.IsTruncated, result.NextContinuationToken = true, result.Contents[pageMax-1].Key
			break
		}
		result.Contents = append(result.Contents,
			listed{name, time.Now().UTC().Format(time.RFC3339), sum(s.objects[name]), len(s.objects[name])})
	}
	answer(w, result)
}

func sum(body []byte) string {
	digest := md5.Sum(body)
	return `"` + hex.EncodeToString(digest[:]) + `"`
}

func answer(w http.ResponseWriter, result any) {
	text, err := xml.Marshal(result)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/xml")
	_, _ = w.Write(text)
}

func fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}
