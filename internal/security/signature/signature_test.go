// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
)

const (
	suiteKey    = "AKIDEXAMPLE"
	suiteSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
)

func suiteNow() time.Time { return time.Date(2015, 8, 30, 12, 40, 0, 0, time.UTC) }

// signedRequest is a request as AWS's cases write it: lines of a head that need not be HTTP's grammar, and a body.
type signedRequest struct {
	text          string
	unnormalized  bool
	tokenUnsigned bool
}

// parse makes a request of what a server's net/http would hand on. ok is false where it would not.
func (s *signedRequest) parse() (r *http.Request, body []byte, ok bool) {
	head, rest, _ := strings.Cut(s.text, "\n\n")
	lines := strings.Split(head, "\n")
	method, target, ok := strings.Cut(lines[0], " ")
	target, version := cutLast(target, " ")
	if !ok || version != "HTTP/1.1" || method == "" || !strings.HasPrefix(target, "/") {
		return nil, nil, false
	}
	_, query, _ := strings.Cut(target, "?")
	r = &http.Request{Method: method, RequestURI: target, URL: &url.URL{RawQuery: query}, Header: http.Header{},
		ContentLength: -1}
	name := ""
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, " ") && name != "" {
			values := r.Header[name]
			values[len(values)-1] += line
			continue
		}
		var value string
		if name, value, ok = strings.Cut(line, ":"); !ok || name == "" {
			return nil, nil, false
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		r.Header[name] = append(r.Header[name], value)
	}
	r.Host = r.Header.Get("Host")
	return r, []byte(rest), true
}

func cutLast(text, sep string) (before, after string) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):]
	}
	return text, ""
}

// verify says how the request is answered.
func (s *signedRequest) verify(now time.Time) string {
	r, body, ok := s.parse()
	if !ok {
		return "this is no request"
	}
	if s.tokenUnsigned {
		r.URL.RawQuery = withoutToken(r.URL.RawQuery)
	}
	c, fault := Read(r)
	if fault != nil {
		return fault.Error()
	}
	c.unnormalized = s.unnormalized
	if fault := c.VerifyTime(now); fault != nil {
		return fault.Error()
	}
	if c.AccessKey != suiteKey {
		return Unrecognized().Error()
	}
	key := NewKey(suiteSecret, c.Scope)
	if fault := c.Verify(&key, r, sumOf(body)); fault != nil {
		return fault.Error()
	}
	return "ok"
}

func sumOf(body []byte) *Sum {
	sum := sha256.Sum256(body)
	return &sum
}

// withoutToken takes a token out that was added to a query after it was signed.
func withoutToken(query string) string {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		if !strings.HasPrefix(part, "X-Amz-Security-Token=") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "&")
}

func requestOf(d *datadriven.TestData) *signedRequest {
	return &signedRequest{text: d.Input, unnormalized: d.HasArg("unnormalized"),
		tokenUnsigned: d.HasArg("token-unsigned")}
}

// TestData runs AWS's cases (testdata/aws) and our own.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			now := suiteNow()
			if d.HasArg("now") {
				var at string
				d.ScanArgs(t, "now", &at)
				var err error
				if now, err = time.Parse(timeLayout, at); err != nil {
					t.Fatal(err)
				}
			}
			return requestOf(d).verify(now) + "\n"
		})
	})
}

// suite is AWS's cases.
func suite(t testing.TB) (list []*signedRequest) {
	t.Helper()
	file, err := os.ReadFile("testdata/aws")
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(file), "\n----\nok\n") {
		if _, one, ok := strings.Cut(part, "verify "); ok {
			arguments, text, _ := strings.Cut(one, "\n")
			list = append(list, &signedRequest{text, strings.Contains(arguments, "unnormalized"),
				strings.Contains(arguments, "token-unsigned")})
		}
	}
	if len(list) != 76 {
		t.Fatalf("%d signed requests", len(list))
	}
	return list
}

// TestTampering changes single letters and digits of signed requests. None may be taken.
func TestTampering(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	requests := suite(t)
	for range tampers {
		s := *requests[random.IntN(len(requests))]
		was := s.text
		places := s.signedPlaces()
		mutated := []byte(s.text)
		at := places[random.IntN(len(places))]
		for old := mutated[at]; mutated[at]|0x20 == old|0x20; {
			mutated[at] = alphanumeric[random.IntN(len(alphanumeric))]
		}
		s.text = string(mutated)
		if s.verify(suiteNow()) == "ok" {
			t.Fatalf("seed %d: this was taken:\n%s\n\nfor\n%s", seed, s.text, was)
		}
	}
}

const (
	// tampers are some 1,300 for each signed request.
	tampers      = 100_000
	alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// signedPlaces are the letters and digits that a signature is about: all but those of a token that was added afterwards
// and of directories that ".." takes away.
func (s *signedRequest) signedPlaces() (places []int) {
	target, _, _ := strings.Cut(s.text, "?")
	target, _, _ = strings.Cut(target, " HTTP")
	begin := 0
	if strings.Contains(target, "..") && !s.unnormalized {
		begin = len(target)
	}
	from, to := -1, -1
	if s.tokenUnsigned {
		from = strings.Index(s.text, "X-Amz-Security-Token")
		to = from + strings.IndexAny(s.text[from:], "& \n")
	}
	for i := begin; i < len(s.text); i++ {
		if strings.IndexByte(alphanumeric, s.text[i]) >= 0 && (i < from || i >= to) {
			places = append(places, i)
		}
	}
	return places
}

// FuzzRead gives Read whatever may stand in a request.
func FuzzRead(f *testing.F) {
	for _, s := range suite(f) {
		if r, body, ok := s.parse(); ok {
			f.Add(r.Header.Get("Authorization"), r.URL.RawQuery, r.RequestURI, body)
		}
	}
	f.Fuzz(func(t *testing.T, authorization, query, target string, body []byte) {
		r := &http.Request{Method: "POST", RequestURI: target, URL: &url.URL{Path: "/", RawQuery: query},
			Header: http.Header{"X-Amz-Date": {"20150830T123600Z"}}, Host: "h"}
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		c, fault := Read(r)
		if fault != nil {
			return
		}
		key := NewKey("not the secret", c.Scope)
		if c.Verify(&key, r, sumOf(body)) == nil {
			t.Error("a signature by nobody was taken")
		}
		right := NewKey("a secret", c.Scope) // what Verify itself computes must be taken
		c.signature = right.mac(c.appendToSign(nil, c.appendCanonical(nil, r, sumOf(body))))
		if fault := c.Verify(&right, r, sumOf(body)); fault != nil {
			t.Error(fault)
		}
	})
}

// BenchmarkVerify is a GetItem's signature with a key that is known.
func BenchmarkVerify(b *testing.B) {
	r := &http.Request{Method: "POST", RequestURI: "/", URL: &url.URL{Path: "/"}, Host: "localhost:8000",
		ContentLength: 60, Header: http.Header{
			"X-Amz-Date": {"20150830T123600Z"}, "X-Amz-Target": {"DynamoDB_20120810.GetItem"},
			"Content-Type":  {"application/x-amz-json-1.0"},
			"Authorization": {"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" + strings.Repeat("0", 64)},
		}}
	body := bytes.Repeat([]byte("x"), 60)
	key := NewKey(suiteSecret, Scope{"20150830", "us-east-1", "dynamodb"})
	c, _ := Read(r)
	sum := MAC(key[:], c.appendToSign(nil, c.appendCanonical(nil, r, sumOf(body))))
	r.Header.Set("Authorization", strings.ReplaceAll(r.Header.Get("Authorization"), strings.Repeat("0", 64),
		hex.EncodeToString(sum)))
	b.ReportAllocs()
	for b.Loop() {
		c, fault := Read(r)
		if fault != nil || c.Verify(&key, r, sumOf(body)) != nil {
			b.Fatal(fault)
		}
	}
}
