// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package heatpage

import "time"

// cpuUsed is not known here.
func cpuUsed() time.Duration { return 0 }

// diskUsed is not known here.
func diskUsed(string) (share float64, ok bool) { return 0, false }
