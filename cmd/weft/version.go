// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/resource/metric"
)

// version is this source tree's version. A release is a commit that changes it.
const version = "0.1.0-dev"

func (p *program) versionCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit it was built from, and the platform",
		Args:  commandline.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return output.WriteJSON(p.stdout, buildShown())
			}
			_, err := fmt.Fprintf(p.stdout, "weft version %s\n", buildShown().Text())
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// builtFrom describes the source of the binary.
type builtFrom struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// buildShown describes this binary.
func buildShown() builtFrom {
	b := build()
	return builtFrom{b.Version, b.Revision, b.GoVersion, runtime.GOOS + "/" + runtime.GOARCH}
}

// Text describes it for people, on one line.
func (b builtFrom) Text() string {
	return fmt.Sprintf("%s (commit %s, %s, %s)", b.Version, b.Commit, b.Go, b.Platform)
}

// build asks the binary what it was built from.
func build() metric.Build {
	b := metric.Build{Version: version, Revision: "unknown", GoVersion: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			b.Revision = setting.Value[:min(12, len(setting.Value))]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			b.Version += "+modified"
		}
	}
	return b
}
