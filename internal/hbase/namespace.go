// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"context"
	"slices"

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
