// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"log/slog"
	"math"

	"github.com/weftdb/weft/cmd/weft/storecommand"
)

// newLogger writes to w as config says. Each line of a request's context carries its id under the key "request".
func newLogger(w io.Writer, c *config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // settings has checked the word
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: roundFloat}
	if c.LogFormat == "text" || c.LogFormat == "auto" && storecommand.IsTerminal(w) {
		return slog.New(requestLog{slog.NewTextHandler(w, options)})
	}
	return slog.New(requestLog{slog.NewJSONHandler(w, options)})
}

// roundFloat shows no more than three digits behind the point: what is logged was never measured more exactly.
func roundFloat(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindFloat64 {
		a.Value = slog.Float64Value(math.Round(a.Value.Float64()*1000) / 1000)
	}
	return a
}

// requestKey is under which a context holds its request's id.
type requestKey struct{}

// withRequestID returns a context whose log lines carry the id.
func withRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// requestLog is a slog.Handler that adds the request's id.
type requestLog struct{ slog.Handler }

// Handle adds the id, if the context has one.
func (h requestLog) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(requestKey{}).(string); ok {
		record.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs keeps the id in loggers made by Logger.With.
func (h requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the id in loggers made by Logger.WithGroup.
func (h requestLog) WithGroup(name string) slog.Handler {
	return requestLog{h.Handler.WithGroup(name)}
}
