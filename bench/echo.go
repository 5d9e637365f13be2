// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// serveEcho is the role of the bare server. It reads the answers to give, by operation, from in, writes its address to
// out, and serves until in ends. It does what every handler must: read the request's body and write an answer with the
// same headers and body as Weft's. What Weft needs more than this is Weft's own.
func serveEcho(in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(in)
	var answers map[string]answer
	if err := decoder.Decode(&answers); err != nil {
		return fmt.Errorf("reading the answers: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // ends when the parent does
		os.Exit(0)
	}()
	if err := json.NewEncoder(out).Encode(listener.Addr().String()); err != nil {
		return err
	}
	return (&http.Server{Handler: echoHandler(answers)}).Serve(listener)
}

func echoHandler(answers map[string]answer) http.Handler {
	buffers := sync.Pool{New: func() any { return new([]byte) }}
	for api, a := range answers { // net/http writes these itself
		a.Header.Del("Date")
		a.Header.Del("Connection")
		a.Header.Del("Transfer-Encoding")
		a.Header.Set("Content-Length", strconv.Itoa(len(a.Body)))
		answers[api] = a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		var err error
		if *buffer, err = readAll((*buffer)[:0], r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, api, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		a, ok := answers[api]
		if !ok {
			http.Error(w, "no such operation", http.StatusNotFound)
			return
		}
		header := w.Header()
		for name, values := range a.Header {
			header[name] = values
		}
		_, _ = w.Write(a.Body) // the client has gone
	})
}

func readAll(dst []byte, r io.Reader) ([]byte, error) {
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}
