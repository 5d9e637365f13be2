// SPDX-License-Identifier: Apache-2.0

// Package report is the output of the key-design advisor: findings with their evidence, costs and requests, and their
// forms for people and programs.
//
// Knows: how findings look.
// Never: how they are found.
package report
