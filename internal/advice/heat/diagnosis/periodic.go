// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"math"
	"slices"
)

const (
	periodsMin  = 3   // that must have been seen
	swingMin    = 0.5 // deviation over mean
	similarity  = 0.6 // autocorrelation
	dip         = 0.4 // by which the series must be less like itself in between
	seriesLeast = 9   // minutes
)

// periodic finds a load that comes and goes in a rhythm of minutes to hours.
func (s *study) periodic() *Finding {
	var series []float64
	if n := len(s.Moments); n > 0 {
		for i := range s.Moments[:n-1] { // the last is not over
			series = append(series, s.Moments[i].Reads+s.Moments[i].Writes)
		}
	}
	for len(series) > 0 && series[0] == 0 {
		series = series[1:]
	}
	if len(series) < seriesLeast {
		return nil
	}
	mean, deviation := moments(series)
	if mean == 0 || deviation/mean < swingMin {
		return nil
	}
	period, likeness := rhythm(series, mean)
	if likeness < similarity {
		return nil
	}
	width := float64(s.Moments[0].To-s.Moments[0].From) / 60_000
	highest := slices.Max(series)
	f := s.finding(Periodic, likeness)
	f.Keys = []string{}
	f.Times = [2]int64{s.Moments[len(s.Moments)-1-len(series)].From, s.Moments[len(s.Moments)-1].From}
	f.Text = fmt.Sprintf("The load of %s rises and falls every %.4g minutes; its peak is %.1f times the mean.",
		s.subject(), float64(period)*width, highest/mean)
	f.Cure = "If a job sends it, let the job send less at once over a longer time; otherwise size the server for the peak, not for the mean. Splits and merges do not help."
	f.Evidence = []Figure{{"period", float64(period) * width, "minutes"}, {"autocorrelation", likeness, ""},
		{"highest over mean", highest / mean, ""}}
	return f
}

func moments(series []float64) (mean, deviation float64) {
	for _, v := range series {
		mean += v
	}
	mean /= float64(len(series))
	for _, v := range series {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(series)))
}

// rhythm finds the shortest period that fits nearly as well as the best.
func rhythm(series []float64, mean float64) (period int, likeness float64) {
	fits := make([]float64, len(series)/periodsMin+1)
	if len(fits) > 1 {
		fits[1] = autocorrelation(series, mean, 1)
	}
	for lag := 2; lag < len(fits); lag++ {
		fits[lag] = autocorrelation(series, mean, lag)
		likeness = max(likeness, fits[lag])
	}
	least := 1.0 // of shorter lags: a load that only grows is like itself at all of them
	for lag, fit := range fits {
		if lag >= 2 && fit >= 0.9*likeness && least < fit-dip {
			return lag, fit
		}
		if lag >= 1 {
			least = min(least, fit)
		}
	}
	return 0, 0
}

// autocorrelation compares the series with itself, lag later, over the part that both have.
func autocorrelation(series []float64, mean float64, lag int) float64 {
	both, a, b := 0.0, 0.0, 0.0
	for i := lag; i < len(series); i++ {
		x, y := series[i]-mean, series[i-lag]-mean
		both, a, b = both+x*y, a+x*x, b+y*y
	}
	if a == 0 || b == 0 {
		return 0
	}
	return both / math.Sqrt(a*b)
}
