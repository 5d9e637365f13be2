// SPDX-License-Identifier: Apache-2.0

package recovery

// The parts that tests from outside of the package call.
const TaskRestore = taskRestore

var (
	ClearArrival = (*Keeper).clearArrival
	DoRestore    = (*Keeper).doRestore
)
