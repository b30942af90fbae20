package toolset

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/tools"
)

func TestProgramsAreOffUntilEnabled(t *testing.T) {
	t.Parallel()
	cfg := config.Default(t.TempDir())
	var log bytes.Buffer
	run := func() *tools.ToolResult {
		log.Reset()
		r := New(cfg, Options{LookupEnv: func(string) (string, bool) { return "", false }, Log: zerolog.New(&log)}).Registry
		ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: t.TempDir(), Level: tools.LevelExec})
		if r.Enabled("run_code") != cfg.Tools.Code.Enabled {
			t.Errorf("run_code is enabled: %v", r.Enabled("run_code"))
		}
		return r.Execute(ctx, "run_command", map[string]any{"argv": []any{"ls"}})
	}
	if res := run(); !strings.Contains(res.ForLLM, `"type":"disabled"`) || log.Len() == 0 {
		t.Errorf("without a word: %s", res.ForLLM)
	}
	cfg.Tools.Shell.Enabled, cfg.Tools.Shell.Allow = true, []string{"ls", "no-such-program"}
	boxed := newSandboxes(cfg, Groups{}).safe.Available() == nil
	res := run()
	if boxed == strings.Contains(res.ForLLM, `"type":"disabled"`) || !strings.Contains(log.String(), "no-such-program") {
		t.Errorf("enabled, with a sandbox %v: %s\n%s", boxed, res.ForLLM, &log)
	}
	if !boxed && !strings.Contains(log.String(), "the tool is off") {
		t.Errorf("nobody is told why: %s", &log)
	}
	cfg.Tools.Shell.Unsafe = true
	if res := run(); !strings.Contains(res.ForLLM, `"exit_code":0`) || !strings.Contains(log.String(), "UNSAFE") {
		t.Errorf("without a sandbox: %s\n%s", res.ForLLM, &log)
	}
}
