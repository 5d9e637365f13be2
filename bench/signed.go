// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/internal/security/signature"
)

// accessKey signs requests; the zero accessKey signs none.
type accessKey struct{ id, secret string }

const signedHeaders = "content-length;content-type;host;x-amz-date;x-amz-target"

// signer puts signatures into the requests of one worker, which differ in their bodies alone.
type signer struct {
	key       signature.Key
	canonical []byte // the canonical request, up to the digest of the body
	preamble  []byte // the text to be signed, up to the digest of the canonical request
	at, body  int    // in the request: where the signature stands and the body begins
	sum       []byte
}

// newSigner reads a request of httpRequest.
func newSigner(k accessKey, request []byte) *signer {
	header := func(name string) string {
		_, rest, _ := strings.Cut(string(request), "\r\n"+name+": ")
		value, _, _ := strings.Cut(rest, "\r\n")
		return value
	}
	date := header("X-Amz-Date")
	scope := signature.Scope{Date: date[:8], Region: "us-east-1", Service: "dynamodb"}
	s := &signer{key: signature.NewKey(k.secret, scope),
		at:   bytes.Index(request, []byte("Signature=")) + len("Signature="),
		body: bytes.Index(request, []byte("\r\n\r\n")) + 4}
	s.canonical = fmt.Appendf(nil, "POST\n/\n\ncontent-length:%s\ncontent-type:%s\nhost:%s\nx-amz-date:%s\nx-amz-target:%s\n\n%s\n",
		header("Content-Length"), header("Content-Type"), header("Host"), date, header("X-Amz-Target"), signedHeaders)
	s.preamble = fmt.Appendf(nil, "%s\n%s\n%s/us-east-1/dynamodb/aws4_request\n", signature.Algorithm, date, scope.Date)
	return s
}

// sign writes the signature of a request into it.
func (s *signer) sign(request []byte) {
	body := sha256.Sum256(request[s.body:])
	n := len(s.canonical)
	s.canonical = hex.AppendEncode(s.canonical, body[:])
	canonical := sha256.Sum256(s.canonical)
	s.canonical = s.canonical[:n]
	n = len(s.preamble)
	s.preamble = hex.AppendEncode(s.preamble, canonical[:])
	s.sum = signature.MAC(s.key[:], s.preamble)
	s.preamble = s.preamble[:n]
	hex.Encode(request[s.at:], s.sum)
}

// openSigned starts the binary of this tree with the table of another peer, and lets in only clients that sign: as the
// administrator, or as a user whose policy names the items that may be read.
func openSigned(ctx context.Context, c *config, name string) (*httpPeer, error) {
	p, err := openWeft(ctx, c, name)
	if err != nil {
		return nil, err
	}
	if err := p.Close(); err != nil {
		return nil, err
	}
	dir := c.folder(name)
	master := filepath.Join(c.Dir, name+".key")
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails
	if err := os.WriteFile(master, []byte(base64.StdEncoding.EncodeToString(random[:])), 0o600); err != nil {
		return nil, err
	}
	user := func(arguments ...string) (said string, err error) {
		command := exec.CommandContext(ctx, c.Weft,
			append([]string{"user", "--data", dir, "--password-stdin"}, arguments...)...)
		command.Env, command.Stdin = append(loadgen.Environment(),
			"WEFT_MASTER_KEY_FILE="+master), strings.NewReader("secret\n")
		output, err := command.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("weft user %s: %w: %s", strings.Join(arguments, " "), err, output)
		}
		return string(output), err
	}
	_, err = user("add", "root")
	who := "root"
	if name == peerPolicy {
		who = "ann"
		document := filepath.Join(c.Dir, "policy.json")
		_, err2 := user("add", who)
		err3 := os.WriteFile(document, []byte(benchPolicy), 0o600)
		_, err4 := user("policy", "put", who, "items", document)
		err = errors.Join(err, err2, err3, err4)
	}
	said, err2 := user("key", "create", who)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	id, secret, _ := strings.Cut(strings.TrimSpace(said), "\n")
	signed, err := startWeft(ctx, c, name, dir, "--auth", "required", "--master-key-file", master)
	if err != nil {
		return nil, err
	}
	signed.target.partitions = c.Partitions
	signed.target.key = accessKey{strings.TrimPrefix(id, "AWS_ACCESS_KEY_ID="),
		strings.TrimPrefix(secret, "AWS_SECRET_ACCESS_KEY=")}
	return signed, nil
}

// benchPolicy has a condition on the partition key, so that every request is decided.
const benchPolicy = `{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"dynamodb:*","Resource":"arn:aws:dynamodb:*:*:table/` + tableName + `",
 "Condition":{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"p*"}}}}`
