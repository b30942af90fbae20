package files_test

import (
	"strings"
	"testing"

	"parley/pkg/tools/files"
)

// TestControlFilesAreNotWritten tries every spelling of the files that steer an
// agent.
func TestControlFilesAreNotWritten(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	for _, name := range []string{"AGENT.md", "HEARTBEAT.md", "tools/x/tool.yaml", "skills/a.md", "state/db", "policy/rules", "parley.yaml"} {
		b.write(t, name, "x")
	}
	b.link(t, "tools", "mine")
	for _, p := range []string{
		"AGENT.md", "./AGENT.md", ".//AGENT.md", "agent.md", "Agent.MD", "AGENT.md/x", "HEARTBEAT.md", "heartbeat.md",
		"tools", "tools/", "tools/x/tool.yaml", "tools/x", "tools/new/tool.yaml",
		"Tools/x", "TOOLS/x/run", "mine/x/tool.yaml", "mine/new", "mine/x/y/z",
		"skills", "skills/a.md", "skills/b.md", "SKILLS/x", "state", "state/db",
		"state/new", "policy", "policy/rules", "parley.yaml", "parley.yml", "PARLEY.YAML",
	} {
		b.refused(t, p, "security_violation")
	}
	if res := b.call(t.Context(), "read_file", args("path", "AGENT.md")); res.IsError {
		t.Errorf("what steers the agent is no secret: %s", res.ForLLM)
	}
	for _, p := range []string{"notes/AGENT.md", "my-tools/x", "toolsmith.txt"} {
		if res := b.call(t.Context(), "write_file", args("path", p, "content", "x")); res.IsError {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
}

// TestRefusedPathsAreNotReached tries the files that hold secrets, for every tool.
func TestRefusedPathsAreNotReached(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	for _, name := range []string{
		".ssh/config", ".env", "app/.env.local", ".git/config", ".git/hooks/pre-commit",
		"id_rsa", "deep/id_ed25519", "credentials.json", "private/diary",
	} {
		b.write(t, name, "x"+canary)
	}
	for name, target := range map[string]string{
		"keys":      ".ssh",
		"repo":      ".git",
		"diary":     "private/diary",
		"plain.txt": ".env",
		"hooks":     ".git/hooks",
	} {
		b.link(t, target, name)
	}
	b = b.with(files.Options{Refuse: []string{"private/**", "/top.txt", "*.bak"}})
	for _, p := range []string{
		".ssh/config", ".SSH/config", "./.ssh/config", ".ssh", ".ssh/new", ".env", ".ENV",
		"app/.env.local", "app/.env", ".git/config", ".git", ".git/hooks/pre-commit",
		".git/hooks/new", "sub/.git/x", "id_rsa", "ID_RSA", "id_rsa.pub", "deep/id_ed25519",
		"credentials.json", "x.pem", "x.KEY", "private/diary", "PRIVATE/diary",
		"keys/config", "keys/new", "repo/config", "repo/hooks/pre-commit", "hooks/pre-commit",
		"hooks/new/x", "diary", "plain.txt", "top.txt", "a/b.bak", "a.bak/x",
	} {
		b.refused(t, p, "security_violation")
		if got := errorType(b.call(t.Context(), "read_file", args("path", p))); got != "security_violation" && got != "not_found" {
			t.Errorf("read_file %s: %s", p, got)
		}
		for _, tool := range []string{"list_dir", "file_info", "search_files"} {
			b.unseen(t, tool, args("path", p, "content", "CANARY"))
			b.unseen(t, tool, args("path", p))
		}
	}
	b.unseen(t, "search_files", args("content", "CANARY"))
	for _, p := range []string{"repo/config", "repo/none", "private/none", ".ssh/none"} {
		if got := errorType(b.call(t.Context(), "file_info", args("path", p))); got != "security_violation" {
			t.Errorf("file_info %s: %s", p, got)
		}
	}
	for p, reason := range map[string]string{
		"private/diary": "tools.files.refuse",
		"diary":         "tools.files.refuse",
		".env":          "keys, passwords",
		"keys/config":   "keys, passwords",
	} {
		if res := b.call(t.Context(), "read_file", args("path", p)); !strings.Contains(res.ForLLM, reason) {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
	for _, p := range []string{"sub/top.txt", "environment", "git/x", "gitignore", ".gitignore", "keys.txt"} {
		if res := b.call(t.Context(), "write_file", args("path", p, "content", "x")); res.IsError {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
}

func TestAllowedFilesAlone(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a.json": "x", "d/b.json": "x", "d/c.txt": canary, "notes/e.txt": "x", "a.jsonx": canary})
	b.link(t, "d/c.txt", "link.json")
	b = b.with(files.Options{Allow: []string{"**/*.json", "notes/**", ".env"}})
	for _, p := range []string{"a.json", "d/b.json", "notes/e.txt"} {
		if res := b.call(t.Context(), "read_file", args("path", p)); res.IsError {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
		if res := b.call(t.Context(), "edit_file", args("path", p, "old_text", "x", "new_text", "y")); res.IsError {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
	for _, p := range []string{"d/c.txt", "a.jsonx", "link.json", ".env", "json", "other/notes/x"} {
		b.refused(t, p, "security_violation")
	}
	res := b.call(t.Context(), "read_file", args("path", "d/c.txt"))
	if !strings.Contains(res.ForLLM, `"allowed":["**/*.json","notes/**",".env"]`) {
		t.Errorf("the refusal does not say what is allowed: %s", res.ForLLM)
	}
	b.unseen(t, "search_files", args("content", "CANARY"))
	for _, p := range []string{"d/none.txt", "none/none.txt"} {
		if got := errorType(b.call(t.Context(), "file_info", args("path", p))); got != "security_violation" {
			t.Errorf("file_info %s: %s", p, got)
		}
	}
	var got excerpt
	b.decode(t, "list_dir", args("path", "d"), &got)
	if len(got.Entries) != 1 || got.Entries[0].Name != "b.json" {
		t.Errorf("listed %+v", got.Entries)
	}
	for _, bad := range [][]string{{"["}, {""}, {"/"}, {"{a"}, {strings.Repeat("x", 201)}} {
		broken := b.with(files.Options{Allow: bad})
		if res := broken.call(t.Context(), "read_file", args("path", "a.json")); !res.IsError || files.CheckPattern(bad[0]) == nil {
			t.Errorf("the pattern %.10q allows %s", bad[0], res.ForLLM)
		}
	}
}
