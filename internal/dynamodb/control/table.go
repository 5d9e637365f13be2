// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/definition"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// readTable reads the body of a request about tables into a struct.
func readTable(body []byte, into any) error {
	// A body is judged by the strict reader first, so that what is no JSON is the same error for every operation.
	r := attributejson.NewReader(body)
	if err := r.Skip(); err != nil {
		return err
	}
	if err := r.End(); err != nil {
		return err
	}
	err := json.Unmarshal(body, into)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return exception.Serialization(mismatchText(mismatch))
	}
	return err
}

// mismatchText words a member of the wrong type as the strict reader would.
func mismatchText(e *json.UnmarshalTypeError) string {
	expected := map[reflect.Kind]string{reflect.String: "String", reflect.Int64: "Long", reflect.Bool: "Boolean", reflect.Slice: "List", reflect.Struct: "Structure"}
	kind, _, _ := strings.Cut(e.Value, " ")
	actual := map[string]attributejson.Token{"string": attributejson.TokenString, "number": attributejson.TokenNumber,
		"bool": attributejson.TokenTrue, "array": attributejson.TokenArray, "object": attributejson.TokenObject}
	return exception.TypeErrorText(&attributejson.TypeError{Expected: expected[e.Type.Kind()], Actual: actual[kind]})
}

// tableError words the errors of requests about the table of that name.
func tableError(name string, err error) error {
	if detail, ok := errors.AsType[*weft.Error](err); ok {
		switch detail.Kind {
		case weft.KindNotFound:
			return exception.Modelled("ResourceNotFoundException", "Requested resource not found: Table: "+name+" not found")
		case weft.KindExists:
			return exception.Modelled("ResourceInUseException", "Table already exists: "+name)
		case weft.KindInvalid:
			return exception.InvalidValue("%s", strings.TrimPrefix(detail.Err.Error(), "schema: "))
		}
	}
	return err
}

func (a *API) createTable(ctx context.Context, body, dst []byte) ([]byte, error) {
	var in definition.Create
	if err := readTable(body, &in); err != nil {
		return nil, err
	}
	spec, err := in.Spec(a.Limits)
	if err != nil {
		return nil, tableError("", err)
	}
	if _, err := a.DB.CreateTable(ctx, spec); err != nil {
		return nil, tableError(spec.Name, err)
	}
	d, err := a.describe(ctx, spec.Name, false)
	if err != nil {
		return nil, err
	}
	d.Created()
	return appendTable(dst, "TableDescription", d)
}

// tableName reads a request that names a table and no more.
func tableName(body []byte) (string, error) {
	var in struct{ TableName *string }
	if err := readTable(body, &in); err != nil {
		return "", err
	}
	if in.TableName != nil {
		*in.TableName = TableOf(*in.TableName)
	}
	if err := definition.TableNameError(in.TableName); err != nil {
		return "", tableError("", err)
	}
	return *in.TableName, nil
}

func (a *API) describeTable(ctx context.Context, body, dst []byte) ([]byte, error) {
	name, err := tableName(body)
	if err != nil {
		return nil, err
	}
	d, err := a.describe(ctx, name, true)
	if err != nil {
		return nil, err
	}
	return appendTable(dst, "Table", d)
}

// describe describes the table as it is now, with its sizes if they are asked for.
func (a *API) describe(ctx context.Context, name string, sized bool) (*definition.Description, error) {
	pin, err := a.DB.Pin(name)
	if err != nil {
		return nil, tableError(name, err)
	}
	defer pin.Release()
	table, sizes := pin.Descriptor(), definition.Sizes{Indexes: map[string]weft.Estimate{}}
	if sized {
		if sizes.Table, err = pin.Estimate(ctx, ""); err != nil {
			return nil, err
		}
		for i := range table.Indexes {
			x := &table.Indexes[i]
			if !x.State.Readable() {
				continue
			}
			if sizes.Indexes[x.Name], err = pin.Estimate(ctx, x.Name); err != nil {
				return nil, err
			}
		}
	}
	return definition.Describe(table, a.tableARN(name), sizes)
}

func appendTable(dst []byte, member string, d *definition.Description) ([]byte, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	dst = append(attributejson.AppendMember(append(dst, '{'), member), text...)
	return append(dst, '}'), nil
}

func (a *API) listTables(_ context.Context, body, dst []byte) ([]byte, error) {
	var in struct {
		ExclusiveStartTableName *string
		Limit                   *int64
	}
	if err := readTable(body, &in); err != nil {
		return nil, err
	}
	most := int64(a.Limits.TableList)
	limit, after := most, ""
	var c exception.Constraints
	if in.Limit != nil {
		limit = *in.Limit
		c.Between(true, limit, "limit", 1, most)
	}
	if in.ExclusiveStartTableName != nil {
		after = *in.ExclusiveStartTableName
		c.Length(true, after, "exclusiveStartTableName", 255)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	names := a.DB.Tables(weft.DefaultDatabase, after, int(limit)+1)
	more := len(names) > int(limit)
	if more {
		names = names[:limit]
	}
	dst = append(dst, `{"TableNames":[`...)
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = attributejson.AppendString(dst, []byte(name))
	}
	dst = append(dst, ']')
	if more {
		dst = attributejson.AppendString(attributejson.AppendMember(dst, "LastEvaluatedTableName"), []byte(names[limit-1]))
	}
	return append(dst, '}'), nil
}

func (a *API) deleteTable(ctx context.Context, body, dst []byte) ([]byte, error) {
	name, err := tableName(body)
	if err != nil {
		return nil, err
	}
	refused, err := a.isProtected(name)
	if err != nil {
		return nil, err
	}
	if refused {
		return nil, exception.Validation("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
	}
	d, err := a.describe(ctx, name, false)
	if err != nil {
		return nil, err
	}
	if err := a.DB.DropTable(ctx, weft.DefaultDatabase, name); err != nil {
		return nil, tableError(name, err)
	}
	d.Deleted()
	return appendTable(dst, "TableDescription", d)
}

func (a *API) isProtected(name string) (bool, error) {
	pin, err := a.DB.Pin(name)
	if err != nil {
		return false, tableError(name, err)
	}
	defer pin.Release()
	settings, err := definition.SettingsOf(pin.Descriptor())
	return settings.DeletionRefused, err
}

func (a *API) updateTable(ctx context.Context, body, dst []byte) ([]byte, error) {
	var in definition.Update
	if err := readTable(body, &in); err != nil {
		return nil, err
	}
	if in.TableName != nil {
		*in.TableName = TableOf(*in.TableName)
	}
	if err := in.Check(); err != nil {
		return nil, tableError("", err)
	}
	change, err := a.planUpdate(&in)
	if err != nil {
		return nil, err
	}
	d, err := a.applyUpdate(ctx, *in.TableName, change)
	if err != nil {
		return nil, tableError(*in.TableName, err)
	}
	return appendTable(dst, "TableDescription", d)
}

// planUpdate judges an update against the table. The table is pinned no longer than that: changes of a schema wait for those who have it pinned.
func (a *API) planUpdate(in *definition.Update) (*definition.Change, error) {
	pin, err := a.DB.Pin(*in.TableName)
	if err != nil {
		return nil, tableError(*in.TableName, err)
	}
	defer pin.Release()
	change, err := in.Against(pin.Descriptor(), a.Limits, time.Now().UnixMilli())
	if err == nil {
		return change, nil
	}
	return nil, tableError(*in.TableName, err)
}

// applyUpdate changes the table and describes it as it is at the beginning of the change, however quickly that is done.
func (a *API) applyUpdate(ctx context.Context, name string, change *definition.Change) (*definition.Description, error) {
	table, err := a.DB.Table(name)
	if err != nil {
		return nil, err
	}
	if change.Settings {
		if err := table.SetDialect(ctx, change.Apply); err != nil {
			return nil, err
		}
	}
	if change.AddIndex != nil {
		if err := table.AddIndex(ctx, *change.AddIndex); err != nil {
			return nil, err
		}
	}
	d, err := a.describe(ctx, name, true)
	if err != nil {
		return nil, err
	}
	if change.DropIndex != "" {
		if err := table.DropIndex(ctx, change.DropIndex); err != nil {
			return nil, err
		}
	}
	d.Begun(change)
	return d, nil
}
