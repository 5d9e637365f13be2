// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"context"
	"time"

	"github.com/tikv/client-go/v2/tikv"
)

// What the tests outside of the package look at.
const (
	PageEntriesFirst = pageEntriesFirst
	PageEntriesMax   = pageEntriesMax
	BatchKeysMax     = batchKeysMax
	PrefixBytesMax   = prefixBytesMax
)

func (s *Store) Client() *tikv.KVStore { return s.client }

func (s *Store) CommitError(ctx context.Context, err error) error { return s.commitError(ctx, err) }

func (s *Store) ReadError(ctx context.Context, err error) error { return s.readError(ctx, err) }

func (s *Store) Lifetime() time.Duration { return s.lifetime }
