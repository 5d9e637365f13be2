// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"

	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// describeLimits shows the capacity that a new account of Amazon's may provision. Here nothing is bounded by it.
func (a *API) describeLimits(_ context.Context, body, dst []byte) ([]byte, error) {
	if err := read(body, &struct{}{}); err != nil {
		return nil, err
	}
	return append(dst, `{"AccountMaxReadCapacityUnits":80000,"AccountMaxWriteCapacityUnits":80000,`+
		`"TableMaxReadCapacityUnits":40000,"TableMaxWriteCapacityUnits":40000}`...), nil
}

// reached is the key of what ReachedAt puts into a context.
type reached struct{}

// ReachedAt returns a context for a request that has come in at an address, a host with its port if that is none of the standard ones. A door
// gives DescribeEndpoints such a context; no other operation looks at it.
func ReachedAt(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, reached{}, address)
}

// describeEndpoints names the address that the client has reached already. A client that discovers its endpoint goes wherever this answer
// sends it, with all its items: so it is never Amazon's address unless that is how the client got here, and if the address is
// not known there is none in the answer, whereupon clients stay where they are.
func (a *API) describeEndpoints(ctx context.Context, body, dst []byte) ([]byte, error) {
	if err := read(body, &struct{}{}); err != nil {
		return nil, err
	}
	dst = append(dst, `{"Endpoints":[`...)
	if address, ok := ctx.Value(reached{}).(string); ok && address != "" {
		dst = attributejson.AppendString(append(dst, `{"Address":`...), []byte(address))
		dst = append(dst, `,"CachePeriodInMinutes":1440}`...)
	}
	return append(dst, `]}`...), nil
}
