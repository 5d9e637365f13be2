// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"testing"

	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

func BenchmarkExpected(b *testing.B) {
	body := []byte(`{"version":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"12"}]},"status":{"Value":{"S":"shipped"}},"draft":{"Exists":false}}`)
	var c Conditions
	var r attributejson.Reader
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(body)
		if err := c.ReadExpected(&r); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Condition(""); err != nil || faultsText(&c, "expected") != "" {
			b.Fatal(err)
		}
	}
}

func BenchmarkKeyConditions(b *testing.B) {
	body := []byte(`{"id":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]},"created":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"1"},{"N":"2"}]}}`)
	var c Conditions
	var r attributejson.Reader
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(body)
		if err := c.Read(&r); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Keys(); err != nil || faultsText(&c, "keyConditions") != "" {
			b.Fatal(err)
		}
	}
}

func BenchmarkAttributeUpdates(b *testing.B) {
	body := []byte(`{"status":{"Action":"PUT","Value":{"S":"shipped"}},"hits":{"Action":"ADD","Value":{"N":"1"}},"draft":{"Action":"DELETE"}}`)
	var u Updates
	var r attributejson.Reader
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(body)
		if err := u.Read(&r); err != nil {
			b.Fatal(err)
		}
		if _, err := u.Update(); err != nil || faultsText(&u, "attributeUpdates") != "" {
			b.Fatal(err)
		}
	}
}

func BenchmarkAttributesToGet(b *testing.B) {
	body := []byte(`["id","status","version","created"]`)
	var n Names
	var r attributejson.Reader
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(body)
		if err := n.Read(&r); err != nil {
			b.Fatal(err)
		}
		if _, err := n.Paths(); err != nil {
			b.Fatal(err)
		}
	}
}
