package files_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// box is a space on disk and a registry with the tools.
type box struct {
	dir      string
	registry *tools.ToolRegistry
}

func newBox(tb testing.TB, content map[string]string) *box {
	tb.Helper()
	b := &box{dir: tb.TempDir(), registry: tools.NewToolRegistry()}
	for _, tool := range files.New(files.Options{}) {
		b.registry.Register(tool)
	}
	for name, text := range content {
		b.write(tb, name, text)
	}
	return b
}

func (b *box) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

func (b *box) write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(b.path(name), when, when); err != nil {
		tb.Fatal(err)
	}
}

func (b *box) call(ctx context.Context, tool string, args map[string]any) *tools.ToolResult {
	return b.registry.Execute(tools.WithInvocation(ctx, tools.Invocation{Space: b.dir, Level: tools.LevelWrite}), tool, args)
}

// decode calls a tool and reads its JSON into v.
func (b *box) decode(t *testing.T, tool string, args map[string]any, v any) {
	t.Helper()
	res := b.call(t.Context(), tool, args)
	if res.IsError {
		t.Fatalf("%s %v: %s", tool, args, res.ForLLM)
	}
	if err := json.Unmarshal([]byte(res.ForLLM), v); err != nil {
		t.Fatalf("%s %v: %v in %s", tool, args, err, res.ForLLM)
	}
}

// errorType gives the type of a failure, or the result of a success.
func errorType(res *tools.ToolResult) string {
	var e struct {
		Error bool
		Type  string
	}
	if !res.IsError || json.Unmarshal([]byte(res.ForLLM), &e) != nil || !e.Error {
		return "no error: " + res.ForLLM
	}
	return e.Type
}

type excerpt struct {
	Success        bool
	Exists         bool
	Path, Content  string
	Encoding       string
	Size           int64
	Truncated      bool
	NextOffset     int64 `json:"next_offset"`
	Entries        []entry
	Results        []match
	ResultCount    int `json:"result_count"`
	Type, Modified string
	Mode           string
}

type entry struct {
	Name, Type, Modified string
	Size                 int64
}

type match struct {
	Path, Text string
	Line       int
	Size       int64
}

func args(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func TestListDir(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"b.txt": "12345", "a/deep.txt": "x", ".hidden": ""})
	if err := os.Symlink("b.txt", b.path("link")); err != nil {
		t.Fatal(err)
	}
	const when = "2026-01-02T03:04:05Z"
	for _, p := range []map[string]any{args(), args("path", "."), args("path", "./")} {
		var got excerpt
		b.decode(t, "list_dir", p, &got)
		for i := range got.Entries {
			if got.Entries[i].Type != "file" {
				got.Entries[i].Modified = ""
			}
		}
		want := excerpt{Success: true, Path: ".", Entries: []entry{
			{Name: ".hidden", Type: "file", Modified: when},
			{Name: "a", Type: "dir"},
			{Name: "b.txt", Type: "file", Size: 5, Modified: when},
			{Name: "link", Type: "symlink"},
		}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: %s", p, diff)
		}
	}
	var sub excerpt
	b.decode(t, "list_dir", args("path", "a/"), &sub)
	if sub.Path != "a" || len(sub.Entries) != 1 {
		t.Errorf("got %+v", sub)
	}
	var empty map[string]json.RawMessage
	if err := os.Mkdir(b.path("empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.decode(t, "list_dir", args("path", "empty"), &empty)
	if string(empty["entries"]) != "[]" {
		t.Errorf("an empty folder: %s", empty["entries"])
	}
}

func TestHugeFolderIsCut(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	for i := range 600 {
		if err := os.WriteFile(b.path(fmt.Sprintf("%04d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got excerpt
	b.decode(t, "list_dir", args(), &got)
	if len(got.Entries) != 500 || !got.Truncated || got.Entries[0].Name != "0000" || got.Entries[499].Name != "0499" {
		t.Errorf("%d entries, truncated %t", len(got.Entries), got.Truncated)
	}
	b.decode(t, "search_files", args("name", "*", "max_results", 200), &got)
	if len(got.Results) != 200 || got.ResultCount != 200 || !got.Truncated {
		t.Errorf("%d results, truncated %t", len(got.Results), got.Truncated)
	}
}

func TestReadFileWhole(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"notes/todo.txt": "buy milk\n- <ä> \x1b[1m\n"})
	res := b.call(t.Context(), "read_file", args("path", "./notes//todo.txt"))
	want := `{"success":true,"path":"notes/todo.txt","content":"buy milk\n- <ä> \u001b[1m\n","size":21,"encoding":"utf-8","truncated":false}`
	if res.IsError || res.ForLLM != want {
		t.Errorf("got %s", res.ForLLM)
	}
}

func TestReadFileInParts(t *testing.T) {
	t.Parallel()
	euro := strings.Repeat("€", 10) // three bytes each
	large := strings.Repeat("0123456789\n", 10_000)
	b := newBox(t, map[string]string{"euro": euro, "large": large, "bin": "a\x00b", "latin": "caf\xe9", "empty": ""})
	tests := []struct {
		name string
		args map[string]any
		want excerpt
	}{
		{
			"cut between characters", args("path", "euro", "limit", 9),
			excerpt{Content: "€€€", Size: 30, Encoding: "utf-8", Truncated: true, NextOffset: 9},
		},
		{
			"cut in a character", args("path", "euro", "limit", 11),
			excerpt{Content: "€€€", Size: 30, Encoding: "utf-8", Truncated: true, NextOffset: 9},
		},
		{
			"go on", args("path", "euro", "offset", 9, "limit", 9),
			excerpt{Content: "€€€", Size: 30, Encoding: "utf-8", Truncated: true, NextOffset: 18},
		},
		{
			"begin in a character", args("path", "euro", "offset", 1, "limit", 8),
			excerpt{Content: "€€", Size: 30, Encoding: "utf-8", Truncated: true, NextOffset: 9},
		},
		{"the rest", args("path", "euro", "offset", 24), excerpt{Content: "€€", Size: 30, Encoding: "utf-8"}},
		{"behind the end", args("path", "euro", "offset", 1000), excerpt{Size: 30, Encoding: "utf-8"}},
		{"less than a character", args("path", "euro", "limit", 2), excerpt{
			Content: base64.StdEncoding.EncodeToString([]byte("€")[:2]), Size: 30, Encoding: "base64", Truncated: true, NextOffset: 2,
		}},
		{
			"large", args("path", "large"),
			excerpt{Content: large[:48<<10], Size: int64(len(large)), Encoding: "utf-8", Truncated: true, NextOffset: 48 << 10},
		},
		{"binary", args("path", "bin"), excerpt{Content: "YQBi", Size: 3, Encoding: "base64"}},
		{"not UTF-8", args("path", "latin"), excerpt{Content: "Y2Fm6Q==", Size: 4, Encoding: "base64"}},
		{"empty", args("path", "empty"), excerpt{Encoding: "utf-8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got excerpt
			b.decode(t, "read_file", tt.args, &got)
			tt.want.Success, tt.want.Path = true, tt.args["path"].(string)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadFilePartsMakeTheWhole goes on at next_offset until the end.
func TestReadFilePartsMakeTheWhole(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aä€😀\n")), 1, 200, -1).Draw(rt, "text")
		limit := rapid.IntRange(utf8.UTFMax, 64).Draw(rt, "limit")
		b.write(t, "file", text)
		var whole strings.Builder
		for offset := int64(0); ; {
			res := b.call(t.Context(), "read_file", args("path", "file", "limit", limit, "offset", offset))
			var part excerpt
			if err := json.Unmarshal([]byte(res.ForLLM), &part); err != nil {
				rt.Fatal(err)
			}
			if part.Encoding != "utf-8" || part.Truncated && part.NextOffset <= offset {
				rt.Fatalf("part %+v", part)
			}
			whole.WriteString(part.Content)
			if offset = part.NextOffset; !part.Truncated {
				break
			}
		}
		if whole.String() != text {
			rt.Fatalf("got %q, want %q", whole.String(), text)
		}
	})
}

func TestFileInfo(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a.txt": "12345"})
	if err := os.Symlink("/etc/passwd", b.path("link")); err != nil {
		t.Fatal(err)
	}
	var got excerpt
	b.decode(t, "file_info", args("path", "a.txt"), &got)
	want := excerpt{Success: true, Exists: true, Path: "a.txt", Type: "file", Size: 5, Modified: "2026-01-02T03:04:05Z", Mode: "-rw-------"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b.decode(t, "file_info", args("path", "link"), &got)
	if got.Type != "symlink" || got.Size != 0 {
		t.Errorf("a link: %+v", got)
	}
	b.decode(t, "file_info", args("path", "."), &got)
	if got.Type != "dir" {
		t.Errorf("the space: %+v", got)
	}
	for _, p := range []string{"none", "none/at/all", "a.txt/x"} {
		want := `{"success":true,"path":"` + p + `","exists":false}`
		if res := b.call(t.Context(), "file_info", args("path", p)); res.ForLLM != want {
			t.Errorf("%s: %s", p, res.ForLLM)
		}
	}
}

func TestSearchFiles(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{
		"MEMORY.md": "milk\nMilk and\r\nhoney", "notes/a.md": "nothing", "notes/2026/b.txt": "milk", "notes/2026/[x].txt": "",
		"bin": "milk\x00", "long": strings.Repeat("ä", 300) + "milk",
	})
	tests := []struct {
		name string
		args map[string]any
		want []match
	}{
		{"name", args("name", "*.md"), []match{{Path: "MEMORY.md", Size: 20}, {Path: "notes/a.md", Size: 7}}},
		{"name with folder", args("name", "notes/*.md"), []match{{Path: "notes/a.md", Size: 7}}},
		{"any depth", args("name", "**/*.txt"), []match{{Path: "notes/2026/[x].txt"}, {Path: "notes/2026/b.txt", Size: 4}}},
		{"inner depth", args("name", "notes/**/b.txt"), []match{{Path: "notes/2026/b.txt", Size: 4}}},
		{"everything below", args("name", "notes/2026/**"), []match{{Path: "notes/2026/[x].txt"}, {Path: "notes/2026/b.txt", Size: 4}}},
		{"one character", args("name", "?.md"), []match{{Path: "notes/a.md", Size: 7}}},
		{"class", args("name", "[a-c].*"), []match{{Path: "notes/a.md", Size: 7}, {Path: "notes/2026/b.txt", Size: 4}}},
		{"negated class", args("name", "[!a].txt"), []match{{Path: "notes/2026/b.txt", Size: 4}}},
		{"escaped", args("name", `\[x\].txt`), []match{{Path: "notes/2026/[x].txt"}}},
		{"either", args("name", "{a,b}.{md,txt}"), []match{{Path: "notes/a.md", Size: 7}, {Path: "notes/2026/b.txt", Size: 4}}},
		{"no regexp in names", args("name", "MEMORY.m.|.*"), []match{}},
		{"in a folder", args("name", "*.md", "path", "notes"), []match{{Path: "notes/a.md", Size: 7}}},
		{"content", args("content", "milk"), []match{
			{Path: "MEMORY.md", Line: 1, Text: "milk"},
			{Path: "long", Line: 1, Text: strings.Repeat("ä", 100) + "…"},
			{Path: "notes/2026/b.txt", Line: 1, Text: "milk"},
		}},
		{"content by regexp", args("content", "(?i)^MILK|y$", "regexp", true, "name", "*.md"), []match{
			{Path: "MEMORY.md", Line: 1, Text: "milk"}, {Path: "MEMORY.md", Line: 2, Text: "Milk and"}, {Path: "MEMORY.md", Line: 3, Text: "honey"},
		}},
		{"content is no regexp", args("content", "m.lk"), []match{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got excerpt
			b.decode(t, "search_files", tt.args, &got)
			want := excerpt{Success: true, Results: tt.want, ResultCount: len(tt.want)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSearchEnds covers the limits of a search: results, time, size, depth.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a": "x\nx\nx", "b": "x", "large": strings.Repeat("y", 5<<20) + "\nx"})
	var got excerpt
	b.decode(t, "search_files", args("content", "x", "max_results", 3), &got)
	if got.ResultCount != 3 || !got.Truncated {
		t.Errorf("more than wanted: %+v", got)
	}
	b.decode(t, "search_files", args("content", "x", "max_results", 4), &got)
	if got.ResultCount != 4 || !got.Truncated {
		t.Errorf("the large file was not read to its end: %+v", got)
	}
	got = excerpt{}
	b.decode(t, "search_files", args("name", "a", "content", "x", "max_results", 3), &got)
	if got.ResultCount != 3 || got.Truncated {
		t.Errorf("just as many as wanted: %+v", got)
	}
	late := tools.NewToolRegistry()
	for _, tool := range files.New(files.Options{SearchTime: time.Nanosecond}) {
		late.Register(tool)
	}
	b.registry = late
	got = excerpt{}
	b.decode(t, "search_files", args("content", "x"), &got)
	if !got.Truncated {
		t.Errorf("a search without time: %+v", got)
	}
}

func TestDefinitions(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	if diff := cmp.Diff([]string{
		"append_file", "delete_file", "edit_file", "file_info", "list_dir", "read_file", "search_files", "write_file",
	}, b.registry.List()); diff != "" {
		t.Error(diff)
	}
	for _, name := range b.registry.List() {
		tool, _ := b.registry.Get(name)
		a := tools.AnnotationsOf(tool)
		_, examined := tool.(tools.Examiner)
		mayTaint := name == "read_file" || name == "search_files" || name == "list_dir"
		looks := a.ReadOnly && a.Idempotent && !a.Destructive && !a.Ordered &&
			a.Level == tools.LevelRead && examined == mayTaint
		changes := !a.ReadOnly && !a.Idempotent && a.Destructive != a.Ordered && a.Level == tools.LevelWrite && examined
		if !looks && !changes || a.Ordered != (name == "append_file") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for _, bad := range []map[string]any{args(), args("path", 1), args("path", "a", "limit", "x"), args("path", "a", "other", 1)} {
		if got := errorType(b.call(t.Context(), "read_file", bad)); got != "invalid_arguments" {
			t.Errorf("%v: %s", bad, got)
		}
	}
}
