// SPDX-License-Identifier: Apache-2.0

// Package terraform replays what Terraform's aws_dynamodb_table does: the calls of its provider in their order, with
// its waits, and the comparison of what the server then describes with the configuration. A server whose descriptions
// differ from what was asked for makes Terraform change a table again and again.
//
// Knows: the calls and waits of the provider, the AWS SDK for Go.
// Never: packages inside the server.
package terraform

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/test/harness"
)

// TestTable applies configurations one after the other, as the files in testdata say. Its commands:
//
//	apply    create the table, or change it into the configuration; then read it and plan again, which must find no difference
//	destroy  delete the table and wait until it is gone
//	refused  apply a configuration that must be refused
//	kept     try to delete a table that must not be deleted
//
// Each prints the calls in their order, those that repeat once.
func TestTable(t *testing.T) {
	if os.Getenv("WEFT_TEST_CLIENTS") != "1" {
		t.Skip("runs under `make test-clients`, which sets WEFT_TEST_CLIENTS=1")
	}
	binary := harness.Build(t)
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		t.Parallel()
		server := harness.Start(t, binary, harness.Options{})
		resources := map[string]*resource{}
		datadriven.RunTest(t, path, func(t *testing.T,
			d *datadriven.TestData) string {
			return step(t, server, resources, d)
		})
		if log := server.Log(); strings.Contains(log, `"level":"ERROR"`) {
			t.Errorf("the server has logged errors:\n%s", log)
		}
	})
}

func step(t *testing.T, server *harness.Server, resources map[string]*resource, d *datadriven.TestData) string {
	wanted, err := parse(d.Input)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	r := resources[wanted.name]
	if r == nil {
		r = newResource(server)
		resources[wanted.name] = r
	}
	r.calls = nil
	switch d.Cmd {
	case "apply":
		err = r.apply(t.Context(), wanted)
	case "refused":
		if err = r.apply(t.Context(), wanted); err != nil {
			return fmt.Sprintf("%s\nrefused: %s\n", r.journal(), reason(err))
		}
		d.Fatalf(t, "the server did not refuse it")
	case "kept":
		if err = r.destroy(t.Context(), wanted.name); err != nil {
			return fmt.Sprintf("%s\nrefused: %s\n", r.journal(), reason(err))
		}
		d.Fatalf(t, "the server did not refuse it")
	case "destroy":
		err = r.destroy(t.Context(), wanted.name)
		delete(resources, wanted.name)
	default:
		d.Fatalf(t, "want: apply, refused, kept or destroy")
	}
	if err != nil {
		t.Errorf("%s: %v after %s", d.Pos, err, r.journal())
		return fmt.Sprintf("%s\nfailed: %s\n", r.journal(), reason(err))
	}
	if d.Cmd == "destroy" {
		return r.journal() + "\n"
	}
	return fmt.Sprintf("%s\nplan: %s\n", r.journal(), difference(r.found, wanted))
}

// resource is one aws_dynamodb_table: its client, the state that Terraform keeps, and the calls since the command
// began.
type resource struct {
	client  *dynamodb.Client
	created bool
	found   configuration // as last read
	calls   []string
}

func newResource(server *harness.Server) *resource {
	r := &resource{}
	options := server.Client().Options()
	options.Retryer = retry.NewStandard()
	options.APIOptions = append(options.APIOptions, r.record)
	r.client = dynamodb.New(options)
	return r
}

// record notes the name of each operation that is called.
func (r *resource) record(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("record",
		func(ctx context.Context, in middleware.InitializeInput,
			next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			r.calls = append(r.calls, middleware.GetOperationName(ctx))
			return next.HandleInitialize(ctx, in)
		}), middleware.After)
}

func (r *resource) journal() string { return strings.Join(slices.Compact(r.calls), " ") }
