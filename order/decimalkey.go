// SPDX-License-Identifier: Apache-2.0

package order

// The key form of a Decimal. Write its magnitude as 0.PPPP... * 100^scale in pairs of digits, the first pair not 00.
// The magnitudes of Decimal's range need the 128 scales -64..63. Then
//
//	zero      0x80
//	positive  lead, and for far scales a second byte, scale+65; then a byte for each pair P up to the last that is not 00:
//	          2P+1 if another pair follows, 2P if it is the last
//	negative  the complement of every byte of the positive form
//
// lead is 0x82..0xDC for the scales -45..45, 0x81 for those below, 0xDD for those above. So numbers of everyday size
// take one byte and half a byte a digit; no byte is ever 0x00 or 0xFF, and the first is in 0x22..0xDD in both
// directions: other marks fit around it.
const (
	leadZero  = 0x80
	leadTiny  = 0x81
	leadNear  = 0x82 // of scale -scaleNear
	leadHuge  = 0xDD
	scaleNear = 45
	scaleMin  = -64
	scaleMax  = 63
	scaleBias = 65

	pairsMax    = 20 // 38 digits that start and end within a pair
	pairCodeMax = 2*99 + 1
)

// AppendDecimal appends the ascending form of d, 1 to 22 bytes.
func AppendDecimal(dst []byte, d Decimal) []byte { return appendDecimal(dst, d, 0x00) }

// AppendDecimalDesc appends the descending form of d.
func AppendDecimalDesc(dst []byte, d Decimal) []byte { return appendDecimal(dst, d, 0xFF) }

// CutDecimal takes the ascending form of a Decimal off the front of b.
func CutDecimal(b []byte) (d Decimal, rest []byte, err error) { return cutDecimal(b, 0x00) }

// CutDecimalDesc takes the descending form of a Decimal off the front of b.
func CutDecimalDesc(b []byte) (d Decimal, rest []byte, err error) { return cutDecimal(b, 0xFF) }

// SkipDecimal returns what follows the ascending form of a Decimal. It looks for the value's end only: bytes that
// CutDecimal refuses may pass.
func SkipDecimal(b []byte) (rest []byte, err error) { return skipDecimal(b, 0x00) }

// SkipDecimalDesc is SkipDecimal for the descending form.
func SkipDecimalDesc(b []byte) (rest []byte, err error) { return skipDecimal(b, 0xFF) }

// appendDecimal appends the ascending form with every byte XORed with mask.
func appendDecimal(dst []byte, d Decimal, mask byte) []byte {
	if d.IsZero() {
		return append(dst, leadZero^mask)
	}
	if d.negative {
		mask = ^mask
	}
	var codes [pairsMax]byte
	first := fillPairs(&codes, d.coefficient, d.exponent&1 != 0)
	scale := pairsMax - first + int(d.exponent>>1)
	switch {
	case scale < -scaleNear:
		dst = append(dst, leadTiny^mask, byte(scale+scaleBias)^mask)
	case scale > scaleNear:
		dst = append(dst, leadHuge^mask, byte(scale+scaleBias)^mask)
	default:
		dst = append(dst, byte(leadNear+scaleNear+scale)^mask)
	}
	for _, code := range codes[first:] {
		dst = append(dst, code^mask)
	}
	return dst
}

// fillPairs writes the coefficient's pairs to the end of codes and returns where they start. If odd, the last digit is
// the upper one of its pair.
func fillPairs(codes *[pairsMax]byte, coefficient wide, odd bool) (first int) {
	i := pairsMax
	if odd {
		var digit uint64
		coefficient, digit = coefficient.quoRem(10)
		i--
		codes[i] = byte(20 * digit)
	}
	rest := coefficient.lo
	if coefficient.hi != 0 {
		upper, lower := coefficient.halves()
		for range 9 {
			i--
			codes[i] = byte(2*(lower%100) + 1)
			lower /= 100
		}
		// 19 digits are no whole number of pairs: the lower half's first digit and the upper half's last make one.
		i--
		codes[i] = byte(2*(upper%10*10+lower) + 1)
		rest = upper / 10
	}
	for ; rest != 0; rest /= 100 {
		i--
		codes[i] = byte(2*(rest%100) + 1)
	}
	codes[pairsMax-1] &^= 1
	return i
}

func cutDecimal(b []byte, mask byte) (Decimal, []byte, error) {
	if len(b) == 0 {
		return Decimal{}, nil, ErrTruncated
	}
	if b[0]^mask == leadZero {
		return Decimal{}, b[1:], nil
	}
	negative := b[0]^mask < leadZero
	if negative {
		mask = ^mask
	}
	scale, i, err := cutScale(b, mask)
	if err != nil {
		return Decimal{}, nil, err
	}
	coefficient, pairs, odd, err := cutPairs(b[i:], mask)
	if err != nil {
		return Decimal{}, nil, err
	}
	exponent := 2 * (scale - pairs)
	if odd {
		exponent++
	}
	return Decimal{coefficient: coefficient, exponent: int16(exponent), negative: negative}, b[i+pairs:], nil
}

// cutScale reads the lead of a positive form, XORed with mask, and returns how many bytes it takes.
func cutScale(b []byte, mask byte) (scale, size int, err error) {
	lead := b[0] ^ mask
	if lead >= leadNear && lead < leadHuge {
		return int(lead) - leadNear - scaleNear, 1, nil
	}
	if lead != leadTiny && lead != leadHuge {
		return 0, 0, ErrMalformed
	}
	if len(b) < 2 {
		return 0, 0, ErrTruncated
	}
	scale = int(b[1]^mask) - scaleBias
	if lead == leadTiny && (scale < scaleMin || scale >= -scaleNear) {
		return 0, 0, ErrMalformed
	}
	if lead == leadHuge && (scale > scaleMax || scale <= scaleNear) {
		return 0, 0, ErrMalformed
	}
	return scale, 2, nil
}

// cutPairs reads pairs up to the last. If odd, that one ends in 0 and only its upper digit is in the coefficient.
func cutPairs(b []byte, mask byte) (coefficient wide, pairs int, odd bool, err error) {
	var high wide  // the pairs after the ninth are added here
	var low uint64 // the first nine pairs, 18 digits
	for n := range pairsMax {
		if n >= len(b) {
			return wide{}, 0, false, ErrTruncated
		}
		code := b[n] ^ mask
		pair := uint64(code >> 1)
		if code > pairCodeMax || n == 0 && pair == 0 {
			return wide{}, 0, false, ErrMalformed
		}
		factor := uint64(100)
		last := code&1 == 0
		if last {
			if pair == 0 {
				return wide{}, 0, false, ErrMalformed
			}
			if odd = pair%10 == 0; odd {
				factor, pair = 10, pair/10
			}
		}
		if n < 9 {
			low = low*factor + pair
			high = wide{0, low}
		} else {
			high = high.mulAdd(factor, pair)
		}
		if last {
			if n == pairsMax-1 && (!odd || (b[0]^mask)>>1 >= 10) {
				return wide{}, 0, false, ErrMalformed // 39 or 40 digits
			}
			return high, n + 1, odd, nil
		}
	}
	return wide{}, 0, false, ErrMalformed
}

func skipDecimal(b []byte, mask byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, ErrTruncated
	}
	lead := b[0] ^ mask
	if lead == leadZero {
		return b[1:], nil
	}
	if lead < leadZero {
		mask, lead = ^mask, ^lead
	}
	start := 1
	if lead == leadTiny || lead == leadHuge {
		start = 2
	}
	end := min(len(b), start+pairsMax)
	for i := start; i < end; i++ {
		if (b[i]^mask)&1 == 0 {
			return b[i+1:], nil
		}
	}
	if end == start+pairsMax {
		return nil, ErrMalformed
	}
	return nil, ErrTruncated
}
