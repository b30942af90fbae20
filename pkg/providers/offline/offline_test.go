package offline_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/providers/offline"
)

// offered are definitions with the names of the built-in tools.
func offered(names ...string) []providers.ToolDefinition {
	var out []providers.ToolDefinition
	for _, n := range names {
		out = append(out, providers.ToolDefinition{Type: "function", Function: providers.FunctionDefinition{
			Name: n, Parameters: map[string]any{"type": "object"},
		}})
	}
	return out
}

func allTools() []providers.ToolDefinition {
	return offered("calculator", "current_time", "list_dir", "read_file",
		"search_files", "file_info", "message", "send_file", "write_file", "delete_file")
}

func user(text string) providers.Message {
	return providers.Message{Role: providers.RoleUser, Content: text}
}

func result(id, name, text string) providers.Message {
	return providers.Message{Role: providers.RoleTool, ToolCallID: id, Name: name, Content: text}
}

func ask(t *testing.T, messages []providers.Message, tools []providers.ToolDefinition, options map[string]any) *providers.LLMResponse {
	t.Helper()
	resp, err := offline.New(offline.Options{}).Chat(t.Context(), messages, tools, "", options)
	if err != nil {
		t.Fatal(err)
	}
	if (len(resp.ToolCalls) > 0) != (resp.FinishReason == providers.FinishToolCalls) || len(resp.ToolCalls) == 0 && resp.Content == "" {
		t.Fatalf("answer %+v", resp)
	}
	return resp
}

// callsOf gives the calls as NAME {arguments}.
func callsOf(resp *providers.LLMResponse) string {
	var out []string
	for _, c := range resp.ToolCalls {
		out = append(out, c.Name+" "+c.RawArguments)
	}
	return strings.Join(out, "; ")
}

func TestUnderstands(t *testing.T) {
	t.Parallel()
	model := offline.New(offline.Options{})
	calculator := func(e string) string {
		b, _ := json.Marshal(e)
		return fmt.Sprintf(`calculator {"expression":%s}`, b)
	}
	clock := func(zone string) string { return fmt.Sprintf(`current_time {"timezone":%q}`, zone) }
	path := func(tool, p string) string { return fmt.Sprintf(`%s {"path":%q}`, tool, p) }
	name := func(p string) string { return fmt.Sprintf(`search_files {"name":%q}`, p) }
	content := func(p string) string { return fmt.Sprintf(`search_files {"content":%q}`, p) }
	tests := []struct{ text, want string }{
		{"what is 17*23?", calculator("17*23")},
		{"What's 17 * 23", calculator("17 * 23")},
		{"2+2", calculator("2+2")},
		{"2+2=", calculator("2+2")},
		{"2 + 2 = ?", calculator("2 + 2")},
		{"calculate sqrt(144) + pi * 2", calculator("sqrt(144) + pi * 2")},
		{"Calculate: 3 * (4 + 5).", calculator("3 * (4 + 5)")},
		{"please compute 2^200", calculator("2^200")},
		{"how much is 12.5% of 80", calculator("12.5% of 80")},
		{"how much is 12.5 percent of 80?", calculator("12.5 % of 80")},
		{"can you tell me what is 5! ?", calculator("5!")},
		{"what is 7 times 6", calculator("7 * 6")},
		{"what is 7 x 6", calculator("7*6")},
		{"what is 1,234,567 plus 1", calculator("1234567 + 1")},
		{"what is two plus two?", calculator("2 + 2")},
		{"what is the square root of 16?", calculator("sqrt(16)")},
		{"what is 5 squared?", calculator("5^2")},
		{"what is 2 to the power of 10", calculator("2 ^ 10")},
		{"what is the sum of 3 and 4?", calculator("(3) + (4)")},
		{"what is half of 90", calculator("1/2 of 90")},
		{"what is 100 divided by 8", calculator("100 / 8")},
		{"what is 10 mod 3", calculator("mod(10, 3)")},
		{"what's sin(pi/2)?", calculator("sin(pi/2)")},
		{"max(3, 4)", calculator("max(3, 4)")},
		{"1e3 + 1", calculator("1e3 + 1")},
		{"what is 1/0", calculator("1/0")},
		{"hey parley, what is 6*7, please?", calculator("6*7")},
		{"[Ada] what is 6*7?", calculator("6*7")},
		{"@parley what is 6*7?", calculator("6*7")},
		{"Ada Lovelace: what is 6*7?", calculator("6*7")},
		{"Ada: > 2+2\n\nwhat is 6*7?", calculator("6*7")},
		{"> the files\n> are here\n\nlist files", path("list_dir", ".")},
		{"Ada: /tool list_dir {}", "list_dir {}"},

		{"what time is it?", "current_time {}"},
		{"what's the time", "current_time {}"},
		{"time", "current_time {}"},
		{"what day is it today?", "current_time {}"},
		{"what is today's date?", "current_time {}"},
		{"what is the date today", "current_time {}"},
		{"tell me the current time", "current_time {}"},
		{"do you know what time it is?", "current_time {}"},
		{"what time is it right now", "current_time {}"},
		{"what time is it in Tokyo", clock("Asia/Tokyo")},
		{"what time is it in tokyo right now?", clock("Asia/Tokyo")},
		{"What time is it in New York?", clock("America/New_York")},
		{"what's the time in San Francisco, please?", clock("America/Los_Angeles")},
		{"time in Europe/Berlin", clock("Europe/Berlin")},
		{"current time in Germany", clock("Europe/Berlin")},
		{"what is the date in Auckland?", clock("Pacific/Auckland")},
		{"what time is it in Buenos Aires?", clock("America/Buenos_Aires")},
		{"what time is it in port of spain?", clock("America/Port_of_Spain")},
		{"what is the current time UTC", clock("UTC")},

		{"list the files in the workspace", path("list_dir", ".")},
		{"List files", path("list_dir", ".")},
		{"ls", path("list_dir", ".")},
		{"ls notes", path("list_dir", "notes")},
		{"what files are there?", path("list_dir", ".")},
		{"which files do I have", path("list_dir", ".")},
		{"show me all files", path("list_dir", ".")},
		{"show me the files in notes", path("list_dir", "notes")},
		{"list the files in the notes folder", path("list_dir", "notes")},
		{"list the contents of notes/2026", path("list_dir", "notes/2026")},
		{"what's in the workspace?", path("list_dir", ".")},
		{"what is in notes/", path("list_dir", "notes")},
		{"list notes", path("list_dir", "notes")},

		{"show MEMORY.md", path("read_file", "MEMORY.md")},
		{"read notes/todo.txt", path("read_file", "notes/todo.txt")},
		{"please read the file notes/todo.txt.", path("read_file", "notes/todo.txt")},
		{"open README", path("read_file", "README")},
		{"cat a", path("read_file", "a")},
		{"show me the contents of MEMORY.md", path("read_file", "MEMORY.md")},
		{"what is in MEMORY.md?", path("read_file", "MEMORY.md")},
		{"what does notes/todo.txt say?", path("read_file", "notes/todo.txt")},
		{`read "my shopping list"`, path("read_file", "my shopping list")},
		{"read my list.txt", path("read_file", "my list.txt")},
		{"show time.md", path("read_file", "time.md")},
		{"read ../../etc/passwd", path("read_file", "../../etc/passwd")},
		{"what do you remember?", path("read_file", "MEMORY.md")},
		{"how big is MEMORY.md?", path("file_info", "MEMORY.md")},
		{"when was notes/todo.txt last changed?", path("file_info", "notes/todo.txt")},

		{"send me notes/todo.txt", path("send_file", "notes/todo.txt")},
		{"please send the file report.pdf", path("send_file", "report.pdf")},
		{`send me the picture "my cat"`, path("send_file", "my cat")},
		{"give me report.txt", path("read_file", "report.txt")},

		{"find files named *.md", name("*.md")},
		{"find all files called todo.txt", name("todo.txt")},
		{"which files are named todo?", name("*todo*")},
		{"find *.go", name("*.go")},
		{"where is todo.txt?", name("todo.txt")},
		{"list all markdown files", name("*.md")},
		{"which files end in .txt", name("*.txt")},
		{"list *.md", name("*.md")},
		{"which files mention milk?", content("milk")},
		{`find files containing "hello world"`, content("hello world")},
		{"search the files for milk", content("milk")},
		{"search for milk in the workspace", content("milk")},
		{"grep TODO", content("TODO")},

		{`/tool calculator {"expression":"2^200"}`, `calculator {"expression":"2^200"}`},
		{"/tool list_dir", "list_dir {}"},
		{"/tool calculator {broken", "calculator {broken"},
		{"/tool@parley_bot list_dir {}", "list_dir {}"},

		{"what is 1+1 and what time is it?", calculator("1+1") + "; current_time {}"},
		{"what is 1+1\nlist the files", calculator("1+1") + "; " + path("list_dir", ".")},
		{"what is 1+1 and list the files", calculator("1+1") + "; " + path("list_dir", ".")},
		{"show a.txt and b.txt", path("read_file", "a.txt") + "; " + path("read_file", "b.txt")},
		{"find files containing salt and pepper", content("salt and pepper")},
		{"what is 1 + max(1, 2+2)", calculator("1 + max(1, 2+2)")},
		{"Hello! What is 2*3? And what time is it in Paris?", calculator("2*3") + "; " + clock("Europe/Paris")},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			resp, err := model.Chat(t.Context(), []providers.Message{user(tt.text)}, allTools(), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, callsOf(resp)); diff != "" {
				t.Errorf("%s\nanswer: %s", diff, resp.Content)
			}
		})
	}
}

func TestBadJSONGoesOutAsWritten(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"{broken", `{"a":1,"a":2}`, "[1]", `{"a":1} x`, strings.Repeat("[", 20_000)} {
		resp := ask(t, []providers.Message{user("/tool calculator " + raw)}, allTools(), nil)
		if len(resp.ToolCalls) != 1 || resp.ToolCalls[0].RawArguments != raw || resp.ToolCalls[0].BadArguments == "" {
			t.Errorf("%.40s: %+v", raw, resp)
		}
	}
}

// TestAnswersEveryMessage covers a turn of several messages, with one that
// arrives while the tools run.
func TestAnswersEveryMessage(t *testing.T) {
	t.Parallel()
	messages := []providers.Message{
		{Role: providers.RoleSystem, Content: "You are Parley."},
		user("what is 1+1?"),
		{Role: providers.RoleAssistant, Content: "1+1 = 2"},
		user("what is 2+2?"), user("thanks"), user("what is 2+2?"), user("list files"),
	}
	first := ask(t, messages, allTools(), nil)
	if got := callsOf(first); got != `calculator {"expression":"2+2"}; calculator {"expression":"2+2"}; list_dir {"path":"."}` {
		t.Fatal(got)
	}
	messages = append(messages, first.Message())
	for i, tc := range first.ToolCalls {
		messages = append(messages, result(tc.ID, tc.Name, fmt.Sprintf("R%d", i)))
	}
	messages = append(messages, user("what is 3+3?"), user("bye"))
	second := ask(t, messages, allTools(), nil)
	if got := callsOf(second); got != `calculator {"expression":"3+3"}` {
		t.Fatal(got)
	}
	messages = append(messages, second.Message(), result(second.ToolCalls[0].ID, "calculator", "R3"))
	final := ask(t, messages, nil, map[string]any{"tool_choice": "none"})
	want := "calculator: R0\n\nYou're welcome.\n\ncalculator: R1\n\nlist_dir: R2\n\ncalculator: R3\n\nGoodbye!"
	if diff := cmp.Diff(want, final.Content); diff != "" {
		t.Error(diff)
	}
	ids := map[string]bool{}
	for _, m := range messages {
		for _, tc := range m.ToolCalls {
			if ids[tc.ID] || len(tc.ID) > 40 {
				t.Errorf("id %q is taken or too long", tc.ID)
			}
			ids[tc.ID] = true
		}
	}
}

// TestGoesOnForAnotherModel takes over in a turn that another model began.
func TestGoesOnForAnotherModel(t *testing.T) {
	t.Parallel()
	resp := ask(t, []providers.Message{
		user("what is 2+2?"),
		{
			Role:      providers.RoleAssistant,
			Content:   "Let me see.",
			ToolCalls: []providers.ToolCall{{ID: "abc", Name: "calculator", Arguments: map[string]any{}}},
		},
		result("abc", "calculator", `{"expression":"2+2","result":4}`),
	}, allTools(), nil)
	if !strings.HasPrefix(resp.Content, "2+2 = 4\n\n") {
		t.Errorf("got %q", resp.Content)
	}
}
