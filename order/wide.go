// SPDX-License-Identifier: Apache-2.0

package order

import "math/bits"

// wide is an unsigned integer of 128 bits. 38 decimal digits fit into it.
type wide struct {
	hi, lo uint64
}

// ten19 is the largest power of ten in 64 bits; a wide of at most 38 digits divided by it gives two halves of at most
// 19.
const ten19 = 10_000_000_000_000_000_000

// ten18 is nine pairs of digits.
const ten18 = 1_000_000_000_000_000_000

// powersOfTen[n] is 10 to the n. // immutable
var powersOfTen = [20]uint64{
	1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
	10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
	1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000, ten18, ten19,
}

// powerOfTen returns 10^n. n must be in 0..38.
func powerOfTen(n int) wide {
	if n < len(powersOfTen) {
		return wide{0, powersOfTen[n]}
	}
	hi, lo := bits.Mul64(ten19, powersOfTen[n-19])
	return wide{hi, lo}
}

func (w wide) isZero() bool { return w.hi|w.lo == 0 }

func (w wide) compare(v wide) int {
	switch {
	case w == v:
		return 0
	case w.hi < v.hi, w.hi == v.hi && w.lo < v.lo:
		return -1
	}
	return 1
}

// add returns w+v; ok is false if the sum needs more than 128 bits.
func (w wide) add(v wide) (sum wide, ok bool) {
	lo, carry := bits.Add64(w.lo, v.lo, 0)
	hi, carry := bits.Add64(w.hi, v.hi, carry)
	return wide{hi, lo}, carry == 0
}

// sub returns w-v for v <= w.
func (w wide) sub(v wide) wide {
	lo, borrow := bits.Sub64(w.lo, v.lo, 0)
	hi, _ := bits.Sub64(w.hi, v.hi, borrow)
	return wide{hi, lo}
}

// mul returns w*v; ok is false if the product needs more than 128 bits.
func (w wide) mul(v wide) (product wide, ok bool) {
	if w.hi != 0 && v.hi != 0 {
		return wide{}, false
	}
	if w.hi == 0 {
		w, v = v, w
	}
	// Now v.hi == 0 and the product is w.hi*v.lo*2^64 + w.lo*v.lo.
	over, cross := bits.Mul64(w.hi, v.lo)
	hi, lo := bits.Mul64(w.lo, v.lo)
	hi, carry := bits.Add64(hi, cross, 0)
	return wide{hi, lo}, over == 0 && carry == 0
}

// mulAdd returns w*factor + addend, modulo 2^128.
func (w wide) mulAdd(factor, addend uint64) wide {
	hi, lo := bits.Mul64(w.lo, factor)
	lo, carry := bits.Add64(lo, addend, 0)
	return wide{w.hi*factor + hi + carry, lo}
}

// quoRem divides by a divisor other than zero.
func (w wide) quoRem(divisor uint64) (wide, uint64) {
	if w.hi == 0 {
		return wide{0, w.lo / divisor}, w.lo % divisor
	}
	hi, rest := w.hi/divisor, w.hi%divisor
	lo, rest := bits.Div64(rest, w.lo, divisor)
	return wide{hi, lo}, rest
}

// quoTen returns w / 10^n, rounded down. n must be in 0..38.
func (w wide) quoTen(n int) wide {
	if n >= len(powersOfTen) {
		w, _ = w.quoRem(ten19)
		n -= 19
	}
	w, _ = w.quoRem(powersOfTen[n])
	return w
}

// halves splits w < 10^38 into its upper and lower 19 digits.
func (w wide) halves() (upper, lower uint64) {
	return bits.Div64(w.hi, w.lo, ten19)
}

// digits counts the decimal digits: 1 for 7, 39 at most, 0 for 0.
func (w wide) digits() int {
	if w.hi == 0 {
		n := bits.Len64(w.lo) * 1233 >> 12 // log10(2) = 1233/4096, rounded down: n or n+1 digits
		if w.lo >= powersOfTen[n] {
			n++
		}
		return n
	}
	n := (64 + bits.Len64(w.hi)) * 1233 >> 12
	if w.compare(powerOfTen(n)) >= 0 {
		n++
	}
	return n
}

// trim divides by ten as often as that leaves no rest, and says how often. w must not be zero.
func (w wide) trim() (trimmed wide, zeros int) {
	for w.lo&1 == 0 {
		quotient, rest := w.quoRem(10)
		if rest != 0 {
			break
		}
		w = quotient
		zeros++
	}
	return w, zeros
}
