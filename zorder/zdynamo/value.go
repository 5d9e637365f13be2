// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/zorder/codec"
)

// attributeValue makes an attribute value of a Go value: the SDK's own types, strings, []byte, bool, integers, floats.
func attributeValue(v any) (types.AttributeValue, error) {
	switch v := v.(type) {
	case types.AttributeValue:
		return v, nil
	case string:
		return &types.AttributeValueMemberS{Value: v}, nil
	case []byte:
		return &types.AttributeValueMemberB{Value: v}, nil
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}, nil
	case float32:
		return number(strconv.FormatFloat(float64(v), 'g', -1, 32)), nil
	case float64:
		return number(strconv.FormatFloat(v, 'g', -1, 64)), nil
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, order.Decimal:
		return number(fmt.Sprint(v)), nil
	}
	return nil, fmt.Errorf("%T is no value of an attribute: give a string, []byte, bool, a number or the SDK's own type", v)
}

func number(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }

// codecValue is an attribute value as codecs take it. Nothing, and DynamoDB's null, are null.
func codecValue(v types.AttributeValue) (codec.Value, error) {
	switch v := v.(type) {
	case nil, *types.AttributeValueMemberNULL:
		return codec.Null(), nil
	case *types.AttributeValueMemberS:
		return codec.String(v.Value), nil
	case *types.AttributeValueMemberB:
		return codec.Binary(v.Value), nil
	case *types.AttributeValueMemberBOOL:
		return codec.Bool(v.Value), nil
	case *types.AttributeValueMemberN:
		decimal, err := order.ParseDecimal([]byte(v.Value))
		return codec.Number(decimal), err
	}
	return codec.Null(), codec.ErrType
}

// span is a value as bytes that compare as the values do in a codec's order. Its two ends differ only for ISO 8601
// texts that stand for an interval.
type span struct{ first, last []byte }

// spanOf turns a value into a span. ok is false if the value is not of the order's type, or missing.
func spanOf(v types.AttributeValue, c *codec.Codec) (s span, ok bool) {
	var key []byte
	switch v := v.(type) {
	case *types.AttributeValueMemberN:
		decimal, err := order.ParseDecimal([]byte(v.Value))
		key, ok = order.AppendDecimal(nil, decimal), err == nil && c.Order() == codec.OrderNumber
	case *types.AttributeValueMemberBOOL:
		key, ok = order.AppendBool(nil, v.Value), c.Order() == codec.OrderBool
	case *types.AttributeValueMemberB:
		key, ok = v.Value, c.Order() == codec.OrderBytes
	case *types.AttributeValueMemberS:
		switch c.Order() {
		case codec.OrderBytes:
			key, ok = []byte(v.Value), true
		case codec.OrderNFC:
			key, ok = codec.Normal([]byte(v.Value)), true
		case codec.OrderInstant:
			first, last, err := codec.ParseInstant([]byte(v.Value), c.Attribute().Type.Zone)
			return span{instantKey(first), instantKey(last)}, err == nil
		}
	}
	return span{key, key}, ok
}

func instantKey(i codec.Instant) []byte {
	return binary.BigEndian.AppendUint32(order.AppendInt(nil, i.Seconds), uint32(i.Nanos))
}
