// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"slices"

	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// Curve is how a key part joins several columns: argument i has the codec Codecs[i], and Plan interleaves their codes.
// It never changes; an index with other codecs is another index. Its JSON holds the stored forms, of which a damaged
// one is an error.
type Curve struct {
	Plan   *zorder.Plan
	Codecs []*codec.Codec
}

type storedCurve struct {
	Plan   string   `json:"plan"`
	Codecs []string `json:"codecs"`
}

// IsNarrow reports whether no code is wider than a word of 64 bits.
func (c *Curve) IsNarrow() bool {
	return !slices.ContainsFunc(c.Codecs, func(one *codec.Codec) bool { return one.Bits() > 64 })
}

// IsLearned reports whether any codec was learned from a sample.
func (c *Curve) IsLearned() bool {
	return slices.ContainsFunc(c.Codecs,
		func(one *codec.Codec) bool { return one.Attribute().Codec == codec.ChoiceQuantile })
}

// MarshalJSON writes the stored form.
func (c *Curve) MarshalJSON() ([]byte, error) {
	stored := storedCurve{Plan: c.Plan.Text(), Codecs: make([]string, len(c.Codecs))}
	for i, one := range c.Codecs {
		text, err := one.MarshalText()
		if err != nil {
			return nil, err
		}
		stored.Codecs[i] = string(text)
	}
	return json.Marshal(stored)
}

// UnmarshalJSON reads the stored form.
func (c *Curve) UnmarshalJSON(b []byte) (err error) {
	var stored storedCurve
	if err := json.Unmarshal(b, &stored); err != nil {
		return err
	}
	if c.Plan, err = zorder.ParsePlan(stored.Plan); err != nil {
		return err
	}
	c.Codecs = make([]*codec.Codec, len(stored.Codecs))
	for i, text := range stored.Codecs {
		if c.Codecs[i], err = codec.DecodeText(text); err != nil {
			return err
		}
	}
	return nil
}
