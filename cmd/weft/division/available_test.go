// SPDX-License-Identifier: Apache-2.0

package division

import (
	"errors"
	"testing"
)

// TestCgroupBytes finds what a control group allows, in both versions, in a container and outside.
func TestCgroupBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"none", nil, 0},
		{"version 2", map[string]string{"/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/b/memory.max": "536870912\n"}, 512 << 20},
		{"version 2, no bound", map[string]string{"/proc/self/cgroup": "0::/a\n",
			"/sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		{"version 2 in a container", map[string]string{"/proc/self/cgroup": "0::/x\n",
			"/sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20},
		{"version 1", map[string]string{"/proc/self/cgroup": "5:cpu:/c\n4:memory:/m\n",
			"/sys/fs/cgroup/memory/m/memory.limit_in_bytes": "1048576",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712"}, 1 << 20},
	} {
		got := cgroupBytes(func(name string) ([]byte, error) {
			if text, ok := c.files[name]; ok {
				return []byte(text), nil
			}
			return nil, errors.New("no such file")
		})
		if got != c.want {
			t.Errorf("%s: %d, not %d", c.name, got, c.want)
		}
	}
}

// TestMachineBytes finds the line in which Linux says how much memory there is.
func TestMachineBytes(t *testing.T) {
	for text, want := range map[string]int64{"MemFree: 1 kB\nMemTotal:       2048 kB\n": 2 << 20, "MemTotal:\n": 0, "": 0} {
		got := machineBytes(func(string) ([]byte, error) { return []byte(text), nil })
		if got != want {
			t.Errorf("%q: %d, not %d", text, got, want)
		}
	}
	if got := machineBytes(func(string) ([]byte, error) { return nil, errors.New("no such file") }); got != 0 {
		t.Errorf("without the file: %d", got)
	}
}
