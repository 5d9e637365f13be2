// SPDX-License-Identifier: Apache-2.0

package control

import "context"

// describeLimits shows the capacity that a new account of Amazon's may provision. Here nothing is bounded by it.
func (a *API) describeLimits(context.Context, *struct{}) (any, error) {
	return struct {
		AccountMaxReadCapacityUnits, AccountMaxWriteCapacityUnits, TableMaxReadCapacityUnits,
		TableMaxWriteCapacityUnits int
	}{
		80_000, 80_000, 40_000, 40_000}, nil
}

// addressKey is the key of ReachedAt's value in a context.
type addressKey struct{}

// ReachedAt returns a context for a request that has come in at an address, a host with its port if that is none of the
// standard ones. A server gives DescribeEndpoints such a context; no other operation looks at it.
func ReachedAt(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// describeEndpoints names the address that the client has reached already. A client that discovers its endpoint goes
// wherever this answer sends it, with all its items: so it is never Amazon's address unless that is how the client got
// here, and if the address is not known there is none in the answer, whereupon clients stay where they are.
func (a *API) describeEndpoints(ctx context.Context, _ *struct{}) (any, error) {
	type endpoint struct {
		Address              string
		CachePeriodInMinutes int
	}
	list := []endpoint{}
	if address, ok := ctx.Value(addressKey{}).(string); ok && address != "" {
		list = append(list, endpoint{address, 1440})
	}
	return struct{ Endpoints []endpoint }{list}, nil
}
