// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// position is the place at which a walk goes on: behind a key, or at an address; at the beginning if it has neither.
type position struct {
	key    Item
	from   []byte
	jumped bool
}

// tokenBytesMax bounds what is decoded: the keys of an index and its table have less than 7 KiB.
const tokenBytesMax = 16 << 10

// stored is the JSON of a token.
type stored struct {
	Print string               `json:"p"`
	From  []byte               `json:"f,omitempty"`
	Key   map[string][2]string `json:"k,omitempty"` // type and value; of type B in base64
	Size  int                  `json:"s,omitempty"`
}

// fingerprint tells queries apart whose tokens must not be mixed: it takes in the schema with its codecs, the
// partition, the boxes and the direction.
func (w *walk) fingerprint() string {
	text := slices.Clone(w.index.print[:])
	text = fmt.Appendf(text, "%v %v %q", w.region.boxes, w.query.Backward, w.query.Filter)
	text = fmt.Appendf(text, "%v", pair(w.partition))
	for _, name := range slices.Sorted(maps.Keys(w.query.Values)) {
		text = fmt.Appendf(text, " %s=%v", name, pair(w.query.Values[name]))
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// page ends the walk for now.
func (w *walk) page(err error) (Page, error) {
	page := Page{Items: w.items, Counts: w.counts}
	if w.done {
		return page, err
	}
	token := stored{Print: w.print, From: w.at.from, Size: w.size}
	if w.at.key != nil {
		token.Key = map[string][2]string{}
		for name, v := range w.at.key {
			token.Key[name] = pair(v)
		}
	}
	text, fault := json.Marshal(token)
	if err == nil {
		err = fault
	}
	page.Token = base64.RawURLEncoding.EncodeToString(text)
	return page, err
}

// start is the position that the query's token says.
func (w *walk) start() (position, error) {
	if w.query.Token == "" {
		return position{}, nil
	}
	var token stored
	text, err := base64.RawURLEncoding.DecodeString(w.query.Token[:min(len(w.query.Token), tokenBytesMax)])
	if err == nil {
		err = json.Unmarshal(text, &token)
	}
	if err != nil {
		return position{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	if token.Print != w.print || len(w.query.Token) > tokenBytesMax {
		return position{}, ErrToken
	}
	if token.Size > 0 {
		w.size = max(min(token.Size, w.query.RequestItemsMax), 1)
	}
	return w.restore(&token)
}

func (w *walk) restore(token *stored) (position, error) {
	at := position{from: token.From, jumped: token.From != nil}
	if at.from != nil && (len(at.from) != w.index.plan.Bytes() || !w.region.boxes.In(at.from)) {
		return at, ErrToken
	}
	for name, p := range token.Key {
		v, err := unpair(p)
		if err != nil {
			return at, err
		}
		if at.key == nil {
			at.key = Item{}
		}
		at.key[name] = v
	}
	return at, nil
}

// pair is a key attribute as two texts: type and value. Other types are no keys.
func pair(v types.AttributeValue) [2]string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return [2]string{"S", v.Value}
	case *types.AttributeValueMemberN:
		return [2]string{"N", v.Value}
	case *types.AttributeValueMemberB:
		return [2]string{"B", base64.StdEncoding.EncodeToString(v.Value)}
	}
	return [2]string{"?", fmt.Sprintf("%T %v", v, v)}
}

func unpair(p [2]string) (types.AttributeValue, error) {
	switch p[0] {
	case "S":
		return &types.AttributeValueMemberS{Value: p[1]}, nil
	case "N":
		return &types.AttributeValueMemberN{Value: p[1]}, nil
	case "B":
		b, err := base64.StdEncoding.DecodeString(p[1])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrToken, err)
		}
		return &types.AttributeValueMemberB{Value: b}, nil
	}
	return nil, ErrToken
}
