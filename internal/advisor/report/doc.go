// SPDX-License-Identifier: Apache-2.0

// Package report is what the key-design advisor answers: findings with their evidence, costs and requests, and their forms for people and
// programs.
//
// Knows: how findings look.
// Never: how they are found.
package report
