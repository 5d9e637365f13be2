// SPDX-License-Identifier: Apache-2.0

// Package remote calls services that speak AWS's JSON over HTTP: DynamoDB, its streams, and Kinesis.
//
// Knows: signed requests, faults, bounds of time and bytes.
// Never: what is asked for.
package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/security/signature"
)

const (
	timeoutDefault = 30 * time.Second
	answerBytesMax = 32 << 20
)

// Service is a service at an address. It is safe for concurrent use.
type Service struct {
	URL    string
	Region string
	Name   string // in signatures, such as "kinesis"
	Target string // what stands before an operation's name, such as "Kinesis_20131202."
	// Version is the version of AWS's JSON: "1.0" or "1.1".
	Version     string
	Credentials signature.Credentials
	Header      http.Header  // what requests have besides, outside of their signatures
	HTTP        *http.Client // nil: one that waits for 30 seconds
}

// Fault is an answer that is an error.
type Fault struct {
	Status  int
	Name    string // of the exception
	Message string
}

func (f *Fault) Error() string {
	if f.Message == "" {
		return f.Name
	}
	return fmt.Sprintf("%s: %s", f.Name, f.Message)
}

// Is reports whether err is a fault of a name.
func Is(err error, name string) bool {
	fault, ok := errors.AsType[*Fault](err)
	return ok && fault.Name == name
}

// Call runs an operation: it sends in and reads the answer into out, both as JSON; a nil out is not read. Errors:
// *Fault, those of HTTP.
func (s *Service) Call(ctx context.Context, operation string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-amz-json-"+s.Version)
	request.Header.Set("X-Amz-Target", s.Target+operation)
	signature.Sign(request, body, s.Credentials, s.Region, s.Name, time.Now()) // lint:clock a date of the protocol
	for name, values := range s.Header {
		request.Header[name] = values
	}
	client := s.HTTP
	if client == nil {
		client = &http.Client{Timeout: timeoutDefault}
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, answerBytesMax+1))
	switch {
	case err != nil:
		return err
	case len(text) > answerBytesMax:
		return fmt.Errorf("the answer to %s has more than %d bytes", operation, answerBytesMax)
	case answer.StatusCode != http.StatusOK:
		return faultOf(answer.StatusCode, text)
	case out == nil:
		return nil
	}
	return json.Unmarshal(text, out)
}

// faultOf reads an error.
func faultOf(status int, body []byte) *Fault {
	var said struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
		Other   string `json:"Message"`
	}
	if json.Unmarshal(body, &said) != nil || said.Type == "" {
		return &Fault{Status: status, Name: http.StatusText(status), Message: string(body[:min(len(body), 200)])}
	}
	_, name, found := strings.Cut(said.Type, "#")
	if !found {
		name = said.Type
	}
	said.Message = cmp.Or(said.Message, said.Other)
	return &Fault{Status: status, Name: name, Message: said.Message}
}
