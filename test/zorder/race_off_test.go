// SPDX-License-Identifier: Apache-2.0

//go:build !race

package zorder

// raceDivisor makes tests smaller under the race detector.
const raceDivisor = 1
