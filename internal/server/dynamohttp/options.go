// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/signature"
)

// API carries out operations. *dynamodb.API is one. Run is called by many goroutines at once; it appends the answer to
// dst and does not keep body or dst. Errors are *dynamodb.Error; any other is answered as InternalServerError.
type API interface {
	Run(ctx context.Context, o *dynamodb.Operation, body, dst []byte) ([]byte, error)
}

// Options are the settings of a Server. API must be set; for the rest the zero value works.
type Options struct {
	API API
	// Within returns the API of a request that is not for API; nil of all others. It must be quick. Default: there are
	// none.
	Within func(r *http.Request) API
	// Region is the AWS region that the health text names. Default "us-east-1".
	Region string
	// Logger takes failures at level error, and each request at level debug: never names of keys or values. Default:
	// nothing is logged.
	Logger *slog.Logger
	// Metrics counts connections and requests. Default: they are not counted.
	Metrics *metric.Protocol

	// CheckAuthorization refuses requests that carry nothing of the form of an AWS signature, version 4, in the header
	// Authorization or the query. Signatures are not verified. Default: it is not looked at.
	CheckAuthorization bool
	// Signers verifies signatures; unsigned requests are refused. Default: no request needs a signature.
	Signers Signers
	// Refused is called for each request that Signers refuse. Default: none.
	Refused func(r *http.Request, p *permission.Principal, fault *signature.Fault)
	// SignersWarn lets in requests that would be refused, and logs them.
	SignersWarn bool

	// Hosts says by which names clients may call the server. Default: by any.
	Hosts func(host string) bool
	// Origins says which web pages of other origins may ask. The requests of all others are refused. Default NoOrigin.
	Origins Origins

	// MemoryBytes bounds the bytes of bodies, decoded requests and answers of all requests together. A request counts
	// for 64 KiB at least, which bounds how many are carried out at once. Default 256 MiB, at least 16 MiB.
	MemoryBytes int64
	// ConnectionsMax is the number of connections that may be open; more are closed as they come. Default 10,000.
	ConnectionsMax int
	// WaitMax is the time a request waits for memory before the client has to try again. Default 2 s.
	WaitMax time.Duration
	// BodyBytesMax is the length of the longest request. Default 16 MiB.
	BodyBytesMax int64

	// HeaderTimeout is the time a client may take to send a request's header. Default 5 s.
	HeaderTimeout time.Duration
	// IdleTimeout is the time a connection stays open between requests. Default 60 s.
	IdleTimeout time.Duration
	// TransferGrace is the time a body may take in all, in either direction, plus the time that its length takes at
	// TransferBytesPerSecond; and how long any 64 KiB of it may take. Default 5 s.
	TransferGrace time.Duration
	// TransferBytesPerSecond is the rate below which a client is cut off. Default 64 KiB.
	TransferBytesPerSecond int64
}

const (
	memoryBytesMin = 16 << 20
	headerBytesMax = 64 << 10
)

// withDefaults sets the defaults of unset fields.
func (o Options) withDefaults() Options {
	o.Region = cmp.Or(o.Region, "us-east-1")
	o.MemoryBytes = cmp.Or(o.MemoryBytes, 256<<20)
	o.MemoryBytes = max(o.MemoryBytes, memoryBytesMin)
	o.ConnectionsMax = cmp.Or(o.ConnectionsMax, 10_000)
	o.WaitMax = cmp.Or(o.WaitMax, 2*time.Second)
	o.BodyBytesMax = cmp.Or(o.BodyBytesMax, 16<<20)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 5*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 60*time.Second)
	o.TransferGrace = cmp.Or(o.TransferGrace, 5*time.Second)
	o.TransferBytesPerSecond = cmp.Or(o.TransferBytesPerSecond, 64<<10)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}
