// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"math"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// The hints that say how long a statement may take, in milliseconds: LindormTable's, and MySQL's, in which 0 is no
// limit.
const (
	TimeoutHint      = "_l_operation_timeout_"
	timeoutHintMySQL = "max_execution_time"
)

// IsTimeout reports whether a hint is one of those.
func IsTimeout(hint tree.Hint) bool {
	return hint.Name == TimeoutHint || hint.Name == timeoutHintMySQL
}

// noTimeout is a time that never comes.
const noTimeout = time.Duration(math.MaxInt64 / 4)

// Timeout returns the value of the first such hint; 0 if there is none. Errors: 1210.
func Timeout(hints []tree.Hint) (time.Duration, error) {
	for _, hint := range hints {
		if !IsTimeout(hint) {
			continue
		}
		ms, err := strconv.ParseInt(hint.Argument, 10, 64)
		switch {
		case err == nil && ms == 0 && hint.Name == timeoutHintMySQL:
			return noTimeout, nil
		case err != nil || ms <= 0 || ms > int64(noTimeout/time.Millisecond):
			return 0, fault.New(fault.WrongArguments,
				"hint "+hint.Name+", which takes milliseconds such as "+hint.Name+"(30000)")
		}
		return time.Duration(ms) * time.Millisecond, nil
	}
	return 0, nil
}
