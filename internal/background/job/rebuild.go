// SPDX-License-Identifier: Apache-2.0

package job

import (
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
)

// replace makes a rebuilt index take its predecessor's name. It is one change of the descriptor, so that each request
// sees one of the two: both are complete, and both stay so, until the predecessor is dropped. If the predecessor was
// dropped meanwhile, so was this one.
func (r *Runner) replace(table *schema.Table, id uint32) error {
	if !table.Replace(id, r.Now().UnixMilli()) {
		return catalog.ErrNotFound
	}
	return nil
}
