// SPDX-License-Identifier: Apache-2.0

// Package dynamoport is how commands reach the DynamoDB port of a server, or AWS itself: the flags that say where it
// is, the access key of the environment, and what to do about faults.
//
// Knows: endpoints, regions, access keys, faults of requests.
// Never: what is asked for, databases.
package dynamoport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/internal/dynamodb/remote"
	"github.com/weftdb/weft/internal/security/signature"
)

// endpointDefault is the default address of the DynamoDB port of weft serve.
const endpointDefault = "http://127.0.0.1:8000"

// Target stands before the operations of DynamoDB's API.
const Target = "DynamoDB_20120810."

// Port is a DynamoDB port, as flags say it.
type Port struct{ Endpoint, Region string }

// AddFlags adds --endpoint and --region.
func (p *Port) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.Endpoint, "endpoint", endpointDefault, "`URL` of the server's DynamoDB port")
	flags.StringVar(&p.Region, "region", "", "`REGION` of the signature (default: AWS_REGION, or us-east-1)")
}

// Service returns the service of DynamoDB's API there, with the access key of the environment. The error is one of the
// command line.
func (p *Port) Service(getenv func(string) string) (*remote.Service, error) {
	if u, err := url.Parse(p.Endpoint); err != nil || u.Host == "" {
		return nil, fmt.Errorf("--endpoint %q is no URL such as %s", p.Endpoint, endpointDefault)
	}
	return &remote.Service{URL: p.Endpoint, Region: p.RegionOr(getenv),
		Name: "dynamodb", Target: Target, Version: "1.0", Credentials: credentials(getenv)}, nil
}

// RegionOr is the region of the flag, else of the environment.
func (p *Port) RegionOr(getenv func(string) string) string {
	return cmp.Or(p.Region, getenv("AWS_REGION"), "us-east-1")
}

// credentials returns the environment's credentials. A server that does not check signatures takes any.
func credentials(getenv func(string) string) signature.Credentials {
	c := signature.Credentials{AccessKey: getenv("AWS_ACCESS_KEY_ID"), Secret: getenv("AWS_SECRET_ACCESS_KEY"),
		Token: getenv("AWS_SESSION_TOKEN")}
	if c.AccessKey == "" {
		c.AccessKey, c.Secret = "weft", "weft"
	}
	return c
}

// Tables lists the names of all tables. s may be that of another target.
func Tables(ctx context.Context, s *remote.Service) (all []string, err error) {
	service := *s
	service.Target = Target
	for request := map[string]string{}; ; {
		var page struct {
			TableNames             []string
			LastEvaluatedTableName string
		}
		if err := service.Call(ctx, "ListTables", request, &page); err != nil {
			return nil, err
		}
		if all = append(all, page.TableNames...); page.LastEvaluatedTableName == "" {
			return all, nil
		}
		request["ExclusiveStartTableName"] = page.LastEvaluatedTableName
	}
}

// NoTable returns the error for a table that the server does not have; nil if the server has it, or does not tell its
// tables.
func NoTable(ctx context.Context, s *remote.Service, name string) error {
	// Not everybody who may read a table may list tables.
	if all, failed := Tables(ctx, s); failed == nil && !slices.Contains(all, name) {
		return commandline.NoTable(name, all)
	}
	return nil
}

// Explained says what to do about an error of a request to an endpoint. Errors that it does not know stay as they are.
func Explained(err error, endpoint string) error {
	fault, ok := errors.AsType[*remote.Fault](err)
	_, unsent := errors.AsType[*url.Error](err)
	switch {
	case ok && (fault.Name == "UnrecognizedClientException" || fault.Name == "MissingAuthenticationTokenException" ||
		fault.Name == "InvalidSignatureException"):
		return fmt.Errorf("%w (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to an access key of the server)", err)
	case ok && fault.Name == http.StatusText(fault.Status), // it is no exception of DynamoDB's
		unsent && IsOtherProtocol(err):
		return fmt.Errorf("%s is not the DynamoDB port of a Weft server: set --endpoint to the address of --dynamodb-addr",
			endpoint)
	case unsent:
		return fmt.Errorf("no server answers at the DynamoDB port (set --endpoint): %w", err)
	}
	return err
}

// Hint says what to do about an error of a request, for programs; "" if the error is none, or says so itself.
func Hint(err error) string {
	fault, ok := errors.AsType[*remote.Fault](err)
	if !ok {
		return ""
	}
	switch fault.Name {
	case "ResourceNotFoundException":
		return "weft ddb tables names all tables, and weft ddb describe TABLE the indexes"
	case "ValidationException":
		return "weft ddb describe TABLE shows key and indexes; names of reserved words stand in --names"
	case "UnknownOperationException":
		return "docs/dynamodb.md lists all operations"
	case "ThrottlingException", "ProvisionedThroughputExceededException", "ServiceUnavailable":
		return "send the request again after a pause"
	}
	return ""
}

// IsOtherProtocol reports whether an error of an HTTP client says that the server speaks another protocol, such as
// MySQL's. There the server speaks first: the client reads that as an answer, or before it has asked.
func IsOtherProtocol(err error) bool {
	text := err.Error()
	return strings.Contains(text, "malformed HTTP response") || strings.Contains(text, "readLoopPeekFailLocked")
}
