// SPDX-License-Identifier: Apache-2.0

package diagnosis

import "strings"

// requestsMin is the number of requests needed before anything is said.
const requestsMin = 500

// Diagnose says what the requests look like, the gravest first. It says nothing of an object that is hardly asked for
// anything.
func Diagnose(o *Object) []Finding {
	s := &study{Object: o, recentMoments: o.recent()}
	if !s.count() {
		return nil
	}
	var found []Finding
	add := func(f *Finding) bool {
		if f != nil {
			found = append(found, *f)
		}
		return f != nil
	}
	row := add(s.hotRow())
	growing := add(s.suffixes()) || add(s.increasing())
	if !row && !growing {
		add(s.hotRange())
		add(s.idleRegions())
	}
	add(s.periodic())
	if len(found) == 0 {
		add(s.even())
	}
	return found
}

// study is an object and what was found out about it on the way.
type study struct {
	*Object
	recentMoments []Moment
	reads, writes float64 // requests of the recent moments
	seconds       float64
	read, written []Key // their samples, in the order of the requests
	sharded       bool  // the key has numbers behind its first column
}

func (s *study) count() (enough bool) {
	for i := range s.recentMoments {
		m := &s.recentMoments[i]
		s.reads, s.writes = s.reads+m.Reads, s.writes+m.Writes
		s.seconds += float64(m.To-m.From) / 1000
		s.read = append(s.read, m.Read...)
		s.written = append(s.written, m.Written...)
	}
	return s.reads+s.writes >= requestsMin
}

// rate is a number of requests per second.
func (s *study) rate(requests float64) float64 { return requests / max(s.seconds, 1) }

// finding begins one about the recent moments.
func (s *study) finding(kind string, strength float64) *Finding {
	f := &Finding{Kind: kind, Table: s.Table, Index: s.Index, Strength: strength}
	if n := len(s.recentMoments); n > 0 {
		f.Times = [2]int64{s.recentMoments[0].From, s.recentMoments[n-1].To}
	}
	return f
}

// String is the key's columns as texts.
func (k Key) String() string {
	if len(k.Parts) == 1 {
		return k.Parts[0]
	}
	return "(" + strings.Join(k.Parts, ", ") + ")"
}
