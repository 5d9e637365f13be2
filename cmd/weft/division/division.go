// SPDX-License-Identifier: Apache-2.0

// Package division divides the memory that a process of weft may take among its parts, and keeps the garbage collector
// within it.
//
// Knows: how much memory the machine and the control group have, and what each part needs.
// Never: the settings' names, what the parts do.
package division

import (
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/resource/metric"
)

// Memtables is the number of memtables that the engine may have for a moment.
const Memtables = 4

// Bounds of the parts, in bytes. What the parts with a bound leave goes to the cache.
const (
	budgetMin   = 16 << 20 // of requests, of statements
	budgetMax   = 1 << 30
	memtableMin = 4 << 20 // of one
	memtableMax = 32 << 20
	programMin  = 64 << 20
	programMax  = 1 << 30
	// modest is what a server takes up to half of its machine for, unknown what it takes where nobody says how much
	// there is, and tool what a command takes that serves nobody.
	modest  = 512 << 20
	unknown = 1 << 30
	tool    = 512 << 20
)

// Settings are the parts that are set beforehand. Bytes that are 0 are the package's to choose.
type Settings struct {
	All        int64 // of the whole process
	Cache      int64
	Requests   int64
	Statements int64
	Folder     bool // there is an engine with a cache and memtables
	HBase      bool // HBase's APIs are on
	Tool       bool // nobody is served
}

// Division is how the memory is divided, in bytes.
type Division struct {
	Cache      int64 // blocks read from files
	Memtable   int64 // one of Memtables
	Requests   int64 // of DynamoDB's API
	Calls      int64 // of HBase's APIs, 0 if they are off
	Statements int64 // and clients of SQL
	Program    int64 // the program, what the engine needs besides, and garbage

	group int64 // what the control group may have, 0 for no bound
}

// Now divides the memory of this process: s's setting, or a quarter of the machine's or the control group's.
func Now(s Settings) Division { return divide(s, machineBytes(os.ReadFile), cgroupBytes(os.ReadFile)) }

// divide is Now on a machine and in a control group with so much memory, 0 for unknown. A part that has a setting of
// its own is as large as that says, except that statements get a quarter of the group's memory at most: estimates of
// theirs count live bytes only, so that leaves room for garbage.
func divide(s Settings, machine, group int64) Division {
	all := s.All
	if all == 0 {
		all = s.usual(machine, group)
	}
	d := Division{Memtable: min(max(all/8/Memtables, memtableMin), memtableMax), Requests: s.Requests,
		Statements: s.Statements, Program: min(max(all/8, programMin), programMax), Cache: s.Cache, group: group}
	if d.Requests == 0 {
		d.Requests = min(all/8, budgetMax)
		if s.HBase {
			d.Requests /= 2
		}
		d.Requests = max(d.Requests, budgetMin)
	}
	if s.HBase {
		d.Calls = d.Requests
	}
	if d.Statements == 0 {
		d.Statements = min(max(all/4, budgetMin), budgetMax)
	}
	if group > 0 {
		d.Statements = min(d.Statements, max(group/4, budgetMin))
	}
	if !s.Folder { // the data are elsewhere, or the program's
		d.Cache, d.Memtable = 0, 0
		d.Program += max(0, all-d.total())
	} else if d.Cache == 0 {
		d.Cache = max(all/4, all-d.total())
	}
	return d
}

// usual is the memory that the process may take by default.
func (s *Settings) usual(machine, group int64) int64 {
	available := max(machine, group)
	if machine > 0 && group > 0 {
		available = min(machine, group)
	}
	usual := int64(unknown)
	if available > 0 {
		usual = max(available/4, min(available/2, modest))
	}
	if s.Tool {
		usual = min(usual, tool)
	}
	return usual
}

// total is the sum of all parts.
func (d Division) total() int64 {
	return d.Cache + Memtables*d.Memtable + d.Requests + d.Calls + d.Statements + d.Program
}

// Shares returns the parts for metrics.
func (d Division) Shares() []metric.MemoryShare {
	return []metric.MemoryShare{{Part: "blocks", Bytes: d.Cache}, {Part: "writes", Bytes: Memtables * d.Memtable},
		{Part: "requests", Bytes: d.Requests + d.Calls}, {Part: "statements", Bytes: d.Statements},
		{Part: "program", Bytes: d.Program}}
}

// machineBytes is the memory of the machine, as Linux tells it; 0 where nothing does.
func machineBytes(read func(name string) ([]byte, error)) int64 {
	text, err := read("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "MemTotal:" {
			kib, _ := strconv.ParseInt(words[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// cgroupBytes is the memory the process's control group may use, of version 2 or 1; 0 where nothing says so.
func cgroupBytes(read func(name string) ([]byte, error)) int64 {
	groups, err := read("/proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(0)
	for _, line := range strings.Split(strings.TrimSpace(string(groups)), "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		if parts[1] == "memory" {
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		for _, folder := range []string{parts[2], "/"} { // in a container, the group's own folder is the root
			text, err := read(path.Join(root, folder, file))
			n, unread := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && unread == nil && (least == 0 || n < least) {
				least = n
			}
		}
	}
	return least
}
