package e2e_test

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/faketelegram"
	"parley/internal/test/testtools"
)

// TestExampleComposedTool: a sequence of the configuration is asked about once,
// before its first step, with all of them shown.
func TestExampleComposedTool(t *testing.T) {
	t.Parallel()
	eachMode(t, exampleComposedTool)
}

func exampleComposedTool(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	step := func(tool string, arguments map[string]any) map[string]any {
		return map[string]any{"tool": tool, "arguments": arguments}
	}
	w := newOwned(t, tg, chat, s, map[string]any{"web": searches(t), "composed": map[string]any{
		"research": map[string]any{
			"description": "Searches the web and saves what was found.",
			"parameters":  map[string]any{"what": "what to search for", "path": "the file to save it in"},
			"steps": []any{
				step("web_search", map[string]any{"query": "{{what}}", "max_results": 2}),
				step("write_file", map[string]any{"path": "{{path}}", "content": "# {{what}}\n{{1}}\n"}),
			},
		},
	}}, map[string]act{
		"research": calls("research", `{"what": "FastAPI tutorials", "path": "fastapi.md"}`),
	})
	chat.Say("research")
	q := w.questions(chat, 1)[0]
	for _, want := range []string{
		"research", "step 1: web_search", `"query": "FastAPI tutorials"`,
		"step 2: write_file", "fastapi.md", "# FastAPI tutorials", "(the result of step 1)",
	} {
		if !strings.Contains(q.Text, want) {
			t.Errorf("asked %q, without %q", q.Text, want)
		}
	}
	if got := w.holds("fastapi.md"); got != "" {
		t.Errorf("it was written before it was allowed: %q", got)
	}
	chat.Press(q.ID, "Allow once")
	w.says(chat, "after the decision:", `"tool":"web_search"`, `"tool":"write_file"`)
	if got := w.holds("fastapi.md"); !strings.HasPrefix(got, "# FastAPI tutorials\n{") ||
		!strings.Contains(got, "https://python.example/basics") {
		t.Errorf("saved %q", got)
	}
}

// TestExampleToolOfTheOperator: a folder in the workspace is a tool from the next start
// on, and its progress is seen while it works.
func TestExampleToolOfTheOperator(t *testing.T) {
	t.Parallel()
	eachMode(t, exampleToolOfTheOperator)
}

func exampleToolOfTheOperator(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newOwned(t, tg, chat, s, nil, map[string]act{"pages": calls("pages", `{"who": "Ada"}`)})
	if out, err := w.gw.Command(w.ctx, nil, "tool", "new", "pages").CombinedOutput(); err != nil {
		t.Fatalf("tool new: %v\n%s", err, out)
	}
	program := `#!/bin/sh
echo "progress: 1 of 2 pages" >&2
while [ ! -e go ]; do sleep 0.05; done
echo "progress: 2 of 2 pages" >&2
printf '{"for_llm": "2 pages for %s", "for_user": "Translated 2 pages."}' "$PARLEY_ARG_who"
`
	if err := testtools.WriteProgram(filepath.Join(w.gw.Dir, "workspace", "tools", "pages", "run"), program); err != nil {
		t.Fatal(err)
	}
	w.process.Signal(syscall.SIGTERM)
	if exit, err := w.process.Wait(w.ctx); err != nil || exit.Code != 0 {
		t.Fatalf("ended with %+v, %v", exit, err)
	}
	w.start()
	chat.Say("hello again")
	w.says(chat, "heard: hello again")
	w.needsSandbox("pages")

	chat.Say("pages")
	w.await("its progress", func() bool {
		var seen []string
		for _, d := range chat.Drafts() {
			seen = append(seen, d.Text)
		}
		list := chat.Messages()
		for i := range list {
			seen = append(seen, list[i].Versions...)
		}
		return slices.ContainsFunc(seen, func(text string) bool { return strings.Contains(text, "1 of 2 pages") })
	})
	w.keeps("go", "")
	w.says(chat, "Translated 2 pages.")
	w.says(chat, "result:", "2 pages for Ada")
	if slices.ContainsFunc(chat.Texts(), func(text string) bool { return strings.Contains(text, "of 2 pages") }) {
		t.Errorf("the progress stays: %q", chat.Texts())
	}
}
