// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// raw is a request as it goes over the wire.
func raw(operation, body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, "+
		"SignedHeaders=host;x-amz-date, Signature=00\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.%s\r\nContent-Length: %d\r\n\r\n%s",
		operation, len(body), body)
}

// cutMax is the time a client that does not go on may keep a connection.
const cutMax = time.Minute

// TestSlowClients opens many connections that stop in the middle of a header, of a body or of taking an answer. The
// server cuts all of them off; meanwhile others are served.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	create(t, table("slow", "pk:S"))
	put(t, "slow", item{"pk": s("a"), "big": s(strings.Repeat("x", 390_000))})
	get := raw("GetItem", `{"TableName":"slow","Key":{"pk":{"S":"a"}}}`)
	manners := []string{"POST / HTTP/1.1\r\nHost: localhost\r\nX-",
		raw("PutItem", `{"TableName":"slow",`+strings.Repeat(" ", 1000))[:900], strings.Repeat(get, 40)}
	var group sync.WaitGroup
	for i := range 150 {
		group.Go(func() {
			conn, err := net.Dial("tcp", server.Addr())
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(cutMax))
			sent := manners[i%len(manners)]
			if _, err := io.WriteString(conn, sent); err != nil {
				return // cut off already
			}
			// The reader of the big answers never reads, but writes on until it is told that nobody listens.
			for strings.HasPrefix(sent, get) && err == nil {
				_, err = io.WriteString(conn, get)
			}
			if err == nil {
				_, err = io.Copy(io.Discard, conn)
			}
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				t.Errorf("a client of the sort %d was not cut off", i%len(manners))
			}
		})
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	for served := 0; ; served++ {
		if _, err := client.GetItem(t.Context(),
			&dynamodb.GetItemInput{TableName: aws.String("slow"), Key: item{"pk": s("b")}}); err != nil {
			t.Fatalf("after %d requests: %v", served, err)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// TestMalformedRequests sends 2,000 requests with faults. Each is answered as the client's fault or hung up on, and
// afterwards the server is as before. TestMain looks for errors in its log.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	create(t, table("malformed", "pk:S"))
	bodies := []string{
		raw("PutItem", `{"TableName":"malformed","Item":{"pk":{"S":"a"},"l":{"L":[{"N":"1"},{"M":{"x":{"NULL":true}}}]},"b":{"B":"AAEC"},"s":{"SS":["a","b"]}}}`),
		raw("UpdateItem", `{"TableName":"malformed","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET #a.b[1] = if_not_exists(c, :v) ADD n :n","ExpressionAttributeNames":{"#a":"x"},"ExpressionAttributeValues":{":v":{"N":"1"},":n":{"N":"1e5"}}}`),
		raw("Query", `{"TableName":"malformed","KeyConditionExpression":"pk = :p","FilterExpression":"size(x) > :n AND NOT (a BETWEEN :n AND :p)","ExpressionAttributeValues":{":p":{"S":"a"},":n":{"N":"1"}},"Limit":3}`),
		raw("CreateTable", `{"TableName":"malformed","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}`),
		raw("PutItem", `{"TableName":"malformed","Item":{"pk":{"S":"a"},"deep":`+strings.Repeat(`{"L":[`, 40_000)+
			strings.Repeat(`]}`, 40_000)+`}}`),
		strings.Replace(raw("ListTables", "2\r\n{}\r\n0\r\n\r\n"), "Content-Length: 14", "Transfer-Encoding: chunked",
			1),
	}
	for i := range rounds.Of(t, 1000) {
		request := mutate(random, []byte(bodies[i%len(bodies)]))
		status := send(t, request)
		// A request that still runs when its client has closed its half of the connection is ended, and answered so:
		// that is a matter of moments.
		for again := 0; status == http.StatusServiceUnavailable && again < 10; again++ {
			status = send(t, request)
		}
		if status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported {
			t.Errorf("status %d for %.300q", status, request)
		}
	}
	if status := send(t, []byte("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: "+strings.Repeat("x", 1<<20)+
		"\r\n\r\n")); status != 0 && status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d for a header of 1 MB", status)
	}
}

// mutate changes a few bytes of a request.
func mutate(random *rand.Rand, request []byte) []byte {
	for range 1 + random.IntN(4) {
		at := random.IntN(min(len(request), 600))
		switch random.IntN(4) {
		case 0:
			request[at] = byte(random.Uint32())
		case 1:
			request = append(request[:at], request[min(at+1+random.IntN(8), len(request)):]...)
		case 2:
			end := min(at+1+random.IntN(40), len(request))
			request = append(request[:end:end], request[at:]...)
		default:
			odd := []string{"\r\n", "\x00", `"`, "{", "}", "\\ud800", "99999999999999999999", "Content-Length: 3\r\n",
				"Transfer-Encoding: chunked\r\n", "\xff\xfe"}
			request = append(request[:at:at], append([]byte(odd[random.IntN(len(odd))]), request[at:]...)...)
		}
	}
	return request
}

// send returns the status of the answer, 0 if there is none.
func send(t *testing.T, request []byte) int {
	conn, err := net.Dial("tcp", server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		_, _ = io.Copy(conn, bytes.NewReader(request)) // fails if the server hangs up
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer reply.Body.Close()
	_, _ = io.Copy(io.Discard, reply.Body)
	return reply.StatusCode
}
