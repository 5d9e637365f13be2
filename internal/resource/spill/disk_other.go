// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package spill

import "errors"

func disk(string) (total, free int64, err error) { return 0, 0, errors.ErrUnsupported }
