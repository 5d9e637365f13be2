// SPDX-License-Identifier: Apache-2.0

//go:build !race

package history

// raceDivisor is by how much less is done under the race detector.
const raceDivisor = 1
