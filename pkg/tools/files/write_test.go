package files_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// with gives the box tools with other settings.
func (b *box) with(o files.Options) *box {
	own := &box{dir: b.dir, registry: tools.NewToolRegistry()}
	for _, tool := range files.New(o) {
		own.registry.Register(tool)
	}
	return own
}

// examine asks a tool for the effects of a call.
func (b *box) examine(tb testing.TB, level tools.Level, tool string, a map[string]any) (tools.Examination, error) {
	tb.Helper()
	found, ok := b.registry.Get(tool)
	examiner, examines := found.(tools.Examiner)
	if !ok || !examines {
		tb.Fatalf("%s is no examiner", tool)
	}
	return examiner.Examine(tools.WithInvocation(tb.Context(), tools.Invocation{Space: b.dir, Level: level}), a)
}

func (b *box) content(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// names are all names below the box.
func (b *box) names(tb testing.TB) []string {
	tb.Helper()
	var out []string
	err := filepath.WalkDir(b.dir, func(p string, _ os.DirEntry, err error) error {
		rel, _ := filepath.Rel(b.dir, p)
		out = append(out, rel)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestWriting(t *testing.T) {
	t.Parallel()
	binary := base64.StdEncoding.EncodeToString([]byte("a\x00\xff"))
	tests := []struct {
		name, tool  string
		args        map[string]any
		result      string
		destructive bool
		asks        string
		file, holds string
	}{
		{
			"a new file", "write_file", args("path", "./new//a.txt", "content", "one\ntwo\n"),
			`{"success":true,"path":"new/a.txt","bytes_written":8,"size":8}`, false,
			"Write \"new/a.txt\" (new, 8 bytes)\n+ one\n+ two\n+", "new/a.txt", "one\ntwo\n",
		},
		{
			"over another", "write_file", args("path", "notes/a.txt", "content", "x"),
			`{"success":true,"path":"notes/a.txt","bytes_written":1,"size":1}`, true,
			"Overwrite \"notes/a.txt\" (15 bytes now, 1 then)\n- milk\n- bread\n- milk\n+ x", "notes/a.txt", "x",
		},
		{
			"the same again", "write_file", args("path", "notes/a.txt", "content", "milk\nbread\nmilk"),
			`{"success":true,"path":"notes/a.txt","bytes_written":15,"size":15}`, false,
			"Overwrite \"notes/a.txt\" (15 bytes now, 15 then)\n= milk\n= bread\n= milk", "notes/a.txt", "milk\nbread\nmilk",
		},
		{
			"other lines around one", "write_file", args("path", "notes/a.txt", "content", "bread\nhoney"),
			`{"success":true,"path":"notes/a.txt","bytes_written":11,"size":11}`, true,
			"Overwrite \"notes/a.txt\" (15 bytes now, 11 then)\n- milk\n= bread\n- milk\n+ honey", "notes/a.txt", "bread\nhoney",
		},
		{
			"a line of another", "write_file", args("path", "notes/a.txt", "content", "milk\nhoney\nbread\n"),
			`{"success":true,"path":"notes/a.txt","bytes_written":17,"size":17}`, true,
			"Overwrite \"notes/a.txt\" (15 bytes now, 17 then)\n= milk\n+ honey\n= bread\n- milk\n+", "notes/a.txt", "milk\nhoney\nbread\n",
		},
		{
			"nothing", "write_file", args("path", "empty", "content", ""),
			`{"success":true,"path":"empty","bytes_written":0,"size":0}`, false, "Write \"empty\" (new, 0 bytes)\n+", "empty", "",
		},
		{
			"binary", "write_file", args("path", "b", "content", binary, "encoding", "base64"),
			`{"success":true,"path":"b","bytes_written":3,"size":3}`, false,
			"Write (content shown as base64) \"b\" (new, 3 bytes)\n+ " + binary, "b", "a\x00\xff",
		},
		{
			"an archive is a file", "write_file", args("path", "a.zip/../b.zip", "content", "x"), "security_violation", false, "", "", "",
		},
		{
			"a name that needs quotes", "write_file", args("path", `a" (new)`, "content", "+ x"),
			`{"success":true,"path":"a\" (new)","bytes_written":3,"size":3}`, false,
			"Write \"a\\\" (new)\" (new, 3 bytes)\n+ + x", `a" (new)`, "+ x",
		},
		{
			"a passage", "edit_file", args("path", "notes/a.txt", "old_text", "k\nbread", "new_text", "k\nhoney\n"),
			`{"success":true,"path":"notes/a.txt","bytes_written":16,"size":16}`, true,
			"Change \"notes/a.txt\" (15 bytes now, 16 then)\n@ line 1\n- k\n- bread\n+ k\n+ honey\n+", "notes/a.txt", "milk\nhoney\n\nmilk",
		},
		{
			"a passage goes", "edit_file", args("path", "notes/a.txt", "old_text", "bread\n", "new_text", ""),
			`{"success":true,"path":"notes/a.txt","bytes_written":9,"size":9}`, true,
			"Change \"notes/a.txt\" (15 bytes now, 9 then)\n@ line 2\n- bread\n-\n+", "notes/a.txt", "milk\nmilk",
		},
		{
			"to the end", "append_file", args("path", "notes/a.txt", "content", "\neggs"),
			`{"success":true,"path":"notes/a.txt","bytes_written":5,"size":20}`, false,
			"Append to \"notes/a.txt\" (15 bytes now, 20 then)\n+\n+ eggs", "notes/a.txt", "milk\nbread\nmilk\neggs",
		},
		{
			"to nothing", "append_file", args("path", "log", "content", "x"),
			`{"success":true,"path":"log","bytes_written":1,"size":1}`, false, "Append to \"log\" (new, 1 bytes)\n+ x", "log", "x",
		},
		{
			"a file goes", "delete_file", args("path", "notes/a.txt"),
			`{"success":true,"path":"notes/a.txt","type":"file"}`, true, "Delete \"notes/a.txt\" (15 bytes)", "", "",
		},
		{
			"a folder goes", "delete_file", args("path", "dir/"),
			`{"success":true,"path":"dir","type":"dir"}`, true, "Delete the empty folder \"dir\"", "", "",
		},
		{
			"the chat's memory", "append_file", args("path", "MEMORY.md", "content", "- likes tea\n"),
			`{"success":true,"path":"MEMORY.md","bytes_written":12,"size":21}`, false,
			"Append to \"MEMORY.md\" (9 bytes now, 21 then)\n+ - likes tea\n+", "MEMORY.md", "# Memory\n- likes tea\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, map[string]string{"notes/a.txt": "milk\nbread\nmilk", "MEMORY.md": "# Memory\n"})
			if err := os.Mkdir(b.path("dir"), 0o700); err != nil {
				t.Fatal(err)
			}
			before := b.names(t)
			got, err := b.examine(t, tools.LevelWrite, tt.tool, tt.args)
			if diff := cmp.Diff(before, b.names(t)); diff != "" {
				t.Errorf("the examination changed something: %s", diff)
			}
			res := b.call(t.Context(), tt.tool, tt.args)
			if tt.asks == "" {
				if err == nil || errorType(res) != tt.result {
					t.Errorf("%v, %s", err, res.ForLLM)
				}
				return
			}
			if err != nil || got.Destructive != tt.destructive || got.Always || got.Text != tt.asks {
				t.Errorf("examined: %v, destructive %t\n%s", err, got.Destructive, cmp.Diff(tt.asks, got.Text))
			}
			if res.ForLLM != tt.result {
				t.Errorf("got %s, want %s", res.ForLLM, tt.result)
			}
			if tt.file == "" {
				if _, err := os.Lstat(b.path(tt.args["path"].(string))); err == nil {
					t.Error("it is still there")
				}
			} else if got := b.content(t, tt.file); got != tt.holds {
				t.Errorf("the file holds %q", got)
			}
			for _, name := range b.names(t) {
				if strings.HasSuffix(name, ".tmp") {
					t.Errorf("%s was left behind", name)
				}
			}
		})
	}
}

// TestStateTellsWhatIsThere holds an approval to the file that it was given for.
func TestStateTellsWhatIsThere(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"dir/x": ""})
	state := func(p string) string {
		t.Helper()
		e, err := b.examine(t, tools.LevelWrite, "write_file", args("path", p, "content", "new"))
		if err != nil {
			t.Fatal(err)
		}
		return e.State
	}
	seen := map[string]bool{}
	for _, text := range []string{"one", "two", "", strings.Repeat("x", 2<<20)} {
		if got := state("a"); !seen[got] && len(seen) > 0 {
			t.Errorf("the state %s is not that of the file written before", got)
		}
		b.write(t, "a", text)
		if got := state("a"); seen[got] || !strings.HasPrefix(got, "sha256:") || got != state("./a") {
			t.Errorf("the state of %.10q is %s", text, got)
		}
		seen[state("a")] = true
	}
	if got := state("b"); got != "absent" || state("deep/er/b") != got {
		t.Errorf("nothing there: %s", got)
	}
	// Too large to be read: its size and time tell.
	if err := os.Truncate(b.path("a"), 1<<40); err != nil {
		t.Fatal(err)
	}
	large := state("a")
	if err := os.Truncate(b.path("a"), 1<<41); err != nil {
		t.Fatal(err)
	}
	if got := state("a"); got == large || !strings.HasPrefix(got, "size:") {
		t.Errorf("a large file: %s, then %s", large, got)
	}
	e, err := b.examine(t, tools.LevelWrite, "write_file", args("path", "a", "content", ""))
	if err != nil || !e.Destructive {
		t.Errorf("a large file is overwritten: %+v, %v", e, err)
	}
}

func TestWritingRefuses(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a.txt": "aaa b b", "d/x": "", "large": strings.Repeat("x", 100)}).
		with(files.Options{Limits: files.Limits{MaxFile: 90}})
	for name, tc := range map[string]struct {
		tool string
		args map[string]any
		want string
		says string
	}{
		"no path":            {"write_file", args("content", "x"), "invalid_arguments", "path"},
		"no content":         {"write_file", args("path", "x"), "invalid_arguments", "content"},
		"the space":          {"write_file", args("path", ".", "content", "x"), "invalid_arguments", "whole folder"},
		"the space, deleted": {"delete_file", args("path", "./"), "invalid_arguments", "whole folder"},
		"a folder":           {"write_file", args("path", "d", "content", "x"), "invalid_arguments", "folder"},
		"a folder, edited":   {"edit_file", args("path", "d", "old_text", "x", "new_text", "y"), "invalid_arguments", "folder"},
		"a folder, longer":   {"append_file", args("path", "d", "content", "x"), "invalid_arguments", "folder"},
		"below a file":       {"write_file", args("path", "a.txt/x", "content", "x"), "invalid_arguments", "no folder"},
		"far below a file":   {"write_file", args("path", "a.txt/x/y/z", "content", "x"), "invalid_arguments", "no folder"},
		"bad base64":         {"write_file", args("path", "x", "content", "?", "encoding", "base64"), "invalid_arguments", "base64"},
		"unknown encoding":   {"write_file", args("path", "x", "content", "?", "encoding", "latin1"), "invalid_arguments", "utf-8"},
		"too large": {
			"write_file", args("path", "x", "content", strings.Repeat("x", 91)),
			"invalid_arguments", "91 bytes, and at most 90",
		},
		"grows too large": {
			"append_file", args("path", "a.txt", "content", strings.Repeat("x", 84)),
			"invalid_arguments", "91 bytes, and at most 90",
		},
		"is too large": {"edit_file", args("path", "large", "old_text", "xx", "new_text", "y"), "invalid_arguments", "at most 90"},
		"edited too large": {
			"edit_file", args("path", "a.txt", "old_text", "aaa", "new_text", strings.Repeat("x", 87)),
			"invalid_arguments", "91 bytes, and at most 90",
		},
		"nothing to add":      {"append_file", args("path", "a.txt", "content", ""), "invalid_arguments", "nothing to add"},
		"no such passage":     {"edit_file", args("path", "a.txt", "old_text", "A", "new_text", "y"), "invalid_arguments", "not in the file"},
		"two places":          {"edit_file", args("path", "a.txt", "old_text", "b", "new_text", "y"), "invalid_arguments", "more than once"},
		"places that overlap": {"edit_file", args("path", "a.txt", "old_text", "aa", "new_text", "y"), "invalid_arguments", "more than once"},
		"an empty passage":    {"edit_file", args("path", "a.txt", "old_text", "", "new_text", "y"), "invalid_arguments", "empty"},
		"no change":           {"edit_file", args("path", "a.txt", "old_text", "aaa", "new_text", "aaa"), "invalid_arguments", "the same"},
		"nothing to edit":     {"edit_file", args("path", "x", "old_text", "a", "new_text", "b"), "not_found", "no such file"},
		"nothing to delete":   {"delete_file", args("path", "x/y"), "not_found", "no such file"},
		"a full folder":       {"delete_file", args("path", "d"), "invalid_arguments", "not empty"},
		"too deep": {
			"write_file", args("path", strings.Repeat("d/", 32)+"x", "content", "x"), "invalid_arguments", "at most 32 names",
		},
		"a long name": {"write_file", args("path", strings.Repeat("n", 256), "content", "x"), "invalid_arguments", "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := b.names(t)
			res := b.call(t.Context(), tc.tool, tc.args)
			if errorType(res) != tc.want || !strings.Contains(res.ForLLM, tc.says) || strings.Contains(res.ForLLM, b.dir) {
				t.Errorf("%s", res.ForLLM)
			}
			if _, err := b.examine(t, tools.LevelWrite, tc.tool, tc.args); err == nil && tc.says != "path" && tc.says != "content" {
				t.Error("the examination finds nothing wrong")
			}
			if diff := cmp.Diff(before, b.names(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWrittenIsRead writes a binary file and reads it back.
func TestWrittenIsRead(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	content := base64.StdEncoding.EncodeToString([]byte("PK\x03\x04\x00\xff"))
	b.decode(t, "write_file", args("path", "a.zip", "content", content, "encoding", "base64"), &excerpt{})
	var got excerpt
	b.decode(t, "read_file", args("path", "a.zip"), &got)
	if got.Encoding != "base64" || got.Content != content || got.Size != 6 {
		t.Errorf("got %+v", got)
	}
	raw, err := json.Marshal(b.names(t))
	if string(raw) != `[".","a.zip"]` || err != nil {
		t.Errorf("there are %s", raw)
	}
}

func TestAnExaminationNamesItsAction(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a.txt": "milk"})
	if err := os.Mkdir(b.path("dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool, want string
		args       map[string]any
	}{
		{"write_file", "create b.txt", args("path", "b.txt", "content", "x")},
		{"write_file", "overwrite a.txt", args("path", "./a.txt", "content", "x")},
		{"append_file", "append to a.txt", args("path", "a.txt", "content", "x")},
		{"edit_file", "change a.txt", args("path", "a.txt", "old_text", "milk", "new_text", "tea")},
		{"delete_file", "delete a.txt", args("path", "a.txt")},
		{"delete_file", "delete the empty folder dir", args("path", "dir")},
	} {
		got, err := b.examine(t, tools.LevelWrite, tt.tool, tt.args)
		if err != nil || got.Action+" "+got.Object != tt.want {
			t.Errorf("%s: %q %q, %v, want %s", tt.tool, got.Action, got.Object, err, tt.want)
		}
	}
}

// TestNotesKeepWords: a call that writes a file which every prompt has stores words for later turns.
func TestNotesKeepWords(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"MEMORY.md": "x", "d/MEMORY.md": "x"})
	root := t.TempDir()
	b = b.with(files.Options{
		Told:  []string{"USER.md", "MEMORY.md"},
		Roots: func(tools.Invocation) []files.Root { return []files.Root{{Name: "docs", Dir: root, Writable: true}} },
	})
	for path, keeps := range map[string]bool{
		"MEMORY.md": true, "./MEMORY.md": true, "USER.md": true, b.path("MEMORY.md"): true,
		"d/MEMORY.md": false, "notes.md": false, "@docs/MEMORY.md": false,
	} {
		ex, err := b.examine(t, tools.LevelWrite, "append_file", args("path", path, "content", "y"))
		if err != nil || ex.Keeps != keeps {
			t.Errorf("%s: keeps words %v, %v", path, ex.Keeps, err)
		}
	}
}
