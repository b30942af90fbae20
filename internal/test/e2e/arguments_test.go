package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/internal/test/testtools"
)

// idsManifest is a tool of the operator's that tells the arguments that it got.
const idsManifest = `description: Tells the arguments that it got.
parameters:
  type: object
  properties:
    id: {type: integer}
    ratio: {type: number}
    text: {type: string}
    ids: {type: array, items: {type: integer, minimum: 1}}
`

// owns makes a tool of the operator's, with cat as its program.
func (w *telegramWorld) owns(name, manifest string) {
	w.t.Helper()
	dir := filepath.Join(w.gw.Dir, "workspace", "tools", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	for file, text := range map[string]string{"tool.yaml": "name: " + name + "\n" + manifest, "run": "#!/bin/sh\nexec cat\n"} {
		if err := testtools.WriteProgram(filepath.Join(dir, file), text); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestWhatRunsIsWhatWasShown: a person is shown the arguments that a program gets,
// each number with all of its digits, also where the model encoded them twice.
func TestWhatRunsIsWhatWasShown(t *testing.T) {
	t.Parallel()
	eachMode(t, whatRunsIsWhatWasShown)
}

func whatRunsIsWhatWasShown(t *testing.T, s settings) {
	t.Helper()
	cases := []struct{ name, args, shown, got string }{
		{"an id", `{"id": 9007199254740993}`, `"id": 9007199254740993`, `{"id":9007199254740993}`},
		{"a long id", `{"id": 12345678901234567890}`, `"id": 12345678901234567890`, `{"id":12345678901234567890}`},
		{"a list", `{"ids": [1, 9007199254740993]}`, `9007199254740993`, `{"ids":[1,9007199254740993]}`},
		{"a long decimal", `{"ratio": 0.12345678901234567891}`, `"ratio": 0.12345678901234567891`, `{"ratio":0.12345678901234567891}`},
		{"encoded twice", `"{\"id\": 9007199254740993}"`, `"id": 9007199254740993`, `{"id":9007199254740993}`},
		{"escaped letters", `{"text": "\u0072m"}`, `"text": "rm"`, `{"text":"rm"}`},
		{"half a letter", `{"text": "x\ud800y"}`, "", `half of a surrogate pair`},
		{"out of range", `{"ids": [1, -9007199254740993]}`, "", `"path":"/ids/1"`},
	}
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	acts := map[string]act{}
	for _, c := range cases {
		acts[c.name] = calls("ids", c.args)
	}
	w := newTelegramWith(t, tg, acting(acts), rig.Config{Telegram: &rig.Telegram{Owner: chat.ID()}, ToolMode: s.mode})
	chat.Say("hello")
	w.says(chat, heardMark)
	w.owns("ids", idsManifest+"destructive: true\n")
	w.owns("looks", idsManifest+"read_only: true\n")
	w.process.Signal(syscall.SIGTERM)
	if exit, err := w.process.Wait(w.ctx); err != nil || exit.Code != 0 {
		t.Fatalf("ended with %+v, %v", exit, err)
	}
	w.start()
	w.needsSandbox("ids")

	for _, c := range cases {
		before := len(chat.Texts())
		chat.Say(c.name)
		if c.shown == "" {
			w.await("the refusal of "+c.name, func() bool { return len(chat.Texts()) > before })
			if got := chat.Texts()[before]; !strings.Contains(got, `"invalid_arguments"`) || !strings.Contains(got, c.got) {
				t.Errorf("%s: told %q", c.name, got)
			}
			continue
		}
		q := w.questions(chat, 1)[0]
		if !strings.Contains(q.Text, c.shown) {
			t.Errorf("%s: shown %q, without %q", c.name, q.Text, c.shown)
		}
		chat.Press(q.ID, "Allow once")
		want := "after the decision: " + c.got
		w.await("the result of "+c.name, func() bool {
			return slices.ContainsFunc(chat.Texts()[before:], func(s string) bool { return strings.HasPrefix(s, "after the decision") })
		})
		if !slices.Contains(chat.Texts()[before:], want) {
			t.Errorf("%s: told %q, want %q", c.name, chat.Texts()[before:], want)
		}
	}
	out, err := w.gw.Command(w.ctx, nil, "tool", "call", "looks", cases[1].args).CombinedOutput()
	if want := cases[1].got + "\n"; err != nil || string(out) != want {
		t.Errorf("called directly, it got %q, %v, want %q", out, err, want)
	}
}
