// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// systemNamespace is the one that HBase keeps for itself.
const systemNamespace = "hbase"

// CreateNamespace makes a namespace, which SQL sees as a database.
func (a *API) CreateNamespace(ctx context.Context, name string) error {
	if !isNamespace([]byte(name)) || name == systemNamespace {
		return Illegal("Illegal namespace name %q", name)
	}
	if err := a.authorizeNamespace(ctx, "CreateNamespace", name); err != nil {
		return err
	}
	err := a.DB.CreateDatabase(ctx, name)
	if err != nil && database.KindOf(err) == database.KindExists {
		return failure("NamespaceExistException", "%s", name)
	}
	return faultOf(err)
}

// DropNamespace removes an empty namespace.
func (a *API) DropNamespace(ctx context.Context, name string) error {
	if err := a.authorizeNamespace(ctx, "DropNamespace", name); err != nil {
		return err
	}
	if name == database.DefaultDatabase || name == systemNamespace {
		return failure("constraint.ConstraintException", "Reserved namespace %s cannot be removed.", name)
	}
	if !slices.Contains(a.DB.Databases(), name) {
		return failure("NamespaceNotFoundException", "%s", name)
	}
	if len(a.DB.Tables(name, "", 1)) > 0 {
		return failure("constraint.ConstraintException",
			"Only empty namespaces can be removed. Namespace %s has tables", name)
	}
	return faultOf(a.DB.DropDatabase(ctx, name, false))
}

// HasNamespace refuses a namespace that is not there.
func (a *API) HasNamespace(ctx context.Context, name string) error {
	if err := a.authorizeNamespace(ctx, "HasNamespace", name); err != nil {
		return err
	}
	if !slices.Contains(a.DB.Databases(), name) {
		return failure("NamespaceNotFoundException", "%s", name)
	}
	return nil
}

// Namespaces returns the names of all namespaces, in order.
func (a *API) Namespaces(ctx context.Context) ([]string, error) {
	if err := a.authorizeAll(ctx, "Namespaces"); err != nil {
		return nil, err
	}
	return a.DB.Databases(), nil
}

// rowBytesMax is HBase's limit on row keys, and that of Weft's keys where it is less.
const rowBytesMax = 7 << 10

// attribute is the name of a column's attribute.
func (c Column) attribute() []byte {
	return c.appendAttribute(make([]byte, 0, len(c.Family)+1+len(c.Qualifier)))
}

func (c Column) appendAttribute(dst []byte) []byte {
	return append(append(append(dst, c.Family...), ':'), c.Qualifier...)
}

// cutName takes the name of an attribute apart. Families have no colon.
func cutName(name []byte) (family, qualifier []byte, ok bool) { return bytes.Cut(name, []byte(":")) }

func checkRow(row []byte) error {
	switch {
	case len(row) == 0:
		return Illegal("Row key is empty")
	case len(row) > rowBytesMax:
		return Illegal("Row key has %d bytes: at most %d are possible", len(row), rowBytesMax)
	}
	return nil
}

// keyOf is a row key as a row of its table.
func keyOf(p database.Pinned, row []byte) (value.Row, error) {
	if err := checkRow(row); err != nil {
		return nil, err
	}
	var b value.RowBuilder
	b.Reset(p.Names())
	if err := b.Set([]byte(RowColumn), value.AppendBinary(nil, row)); err != nil {
		return nil, err
	}
	return b.AppendTo(nil), nil
}
