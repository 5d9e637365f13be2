// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"context"
	"log/slog"

	"github.com/pingcap/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// LogTo sends what client-go has to say to logger, from now on and for the whole process: it has one log for all.
// Without it, it writes lines of its own to standard error. Its information is logged as slog's debug, being a great
// deal.
func LogTo(logger *slog.Logger) {
	lines := zap.New(&core{logger: logger})
	log.ReplaceGlobals(lines, &log.ZapProperties{Core: lines.Core(), Level: zap.NewAtomicLevelAt(zap.InfoLevel)})
}

// core is a zapcore.Core that writes to an slog.Logger.
type core struct {
	logger *slog.Logger
}

func level(l zapcore.Level) slog.Level {
	switch {
	case l >= zapcore.ErrorLevel:
		return slog.LevelError
	case l == zapcore.WarnLevel:
		return slog.LevelWarn
	default:
		return slog.LevelDebug
	}
}

// Enabled reports whether a line of this level is written.
func (c *core) Enabled(l zapcore.Level) bool {
	return c.logger.Enabled(context.Background(), level(l))
}

// With returns a core that adds fields to each line.
func (c *core) With(fields []zapcore.Field) zapcore.Core {
	return &core{logger: c.logger.With(attributes(fields)...)}
}

// Check adds the core to those that write the line.
func (c *core) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write writes one line.
func (c *core) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	c.logger.Log(context.Background(), level(entry.Level), "tikv: "+entry.Message, attributes(fields)...)
	return nil
}

// Sync does nothing: the logger writes at once.
func (c *core) Sync() error { return nil }

func attributes(fields []zapcore.Field) []any {
	encoder := zapcore.NewMapObjectEncoder()
	var all []any
	for _, field := range fields {
		field.AddTo(encoder)
		if value, ok := encoder.Fields[field.Key]; ok {
			all = append(all, slog.Any(field.Key, value))
		}
	}
	return all
}
