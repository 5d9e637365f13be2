// SPDX-License-Identifier: Apache-2.0

package tikvtest

import (
	"github.com/pingcap/log"
	"go.uber.org/zap"
)

// Quiet drops what client-go and the mock log, which is a great deal, for the whole process. It's for TestMain. restore
// undoes it.
func Quiet() (restore func()) {
	return log.ReplaceGlobals(zap.NewNop(), &log.ZapProperties{Level: zap.NewAtomicLevelAt(zap.FatalLevel)})
}
