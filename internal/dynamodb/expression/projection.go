// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
)

// ParseProjection reads a ProjectionExpression: the paths to show, in the order that expr.Project works in. The error
// is an *Error.
func ParseProjection(text string, known *Substitutions) ([]expr.Path, error) {
	p := parser{kind: Projection, lexer: lexer{text: text}, known: known}
	var paths []expr.Path
	if p.begin() {
		paths = append(paths, p.path())
		for p.accept(tokenComma) {
			paths = append(paths, p.path())
		}
	}
	if !p.failed {
		p.checkOverlap(paths)
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	expr.SortPaths(paths)
	return paths, nil
}

const (
	// pairsMax is the number of paths up to which they are compared each with each at once. Of more paths only
	// neighbours in sorted order are: if any two are not apart, two neighbours are not.
	pairsMax = 12
	// pairsToldMax is the number of paths up to which the pair that DynamoDB tells is looked for, once it is known that
	// there is one.
	pairsToldMax = 256
)

// checkOverlap notes two paths that can't both be worked on: of those that overlap with an earlier one the first, with
// the first that it overlaps with. Paths that conflict come after that.
func (p *parser) checkOverlap(paths []expr.Path) {
	if len(paths) > pairsMax {
		first, second := overlappingPaths(paths)
		if second == nil {
			return
		}
		if len(paths) > pairsToldMax {
			p.checkPair(first, second)
			return
		}
	}
	for j := range paths {
		for i := range j {
			p.checkPair(&paths[i], &paths[j])
		}
	}
}

// overlappingPaths are two paths that are not apart, if there are any.
func overlappingPaths(paths []expr.Path) (first, second *expr.Path) {
	positions := make([]int, len(paths))
	for i := range positions {
		positions[i] = i
	}
	slices.SortStableFunc(positions, func(i, j int) int { return expr.ComparePaths(&paths[i], &paths[j]) })
	for i := 1; i < len(positions); i++ {
		a, b := positions[i-1], positions[i]
		if expr.Relate(&paths[a], &paths[b]) != expr.Apart {
			return &paths[min(a, b)], &paths[max(a, b)]
		}
	}
	return nil, nil
}

func (p *parser) checkPair(a, b *expr.Path) {
	switch expr.Relate(a, b) {
	case expr.Overlap:
		p.note(faultOverlap, "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ",
			pathText(a), ", path two: ", pathText(b))
	case expr.Conflicting:
		p.note(faultConflict, "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ",
			pathText(a), ", path two: ", pathText(b))
	}
}
