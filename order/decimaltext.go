// SPDX-License-Identifier: Apache-2.0

package order

// ParseDecimal reads a decimal number: an optional sign, digits with at most one point before, between or after them,
// and an optional exponent. "+5", ".5", "5.", "1.e5" and "1E125" are numbers; white space, "1+2", "1.2.3", "+e2", "."
// and the empty text are ErrDecimalSyntax. Numbers outside Decimal's limits are ErrDecimalOverflow or
// ErrDecimalUnderflow, else ErrDecimalPrecision; a zero with any exponent is 0. The work is linear in len(text),
// however large the exponent.
func ParseDecimal(text []byte) (Decimal, error) {
	s, ok := scanDecimal(text)
	if !ok {
		return Decimal{}, ErrDecimalSyntax
	}
	if s.first < 0 {
		return Decimal{}, nil
	}
	digits := s.last - s.first + 1
	exponent := int64(s.point - s.last)
	if s.last < s.point {
		exponent-- // the point does not stand between the last digit and the ones' place
	}
	if s.first < s.point && s.point < s.last {
		digits--
	}
	exponent += s.exponent
	leading := max(-exponentClamp, min(exponent+int64(digits)-1, exponentClamp))
	if err := checkMagnitude(int(leading)); err != nil {
		return Decimal{}, err
	}
	if digits > DecimalDigitsMax {
		return Decimal{}, ErrDecimalPrecision
	}
	coefficient := readDigits(text[s.first:s.last+1], digits)
	return Decimal{coefficient: coefficient, exponent: int16(exponent), negative: s.negative}, nil
}

// exponentClamp bounds exponents before they are narrowed to int.
const exponentClamp = 1 << 20

// exponentMax is the bound at which the sum over an exponent's digits stops growing: beyond any number of digits that
// fit into memory, so that zeros in the text cannot bring it back into range, and far from overflowing int64.
const exponentMax = 1 << 56

// scannedDecimal is the result of scanDecimal: positions in the text, and the exponent as written.
type scannedDecimal struct {
	negative    bool
	first, last int // the first and last digit other than 0; first is -1 if there is none
	point       int // the point, or the end of the digits if there is none
	exponent    int64
}

func scanDecimal(text []byte) (s scannedDecimal, ok bool) {
	s.first, s.point = -1, -1
	i := 0
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		s.negative = text[0] == '-'
		i++
	}
	digits := false
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && s.point < 0 {
			s.point = i
			continue
		}
		if c-'0' > 9 {
			break
		}
		digits = true
		if c != '0' {
			s.last = i
			if s.first < 0 {
				s.first = i
			}
		}
	}
	if s.point < 0 {
		s.point = i
	}
	if !digits {
		return s, false
	}
	if i == len(text) {
		return s, true
	}
	if text[i]|0x20 != 'e' {
		return s, false
	}
	s.exponent, ok = scanExponent(text[i+1:])
	return s, ok
}

// scanExponent reads an optional sign and one digit or more, saturating at exponentMax.
func scanExponent(text []byte) (exponent int64, ok bool) {
	negative := false
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		negative = text[0] == '-'
		text = text[1:]
	}
	if len(text) == 0 {
		return 0, false
	}
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		if exponent < exponentMax {
			exponent = exponent*10 + int64(c-'0')
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

// readDigits reads count digits, at most 38, skipping a point among them.
func readDigits(text []byte, count int) wide {
	var lower uint64
	i := 0
	for read := 0; read < min(count, 19); i++ {
		if c := text[i]; c != '.' {
			lower = lower*10 + uint64(c-'0')
			read++
		}
	}
	if count <= 19 {
		return wide{0, lower}
	}
	upper := wide{0, lower}
	lower = 0
	for _, c := range text[i:] {
		if c != '.' {
			lower = lower*10 + uint64(c-'0')
		}
	}
	return upper.mulAdd(powersOfTen[count-19], lower)
}

// AppendText appends d in DynamoDB's plain form: no exponent, no sign but '-', no zeros that carry no value, "0.5"
// rather than ".5". It is at most 171 bytes long.
func (d Decimal) AppendText(dst []byte) []byte {
	if d.IsZero() {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	if d.exponent >= 0 {
		return appendZeros(appendDigits(dst, d.coefficient), int(d.exponent))
	}
	var buffer [40]byte
	digits := appendDigits(buffer[:0], d.coefficient)
	point := len(digits) + int(d.exponent)
	if point <= 0 {
		dst = appendZeros(append(dst, '0', '.'), -point)
		return append(dst, digits...)
	}
	dst = append(dst, digits[:point]...)
	dst = append(dst, '.')
	return append(dst, digits[point:]...)
}

// String returns the text of AppendText.
func (d Decimal) String() string { return string(d.AppendText(nil)) }

func appendZeros(dst []byte, count int) []byte {
	const zeros = "00000000000000000000000000000000"
	for ; count > len(zeros); count -= len(zeros) {
		dst = append(dst, zeros...)
	}
	return append(dst, zeros[:count]...)
}

// appendDigits appends w < 10^38 in decimal, without leading zeros.
func appendDigits(dst []byte, w wide) []byte {
	var buffer [38]byte
	i := len(buffer)
	if w.hi != 0 {
		upper, lower := w.halves()
		for range 19 {
			i--
			buffer[i] = byte('0' + lower%10)
			lower /= 10
		}
		w.lo = upper
	}
	for w.lo != 0 {
		i--
		buffer[i] = byte('0' + w.lo%10)
		w.lo /= 10
	}
	return append(dst, buffer[i:]...)
}
