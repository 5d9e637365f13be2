// SPDX-License-Identifier: Apache-2.0

//go:build weft_ik

package search

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-ego/gse"
)

// dictionary is read once, when the first text is cut; nil if it can't be read. // lint:global it never changes
var dictionary = sync.OnceValue(func() *gse.Segmenter {
	words, err := gse.NewEmbed("zh")
	if err != nil {
		return nil
	}
	return &words
})

// chinese cuts runs of Chinese characters by a dictionary, and what stands between them as Unicode has it. // immutable
var chinese = func(text []byte, yield func(start, end int)) {
	run := -1 // where a run of Chinese characters began
	last := 0
	flush := func(end int) {
		if run >= 0 {
			cutChinese(text[run:end], run, yield)
		}
		run = -1
	}
	cutMarkedWords(text, func(start, end int) {
		if start != last {
			flush(last)
		}
		last = end
		if r, _ := utf8.DecodeRune(text[start:end]); !unicode.Is(unicode.Han, r) {
			flush(start)
			yield(start, end)
			return
		}
		if run < 0 {
			run = start
		}
	})
	flush(last)
}

// cutChinese cuts a run of Chinese characters that stands at an offset of its text.
func cutChinese(run []byte, offset int, yield func(start, end int)) {
	words := dictionary()
	if words == nil {
		yield(offset, offset+len(run))
		return
	}
	for _, word := range words.Segment(run) {
		yield(offset+word.Start(), offset+word.End())
	}
}
