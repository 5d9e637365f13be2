// SPDX-License-Identifier: Apache-2.0

package recovery

// What tests from outside of the package look at.
const TaskRestore = taskRestore

var (
	ClearArrival = (*Keeper).clearArrival
	DoRestore    = (*Keeper).doRestore
)
