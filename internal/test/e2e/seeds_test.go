package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/pkg/providers"
)

// The conversations of these tests are examples that other tool systems explain
// themselves with. They run as they are meant there, under Parley's rules.

func TestExampleReadsAFile(t *testing.T) {
	t.Parallel()
	eachMode(t, exampleReadsAFile)
}

func exampleReadsAFile(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newOwned(t, tg, chat, s, nil, map[string]act{
		"What's in my README.md file?": calls("read_file", `{"path": "README.md"}`),
	})
	w.keeps("README.md", "# My Project\n\nThis is a sample project.\n")
	chat.Say("What's in my README.md file?")
	w.says(chat, "result:", `"success":true`, "My Project", `"size":40`, `"encoding":"utf-8"`)
}

// TestExampleReadOnly: where files are only read, no tool that writes them is offered
// to the model, and a call of one has no effect. That a file is missing is an answer.
func TestExampleReadOnly(t *testing.T) {
	t.Parallel()
	eachMode(t, exampleReadOnly)
}

func exampleReadOnly(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newOwned(t, tg, chat, s, map[string]any{"files": map[string]any{"mode": "ro"}}, map[string]act{
		"Check if package.json exists": calls("file_info", `{"path": "package.json"}`),
		"Write it":                     calls("write_file", `{"path": "package.json", "content": "{}"}`),
	})
	chat.Say("Check if package.json exists")
	w.says(chat, "result:", `{"success":true,"path":"package.json","exists":false}`)
	chat.Say("Write it")
	w.says(chat, "result:", `"error":true`, `"type":"disabled"`)
	if got := w.holds("package.json"); got != "" {
		t.Errorf("the file holds %q", got)
	}
	var offered []string
	for _, tool := range w.model.Requests()[0].Tools {
		offered = append(offered, tool.Function.Name)
	}
	for _, name := range []string{"write_file", "edit_file", "append_file", "delete_file"} {
		if slices.Contains(offered, name) {
			t.Errorf("%s is offered", name)
		}
	}
	if !slices.Contains(offered, "read_file") {
		t.Errorf("offered are %q", offered)
	}
}

// TestExampleListsFilesByACommand: the list lets ls run, a person lets this call
// run; rm is on the list and asked about as well, dd is not on it.
func TestExampleListsFilesByACommand(t *testing.T) {
	t.Parallel()
	eachMode(t, exampleListsFilesByACommand)
}

func exampleListsFilesByACommand(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newOwned(t, tg, chat, s, map[string]any{"shell": map[string]any{"enabled": true, "allow": []string{"ls", "rm"}}}, map[string]act{
		"List all Python files": calls("run_command", `{"argv": ["ls", "-l", "*.py"]}`),
		"Remove them":           calls("run_command", `{"argv": ["rm", "one.py", "two.py"]}`),
		"Copy them":             calls("run_command", `{"argv": ["dd", "if=one.py", "of=three.py"]}`),
	})
	w.needsSandbox("run_command")
	w.keeps("one.py", "1")
	w.keeps("two.py", "2")
	w.keeps("notes.md", "")
	chat.Say("List all Python files")
	q := w.questions(chat, 1)[0]
	if !strings.Contains(q.Text, "run: /usr/bin/ls -l one.py two.py") {
		t.Errorf("asked %q", q.Text)
	}
	for _, row := range q.Buttons {
		for _, b := range row {
			if b.Text == "Allow here" {
				t.Error("a command can be allowed for a day")
			}
		}
	}
	chat.Press(q.ID, "Allow once")
	w.says(chat, "after the decision:", `"exit_code":0`, "one.py", "two.py", `"duration_ms":`)
	w.audited("run_command", "ok")

	chat.Say("Remove them")
	chat.Press(w.questions(chat, 1)[0].ID, "Deny")
	w.says(chat, "Denied by Ada")
	chat.Say("Copy them")
	w.says(chat, `"type":"permission_denied"`, `dd is not allowed here`)
	if w.holds("one.py") != "1" {
		t.Error("one.py was removed")
	}
}

// TestExampleSearchesAndSaves: words of others have entered the turn, so that writing a
// new file asks, which it does not otherwise.
func TestExampleSearchesAndSaves(t *testing.T) {
	t.Parallel()
	eachMode(t, exampleSearchesAndSaves)
}

func exampleSearchesAndSaves(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newOwned(t, tg, chat, s, map[string]any{"web": searches(t)}, map[string]act{
		"Search for Python tutorials and save the results to tutorials.txt": func(got []string) fakemodel.Answer {
			switch {
			case len(got) == 0:
				return fakemodel.Call("web_search", `{"query": "Python tutorials"}`)
			case strings.HasPrefix(got[0], `{"success":true,`) && strings.Contains(got[0], `"result_count":2`) && strings.Contains(got[0], "https://python.example/learn"):
				return fakemodel.Call("write_file", `{"path": "tutorials.txt", "content": "1. Learn Python\n2. Python Basics\n"}`)
			default:
				return fakemodel.Say("found: " + got[0])
			}
		},
		"Save a note": calls("write_file", `{"path": "note.txt", "content": "mine"}`),
	})
	chat.Say("Save a note")
	w.says(chat, "result:", `"bytes_written":4`)
	chat.Say("Search for Python tutorials and save the results to tutorials.txt")
	q := w.questions(chat, 1)[0]
	if !strings.Contains(q.Text, "after content from outside was read") || !strings.Contains(q.Text, "1. Learn Python") {
		t.Errorf("asked %q", q.Text)
	}
	if got := w.holds("tutorials.txt"); got != "" {
		t.Errorf("it was written before it was allowed: %q", got)
	}
	chat.Press(q.ID, "Allow once")
	w.says(chat, "after the decision:", `"success":true`, `"bytes_written":33`)
	if got := w.holds("tutorials.txt"); got != "1. Learn Python\n2. Python Basics\n" {
		t.Errorf("saved %q", got)
	}
}

// TestExampleRunsTwoCommands: of one answer. Where a person is asked, each has its
// own question; where the operator waived it, they run side by side.
func TestExampleRunsTwoCommands(t *testing.T) {
	t.Parallel()
	eachMode(t, exampleRunsTwoCommands)
}

func exampleRunsTwoCommands(t *testing.T, s settings) {
	t.Helper()
	two := func(one, other string) act {
		return func(got []string) fakemodel.Answer {
			if len(got) == 2 {
				return fakemodel.Say("results: " + strings.Join(got, "\n"))
			}
			return fakemodel.Calls(
				providers.ToolCall{Name: "run_command", RawArguments: one},
				providers.ToolCall{Name: "run_command", RawArguments: other},
			)
		}
	}
	const ask = "What's the current directory and what files are in it?"
	shell := map[string]any{"enabled": true, "allow": []string{"ls", "pwd", "cat"}}
	t.Run("asked", func(t *testing.T) {
		t.Parallel()
		tg := faketelegram.New(t)
		chat := tg.Private(tg.User("Ada"))
		w := newOwned(t, tg, chat, s, map[string]any{"shell": shell},
			map[string]act{ask: two(`{"argv": ["pwd"]}`, `{"argv": ["ls", "-la"]}`)})
		w.needsSandbox("run_command")
		w.keeps("Cargo.toml", "")
		chat.Say(ask)
		open := w.questions(chat, 2)
		for i := range open {
			chat.Press(open[i].ID, "Allow once")
		}
		w.says(chat, "after the decision:", `"stdout":"total`, "Cargo.toml")
		w.says(chat, "after the decision:", w.home()+`\n`)
	})
	t.Run("waived", func(t *testing.T) {
		t.Parallel()
		tg := faketelegram.New(t)
		chat := tg.Private(tg.User("Ada"))
		w := newOwned(t, tg, chat, s,
			map[string]any{"shell": shell, "rules": map[string]any{"run_command": map[string]any{"approval": "never"}}},
			map[string]act{
				ask:         two(`{"argv": ["pwd"]}`, `{"argv": ["ls", "-la"]}`),
				"read them": two(`{"argv": ["cat", "one"]}`, `{"argv": ["cat", "two"]}`),
			})
		w.needsSandbox("run_command")
		w.keeps("Cargo.toml", "")
		chat.Say(ask)
		w.says(chat, "results:", w.home(), "Cargo.toml")
		for _, name := range []string{"one", "two"} {
			if err := syscall.Mkfifo(filepath.Join(w.home(), name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		before := len(chat.Texts())
		chat.Say("read them")
		one, two := w.read("one"), w.read("two") // both are read before either can end
		for _, f := range []*os.File{one, two} {
			if _, err := f.WriteString("from " + filepath.Base(f.Name())); err != nil {
				t.Error(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		w.await("an answer", func() bool { return len(chat.Texts()) > before })
		if got := chat.Texts()[before]; !strings.Contains(got, "from one") || !strings.Contains(got, "from two") {
			t.Errorf("told %q", got)
		}
	})
}

// read waits until somebody reads a pipe among the owner's files, and gives its other end.
func (w *telegramWorld) read(name string) (f *os.File) {
	w.t.Helper()
	w.until("a reader of "+name, func() bool {
		var err error
		f, err = os.OpenFile(filepath.Join(w.home(), name), os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil
	})
	return f
}
