// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What a process has used is read from /proc, where there is one; elsewhere the columns are 0.

// ticksPerSecond is the unit of /proc's CPU times. It is 100 on every Linux that Go runs on.
const ticksPerSecond = 100

// CPU returns the seconds of CPU that the process has used.
func CPU(pid int) float64 {
	fields := statFields(pid)
	if len(fields) < 15 {
		return 0
	}
	return ticks(fields[11]) + ticks(fields[12])
}

// TreeCPU returns the seconds of CPU of the process, its children and their children, living and dead.
func TreeCPU(pid int) float64 {
	fields := statFields(pid)
	if len(fields) < 15 {
		return 0
	}
	total := ticks(fields[11]) + ticks(fields[12]) + ticks(fields[13]) + ticks(fields[14])
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		for _, child := range strings.Fields(string(text)) {
			if id, err := strconv.Atoi(child); err == nil {
				total += TreeCPU(id)
			}
		}
	}
	return total
}

// statFields returns the fields of /proc/pid/stat behind the name: the state is the first.
func statFields(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

func ticks(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n / ticksPerSecond
}

// MachineBusy returns the seconds of CPU that were used by anything on the machine, all cores together.
func MachineBusy() float64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	busy := 0.0
	for i, field := range strings.Fields(line) {
		if i >= 1 && i <= 8 && i != 4 && i != 5 { // 4 and 5 are idle and waiting for disks
			busy += ticks(field)
		}
	}
	return busy
}

// Memory returns a field of /proc/pid/status, such as VmRSS (now) or VmHWM (peak).
func Memory(pid int, field string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

// Written returns how many bytes the process has sent to the disk, those of its files that still wait in the system's
// cache included; 0 where that is not known.
func Written(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "write_bytes:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n
		}
	}
	return 0
}

// ForgetPeak restarts VmHWM from its present value.
func ForgetPeak(pid int) {
	// without it the peak covers the whole run
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// Settle waits until the process is idle, for it may have work left from before: at most two seconds.
func Settle(pid int) {
	before := CPU(pid)
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		now := CPU(pid)
		if now-before <= 0.01 {
			return
		}
		before = now
	}
}

// Stop ends a process that this program started: politely, then not.
func Stop(command *exec.Cmd) error {
	_ = command.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil // some end with the signal
		}
		return err
	case <-time.After(15 * time.Second):
		_ = command.Process.Kill()
		return fmt.Errorf("%s did not end within 15 s of SIGTERM and was killed", filepath.Base(command.Path))
	}
}

// FreeAddress returns an address on this machine that nobody listens on.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
