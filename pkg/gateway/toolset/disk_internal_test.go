package toolset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"parley/internal/test/testtools"
	"parley/pkg/config"
	"parley/pkg/tools"
)

// TestProgramsKeepToTheLimitsOfFiles lets a tool of the operator's write more than
// the files of a chat may take.
func TestProgramsKeepToTheLimitsOfFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ program, want string }{
		"too much": {`head -c 3000000 /dev/zero >big; sleep 20`, "tools.files.max_mb"},
		"too many": {`i=0; while [ $i -lt 30 ]; do : >$i; i=$((i+1)); done; sleep 20`, "tools.files.max_files"},
		"enough":   {`echo x >small; echo done`, "done"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default(t.TempDir())
			cfg.Tools.Files.MaxMB, cfg.Tools.Files.MaxFiles = 2, 20
			boxes := newSandboxes(cfg, Groups{})
			if err := boxes.safe.Available(); err != nil {
				t.Skipf("not run: %v", err)
			}
			for file, text := range map[string]string{
				"tool.yaml": "name: writer\ndescription: for a test\ncommand: run\ntimeout: 15s\n",
				"run":       "#!/bin/sh\n" + c.program + "\n",
			} {
				file = filepath.Join(Folder(cfg), "writer", file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), testtools.WriteProgram(file, text)); err != nil {
					t.Fatal(err)
				}
			}
			r := tools.NewToolRegistryWith(tools.Options{Log: zerolog.Nop()})
			registerScripts(r, cfg, boxes.safe)
			ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: filepath.Join(t.TempDir(), "space"), Level: tools.LevelExec})
			if res := r.Execute(ctx, "writer", nil); !strings.Contains(res.ForLLM, c.want) {
				t.Errorf("it ended with %s", res.ForLLM)
			}
		})
	}
}
