// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// document is an item: for each attribute the letter of its type and its value, such as "Sred" or "N5". nil is an item
// that is not there.
type document map[string]string

func documentOf(item map[string]types.AttributeValue) document {
	d := document{}
	for name, v := range item {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			d[name] = "S" + v.Value
		case *types.AttributeValueMemberN:
			d[name] = "N" + v.Value
		default:
			d[name] = fmt.Sprintf("?%T", v)
		}
	}
	return d
}

func (d document) attributes() map[string]types.AttributeValue {
	item := map[string]types.AttributeValue{}
	for name, v := range d {
		if v[0] == 'N' {
			item[name] = &types.AttributeValueMemberN{Value: v[1:]}
		} else {
			item[name] = &types.AttributeValueMemberS{Value: v[1:]}
		}
	}
	return item
}

// only returns the document with these attributes alone.
func (d document) only(names ...string) document {
	kept := document{}
	for _, name := range names {
		if v, ok := d[name]; ok {
			kept[name] = v
		}
	}
	return kept
}

// with returns a copy in which attributes are set, or removed where the value is "".
func (d document) with(changes document) document {
	changed := maps.Clone(d)
	for name, v := range changes {
		if v == "" {
			delete(changed, name)
		} else {
			changed[name] = v
		}
	}
	return changed
}

func (d document) number(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(d[name], "N"))
	return n
}

func (d document) key() itemKey { return itemKey{strings.TrimPrefix(d["pk"], "S"), d.number("sk")} }

func (d document) String() string {
	if d == nil {
		return "absent"
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d)) {
		fmt.Fprintf(&text, "%s=%s ", name, d[name][1:])
	}
	return strings.TrimSpace(text.String())
}

func equal(a, b document) bool { return (a == nil) == (b == nil) && maps.Equal(a, b) }

// itemKey is the primary key of an item.
type itemKey struct {
	pk string
	sk int
}

func (k itemKey) document() document {
	return document{"pk": "S" + k.pk, "sk": "N" + strconv.Itoa(k.sk)}
}

// expires reports whether the item was written by putExpired.
func (k itemKey) expires() bool { return strings.HasSuffix(k.pk, expiredSuffix) }

func compareKeys(a, b itemKey) int { return cmp.Or(cmp.Compare(a.pk, b.pk), cmp.Compare(a.sk, b.sk)) }
