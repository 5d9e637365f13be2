// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"log/slog"
)

// quiet hands on warnings and errors alone: a program that embeds a database does not expect to be told what goes
// well.
type quiet struct{ slog.Handler }

// Enabled is slog.Handler's.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// WithAttrs is slog.Handler's.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup is slog.Handler's.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }

// logger is the one that the program has given, or a quiet one.
func logger(o *Options) *slog.Logger {
	if o.Logger == nil {
		return slog.New(quiet{slog.Default().Handler()})
	}
	return o.Logger
}
