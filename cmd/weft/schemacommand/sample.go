// SPDX-License-Identifier: Apache-2.0

package schemacommand

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
)

// Rules for values.
const (
	hashRule = "hash"
	nameRule = "name"
	keepRule = "keep"
	dropRule = "drop"
)

// rules replace the values of samples.
type rules struct {
	of  map[string]string // by attribute; * for others
	key []byte            // of hashes
}

// parseRules reads ATTRIBUTE=RULE.
func parseRules(texts []string) (*rules, error) {
	r := &rules{of: map[string]string{"*": hashRule}, key: make([]byte, 32)}
	for _, text := range texts {
		at := strings.LastIndexByte(text, '=')
		if at <= 0 || !slices.Contains([]string{hashRule, nameRule, keepRule, dropRule}, text[at+1:]) {
			return nil, fmt.Errorf("--replace %s: write ATTRIBUTE=RULE, with the rule hash, name, keep or drop", text)
		}
		r.of[text[:at]] = text[at+1:]
	}
	_, err := rand.Read(r.key)
	return r, err
}

// sample copies the first items of a table, and returns their number.
func (c *copier) sample(ctx context.Context, name string, definition map[string]any) (n int, err error) {
	if err := c.checkKey(name, definition); err != nil {
		return 0, err
	}
	expiry, _ := definition["TimeToLiveSpecification"].(map[string]any)
	kept, _ := expiry["AttributeName"].(string)
	folder := filepath.Join(c.out, "items")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, err
	}
	err = writeNew(filepath.Join(folder, name+".jsonl"), func(w io.Writer) error {
		request := map[string]any{"TableName": name}
		for n < c.samples {
			request["Limit"] = c.samples - n
			var page struct {
				Items            []map[string]map[string]any
				LastEvaluatedKey map[string]any
			}
			if err := c.service.Call(ctx, "Scan", request, &page); err != nil {
				return dynamoport.Explained(err, c.port.Endpoint)
			}
			for _, item := range page.Items {
				if err := writeItem(w, c.rules.item(item, kept)); err != nil {
					return err
				}
			}
			n += len(page.Items)
			if page.LastEvaluatedKey == nil {
				break
			}
			request["ExclusiveStartKey"] = page.LastEvaluatedKey
		}
		return nil
	})
	return n, err
}

// checkKey refuses rules by which items would lose their keys.
func (c *copier) checkKey(table string, definition map[string]any) error {
	key, _ := definition["KeySchema"].([]any)
	for _, part := range key {
		part, _ := part.(map[string]any)
		attribute, _ := part["AttributeName"].(string)
		if rule := c.rules.ruleOf(attribute); rule == dropRule || rule == nameRule && len(key) == 1 {
			return commandline.Usage(fmt.Errorf("--replace %s=%s: it is the key of %s, whose values must be there and differ: use hash or keep", attribute, rule, table))
		}
	}
	return nil
}

func writeItem(w io.Writer, item map[string]any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(item)
}

func (r *rules) ruleOf(attribute string) string {
	if rule, ok := r.of[attribute]; ok {
		return rule
	}
	return r.of["*"]
}

// item replaces the values of an item. kept is the attribute that stays without a rule of its own.
func (r *rules) item(item map[string]map[string]any, kept string) map[string]any {
	out := map[string]any{}
	for attribute, v := range item {
		rule := r.ruleOf(attribute)
		if _, own := r.of[attribute]; attribute == kept && !own {
			rule = keepRule
		}
		if rule != dropRule {
			out[attribute] = r.value(rule, v)
		}
	}
	return out
}

// value replaces an attribute value; those within documents and sets by themselves.
func (r *rules) value(rule string, v map[string]any) map[string]any {
	if rule == keepRule {
		return v
	}
	out := map[string]any{}
	for kind, payload := range v {
		switch payload := payload.(type) {
		case string:
			out[kind] = r.scalar(rule, kind, payload)
		case []any:
			out[kind] = r.elements(rule, strings.TrimSuffix(kind, "S"), payload)
		case map[string]any:
			fields := map[string]any{}
			for name, field := range payload {
				field, _ := field.(map[string]any)
				fields[name] = r.value(rule, field)
			}
			out[kind] = fields
		default: // BOOL, NULL
			out[kind] = payload
		}
	}
	return out
}

// elements replaces those of a list, which are values, or of a set of a kind; two that have become the same are one.
func (r *rules) elements(rule, kind string, elements []any) []any {
	out := []any{}
	for _, element := range elements {
		switch element := element.(type) {
		case map[string]any:
			out = append(out, r.value(rule, element))
		case string:
			if replaced := any(r.scalar(rule, kind, element)); !slices.Contains(out, replaced) {
				out = append(out, replaced)
			}
		}
	}
	return out
}

// digitsMax is the largest number of digits of a replaced number.
const digitsMax = 18

// scalar replaces a text, a number or a binary.
func (r *rules) scalar(rule, kind, text string) string {
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(kind + text))
	sum := mac.Sum(nil)
	switch {
	case kind == "N":
		whole, _, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
		modulus := uint64(1)
		for range min(max(len(whole), 9), digitsMax) {
			modulus *= 10
		}
		return fmt.Sprint(binary.BigEndian.Uint64(sum) % modulus)
	case kind == "B":
		return base64.StdEncoding.EncodeToString(sum[:16])
	case rule == nameRule:
		return names[binary.BigEndian.Uint64(sum)%uint64(len(names))]
	}
	return hex.EncodeToString(sum[:10])
}

// names are first names. They are immutable.
var names = [...]string{"Ada", "Alan", "Ann", "Bela", "Bob", "Carla", "Chen", "Dana", "Dmitri", "Edith", "Emil",
	"Fatima", "Finn", "Grace", "Hana", "Hugo", "Ines", "Ivan", "Jana", "Jun", "Kira", "Lars", "Lin", "Mara", "Milan",
	"Nadia", "Noor", "Olga", "Omar", "Paula", "Priya", "Quinn", "Rosa", "Sami", "Tara", "Uma", "Viktor", "Wen", "Yara",
	"Zoe"}
