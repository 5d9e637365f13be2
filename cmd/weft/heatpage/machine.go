// SPDX-License-Identifier: Apache-2.0

package heatpage

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/kv/pebble"
)

// machine remembers what it used at the last look, so that it can tell shares.
type machine struct {
	mu     sync.Mutex
	at     time.Time
	cpu    time.Duration // that the process has used
	bytes  map[string]int64
	shares []metric.Watch // of the stretch between the last two looks
}

// lookMin is the least stretch over which shares are reported.
const lookMin = time.Second

// Watched is all that an operator watches: the machine's, and the engine's.
func (w *Watch) Watched() []metric.Watch {
	list := w.machine.look(time.Now())
	if used, ok := diskUsed(w.options.Folder); ok && w.options.Folder != "" {
		list = append(list, metric.Share("disk", used))
	}
	if w.options.Engine != nil {
		list = append(list, w.options.Engine()...)
	}
	return list
}

// look returns shares of the processors' time and of the network's speed. The first look has none.
func (m *machine) look(now time.Time) []metric.Watch {
	m.mu.Lock()
	defer m.mu.Unlock()
	if elapsed := now.Sub(m.at); elapsed >= lookMin {
		cpu, bytes := cpuUsed(), networkBytes()
		if !m.at.IsZero() {
			m.shares = []metric.Watch{metric.Share("cpu",
				float64(cpu-m.cpu)/float64(elapsed)/float64(runtime.NumCPU()))}
			if share, ok := networkShare(m.bytes, bytes, elapsed); ok {
				m.shares = append(m.shares, metric.Share("network", share))
			}
		}
		m.at, m.cpu, m.bytes = now, cpu, bytes
	}
	return append([]metric.Watch(nil), m.shares...)
}

// networkShare is the busiest interface's share of its speed; ok is false where no speed is known, as on most virtual
// machines.
func networkShare(before, after map[string]int64, elapsed time.Duration) (share float64, ok bool) {
	for name, now := range after {
		speed := linkSpeed(name)
		if then, known := before[name]; known && speed > 0 {
			share, ok = max(share, float64(now-then)/elapsed.Seconds()/speed), true
		}
	}
	return share, ok
}

// networkBytes reads how many bytes each interface has received or sent, whichever is more.
func networkBytes() map[string]int64 {
	text, err := os.ReadFile("/proc/net/dev")
	if err != nil {
		return nil // another system
	}
	return parseNetwork(text)
}

// parseNetwork reads the lines "name: received .. (8 numbers) sent ..".
func parseNetwork(text []byte) map[string]int64 {
	counts := map[string]int64{}
	for scanner := bufio.NewScanner(bytes.NewReader(text)); scanner.Scan(); {
		name, numbers, ok := strings.Cut(scanner.Text(), ":")
		fields := strings.Fields(numbers)
		if !ok || len(fields) < 9 {
			continue
		}
		received, err := strconv.ParseInt(fields[0], 10, 64)
		sent, err2 := strconv.ParseInt(fields[8], 10, 64)
		if err == nil && err2 == nil {
			counts[strings.TrimSpace(name)] = max(received, sent)
		}
	}
	return counts
}

// linkSpeed is an interface's speed in bytes a second; 0 is unknown.
func linkSpeed(name string) float64 {
	text, err := os.ReadFile(filepath.Join("/sys/class/net", name, "speed"))
	if err != nil {
		return 0
	}
	megabits, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil || megabits <= 0 {
		return 0
	}
	return megabits * 1e6 / 8
}

// backlogLeast is the number of bytes from which on compaction counts as behind.
const backlogLeast = 1 << 30

// Pebble returns an operator's figures of an embedded engine: the sorted runs that a read may have to look into are the
// engine's files of a region.
func Pebble(m pebble.Metrics) []metric.Watch {
	return []metric.Watch{
		metric.Files(int64(m.ReadAmp)),
		metric.Share("compaction", float64(m.CompactionDebtBytes)/float64(max(m.DiskBytes, backlogLeast))),
	}
}
