// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/pingcap/log"
	"go.uber.org/zap"

	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

func TestLogTo(t *testing.T) {
	defer func() { tikvtest.Quiet() }() // again
	var written bytes.Buffer
	tikv.LogTo(slog.New(slog.NewTextHandler(&written, &slog.HandlerOptions{Level: slog.LevelInfo})))
	log.Info("much of this")
	log.With(zap.Int("store", 7)).Warn("a store is slow", zap.Error(errors.New("no answer")), zap.String("key", "k"))
	log.Error("it is gone")
	text := written.String()
	for _, want := range []string{"level=WARN", `msg="tikv: a store is slow"`, "store=7", `error="no answer"`, "key=k",
		"level=ERROR"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "much of this") {
		t.Error("information is logged")
	}
}
