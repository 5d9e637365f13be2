// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// formatFeatures is the version of a store in which some table has used a feature: the names of such features follow
// the version. Programs that are older than the first feature refuse it for the version alone; the layout is that of
// keyspace.FormatVersion.
const formatFeatures = keyspace.FormatVersion + 1

// format is the record at meta/format.
type format struct {
	version  uint64
	features []string // in their order
}

func (f *format) append(to []byte) ([]byte, error) {
	if len(f.features) == 0 {
		return order.AppendUvarint(to, keyspace.FormatVersion), nil
	}
	names, err := json.Marshal(f.features)
	return append(order.AppendUvarint(to, formatFeatures), names...), err
}

func parseFormat(stored []byte) (f format, err error) {
	version, rest, err := order.CutUvarint(stored)
	if err == nil && version == formatFeatures {
		err = json.Unmarshal(rest, &f.features)
	}
	f.version = version
	return f, err
}

// check reports whether a program that knows some features may open the store. Errors: kv.ErrFormat.
func (f *format) check(known []string) error {
	if f.version != keyspace.FormatVersion && f.version != formatFeatures {
		return fmt.Errorf("%w: the key layout has version %d, this program reads version %d: "+
			"use the program that wrote the data, or export and import",
			kv.ErrFormat, f.version, keyspace.FormatVersion)
	}
	unknown := slices.DeleteFunc(slices.Clone(f.features),
		func(name string) bool { return slices.Contains(known, name) })
	if len(unknown) > 0 {
		return fmt.Errorf("%w: its tables use what this program does not know (%s): "+
			"use the program that wrote the data, or a newer one; or restore a backup that was made before",
			kv.ErrFormat, strings.Join(unknown, ", "))
	}
	return nil
}

// checkFormat judges the store, and makes the record of an empty one.
func checkFormat(ctx context.Context, store kv.Store) error {
	key := keyspace.AppendMeta(nil, "format")
	return kv.Update(ctx, store, func(txn kv.Txn) error {
		stored, ok, err := txn.Get(ctx, key, nil)
		if err != nil {
			return err
		}
		if !ok {
			return txn.Set(key, order.AppendUvarint(nil, keyspace.FormatVersion))
		}
		f, err := parseFormat(stored)
		if err != nil {
			return fmt.Errorf("%w: the record of the format can't be read: %w", kv.ErrFormat, err)
		}
		return f.check(schema.KnownFeatures())
	})
}

// useFeatures adds features to the record, if it lacks some.
func useFeatures(ctx context.Context, txn kv.Txn, names []string) error {
	if len(names) == 0 {
		return nil
	}
	key := keyspace.AppendMeta(nil, "format")
	stored, ok, err := txn.Get(ctx, key, nil)
	if err != nil || !ok {
		return cmp.Or(err, fmt.Errorf("%w: the store has no record of its format", kv.ErrFormat))
	}
	f, err := parseFormat(stored)
	if err != nil {
		return err
	}
	before := len(f.features)
	for _, name := range names {
		if !slices.Contains(f.features, name) {
			f.features = append(f.features, name)
		}
	}
	if len(f.features) == before {
		return nil
	}
	slices.Sort(f.features)
	if err := f.check(schema.KnownFeatures()); err != nil { // another gateway, or a feature without a name
		return err
	}
	record, err := f.append(nil)
	if err != nil {
		return err
	}
	return txn.Set(key, record)
}

// Use notes that the store uses a feature from then on, which programs that lack it refuse. Errors: kv.ErrFormat, the
// store's.
func (c *Catalog) Use(ctx context.Context, feature string) error {
	return kv.Update(ctx, c.store, func(txn kv.Txn) error { return useFeatures(ctx, txn, []string{feature}) })
}

// noteFeatures adds the features of all tables to the record: programs that kept no list may have made some.
func (c *Catalog) noteFeatures(ctx context.Context) error {
	var names []string
	for v := range c.Versions() {
		names = append(names, v.Table.Features()...)
	}
	err := kv.Update(ctx, c.store, func(txn kv.Txn) error { return useFeatures(ctx, txn, names) })
	if errors.Is(err, kv.ErrReadOnly) {
		return nil // until a table changes, or the next start
	}
	return err
}
