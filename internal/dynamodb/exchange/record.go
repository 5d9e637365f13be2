// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// record is a task's record of an export, an import or a put of many items.
type record[E any] interface {
	*E
	// about returns the table's name, the request as it came, and its client's token.
	about() (table string, request any, token *string)
	isOf(home) bool
}

// home is the database of the table that work is about; "": the default one.
type home struct {
	Database string `json:"database,omitempty"`
}

func (h home) isOf(other home) bool { return h == other }

// home is the database of the API's tables.
func (a *API) home() home {
	if a.Name() == database.DefaultDatabase {
		return home{}
	}
	return home{a.Database}
}

// rememberedFor is the time records of work are kept.
const rememberedFor = 90 * 24 * time.Hour

// tokenLife is the time a client's token stands for its request.
const tokenLife = 8 * time.Hour

// again describes the work that the token of a request began before; nil: none did. reused is the error if that request
// was another one. Records that are too old are forgotten.
func again[E any, P record[E]](ctx context.Context, a *API, kind string, in P, reused error,
	show func(string, P) any) (any, error) {
	found, before, err := tokened[E, P](ctx, a, kind, in)
	if err != nil || found == nil {
		return nil, err
	}
	_, one, _ := before.about()
	_, other, _ := in.about()
	if !sameJSON(one, other) {
		return nil, reused
	}
	return show(found.ID, before), nil
}

// tokened finds the work that a client's token began, if it did lately, with its record.
func tokened[E any, P record[E]](ctx context.Context, a *API, kind string, in P) (found *task.Task, e P,
	err error) {
	tasks := a.DB.Tasks()
	all, err := tasks.List(ctx, kind)
	if err != nil {
		return nil, nil, err
	}
	_, _, token := in.about()
	nowMS := tasks.Now().UnixMilli()
	for i := range all {
		age := time.Duration(nowMS-task.BornMS(all[i].ID)) * time.Millisecond
		if !all[i].Open && age > rememberedFor {
			if err := tasks.Remove(ctx, kind, all[i].ID); err != nil {
				return nil, nil, err
			}
			continue
		}
		if token == nil || age > tokenLife {
			continue
		}
		e = new(E)
		if err := all[i].Read(e); err != nil {
			return nil, nil, err
		}
		if _, _, known := e.about(); valueOf(known) == *token && e.isOf(a.home()) {
			return &all[i], e, nil
		}
	}
	return nil, nil, nil
}

// sameJSON reports whether two requests are the same.
func sameJSON(a, b any) bool {
	var x, y any
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return errors.Join(err1, err2, json.Unmarshal(one, &x), json.Unmarshal(two, &y)) == nil && reflect.DeepEqual(x, y)
}

// find finds the work of an ARN, whose part is before its id, for an operation that the client must be allowed. missing
// is the error if there is none; the ARN is added to it.
func find[E any, P record[E]](
	ctx context.Context, a *API, kind, part, operation string, arn *string, missing *exception.Error,
) (one task.Task, e P, err error) {
	table, id, err := a.account().Part(arn, part, operation)
	if err == nil {
		err = a.ask(ctx, operation, table, "/"+part+"/"+id)
	}
	if err != nil {
		return one, nil, err
	}
	e = new(E)
	if one, err = a.DB.Tasks().Get(ctx, kind, id); err == nil {
		err = one.Read(e)
	}
	if of, _, _ := e.about(); errors.Is(err, task.ErrNotFound) ||
		err == nil && (of != table || !e.isOf(a.home())) {
		missing.Message += *arn
		return one, nil, missing
	}
	return one, e, err
}

// list shows work of a kind, the newest first, after the one that a token names, limit of it at most. show says which
// is
// shown. next is the token of the rest; "" for none.
func list[E any, P record[E], S any](
	ctx context.Context, a *API, kind string, token *string, limit int, show func(id string, e P) (S, bool),
) (some []S, next string, err error) {
	all, err := a.DB.Tasks().List(ctx, kind)
	if err != nil {
		return nil, "", err
	}
	some = []S{}
	last := ""
	for _, one := range slices.Backward(all) {
		e := P(new(E))
		if err := one.Read(e); err != nil {
			return nil, "", err
		}
		shown, ok := show(one.ID, e)
		if !ok || !e.isOf(a.home()) || token != nil && one.ID >= *token {
			continue
		}
		if len(some) == limit {
			return some, last, nil
		}
		some, last = append(some, shown), one.ID
	}
	return some, "", nil
}

// pageOf is the number of summaries a page has, which a member of the request says, up to pageMax.
func pageOf(member *int32, name string, preset int, faults *exception.Constraints) int {
	if member == nil {
		return preset
	}
	faults.Between(true, int64(*member), name, 1, pageMax)
	return int(*member)
}
