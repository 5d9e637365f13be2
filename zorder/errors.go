// SPDX-License-Identifier: Apache-2.0

package zorder

import "errors"

// Errors of this package; what is returned wraps one of them and says more.
var (
	// ErrPlan says that no plan can be made: too many attributes or bits, an attribute without bits, or a text that is
	// no plan.
	ErrPlan = errors.New("zorder: not a plan")
	// ErrCode says that codes do not fit the plan: a wrong number of them, or one that is wider than its attribute.
	// Codes are never cut, for a cut code would lie at another place of the curve than the one that a query looks at.
	ErrCode = errors.New("zorder: codes do not fit the plan")
	// ErrKey says that bytes are no key of the plan: too short, or with bits set after the last one.
	ErrKey = errors.New("zorder: not a key of the plan")
)
