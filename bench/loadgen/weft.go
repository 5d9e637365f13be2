// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ProfileVariable is the variable of the environment that says where a weft binary writes profiles. It takes them only
// when it is built for that, with the file below laid over the tree: SIGUSR1 starts a profile, SIGUSR2 ends it.
const ProfileVariable = "BENCH_PROFILE"

const profileSource = `package main

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

func init() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		var file *os.File
		for s := range signals {
			if s == syscall.SIGUSR1 && file == nil {
				file, _ = os.Create(os.Getenv("` + ProfileVariable + `"))
				_ = pprof.StartCPUProfile(file)
			} else if s == syscall.SIGUSR2 && file != nil {
				pprof.StopCPUProfile()
				_ = file.Close()
				file = nil
			}
		}
	}()
}
`

// BuildWeft builds the weft binary into a folder from the tree that the working directory is in. If it is to be
// profiled, it has a file more than the tree: see ProfileVariable.
func BuildWeft(dir string, profiled bool) (binary string, err error) {
	binary = filepath.Join(dir, "weft-binary")
	args := []string{"build", "-o", binary} // with the flags of the tests, whose build cache it shares
	if profiled {
		overlay, err := profileOverlay(dir)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	build := exec.Command("go", append(args, "github.com/weftdb/weft/cmd/weft")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building weft: %w: %s", err, said)
	}
	return binary, nil
}

// profileOverlay writes the file and go build's description of where it seems to be.
func profileOverlay(dir string) (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/weftdb/weft").Output()
	if err != nil {
		return "", fmt.Errorf("finding the module's folder: %w", err)
	}
	source, overlay := filepath.Join(dir, "profile.go.txt"), filepath.Join(dir, "overlay.json")
	description := fmt.Sprintf(`{"Replace":{%q:%q}}`,
		filepath.Join(strings.TrimSpace(string(root)), "cmd/weft/zz_profile.go"), source)
	if err := os.WriteFile(source, []byte(profileSource), 0o644); err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, []byte(description), 0o644)
}
