// SPDX-License-Identifier: Apache-2.0

package kv

import "context"

type replicaKey struct{}

// FromReplicas says of a context that what is read in it may come from any replica of the data. It shows the same as
// what the first of them has, where an engine has several at all; only who does the work differs.
func FromReplicas(ctx context.Context) context.Context {
	return context.WithValue(ctx, replicaKey{}, true)
}

// MayAskReplicas reports whether FromReplicas was said of a context.
func MayAskReplicas(ctx context.Context) bool { return ctx.Value(replicaKey{}) != nil }
