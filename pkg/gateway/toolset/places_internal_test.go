package toolset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/testtools"
	"parley/pkg/config"
	"parley/pkg/tools"
)

// TestPlacesOfProgramsAreShared lets the programs of one chat take all places that
// they get, and runs one for another chat beside them.
func TestPlacesOfProgramsAreShared(t *testing.T) {
	t.Parallel()
	cfg := config.Default(t.TempDir())
	for name, text := range map[string]string{
		"hold/tool.yaml": "name: hold\ndescription: for a test\ncommand: run\ntimeout: 1m\n",
		"hold/run":       "#!/bin/sh\necho 1 >$$\nuntil [ -e go ]; do sleep 0.1; done\n",
		// It has less time than the others hold their places.
		"quick/tool.yaml": "name: quick\ndescription: for a test\ncommand: run\ntimeout: 5s\n",
		"quick/run":       "#!/bin/sh\necho was quick\n",
	} {
		name = filepath.Join(Folder(cfg), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), testtools.WriteProgram(name, text)); err != nil {
			t.Fatal(err)
		}
	}
	r := tools.NewToolRegistryWith(tools.Options{Log: zerolog.Nop()})
	registerScripts(r, cfg, newSandboxes(cfg, Groups{}).unsafe)
	spaces := t.TempDir()
	call := func(chat, tool string) *tools.ToolResult {
		return r.Execute(tools.WithInvocation(t.Context(), tools.Invocation{
			Channel: "telegram", Account: "1", Chat: chat, Space: filepath.Join(spaces, chat), Level: tools.LevelExec,
		}), tool, nil)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if res := call("greedy", "hold"); res.IsError {
				t.Errorf("a call that waited for its place failed: %s", res.ForLLM)
			}
		})
	}
	begun := func() int {
		entries, _ := os.ReadDir(filepath.Join(spaces, "greedy"))
		n := 0
		for _, e := range entries {
			if strings.Trim(e.Name(), "0123456789") == "" {
				n++
			}
		}
		return n
	}
	const share = 4
	for start := time.Now(); begun() < share; <-time.After(10 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("%d programs of the first chat run", begun())
		}
	}
	if res := call("patient", "quick"); res.IsError || !strings.Contains(res.ForLLM, "was quick") {
		t.Errorf("another chat's program: %s", res.ForLLM)
	}
	if n := begun(); n != share {
		t.Errorf("%d programs of the first chat ran, want %d", n, share)
	}
	if err := os.WriteFile(filepath.Join(spaces, "greedy", "go"), nil, 0o600); err != nil {
		t.Error(err)
	}
	wg.Wait()
}
