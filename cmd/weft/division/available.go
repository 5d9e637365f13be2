// SPDX-License-Identifier: Apache-2.0

package division

import (
	"path"
	"strconv"
	"strings"
)

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
