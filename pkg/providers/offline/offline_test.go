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
	return offered("calculator", "current_time", "list_dir", "read_file", "search_files", "file_info", "message", "send_file", "write_file", "delete_file")
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

func TestSaysWithoutATool(t *testing.T) {
	t.Parallel()
	const intro, unknown = "OPENAI_API_KEY", "did not understand"
	tests := []struct{ text, want string }{
		{"hello", intro},
		{"Hi there!", intro},
		{"help", "/tool NAME JSON"},
		{"/help", "/tool NAME JSON"},
		{"what can you do?", "list the files"},
		{"who are you?", "offline model"},
		{"are you an AI?", "not an AI"},
		{"how do I connect a real model?", "parley.yaml"},
		{"thanks!", "welcome"},
		{"bye", "Goodbye"},
		{"write me a poem about the sea", unknown},
		{"what is love?", unknown},
		{"what is the best time to buy a house?", unknown},
		{"5", unknown},
		{"/tools", unknown},
		{"what time is it in Atlantis?", "Atlantis"},
		{"what time is it in ../../etc/passwd?", "do not know the time zone"},
		{"/tool", "NAME JSON"},
		{"", "empty"},
		{strings.Repeat("1+", 50_000) + "1", unknown},
		{strings.Repeat("a and ", 600), unknown},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.40s", tt.text), func(t *testing.T) {
			t.Parallel()
			resp := ask(t, []providers.Message{user(tt.text)}, allTools(), nil)
			if len(resp.ToolCalls) > 0 || !strings.Contains(resp.Content, tt.want) {
				t.Errorf("got %s %q, want %q", callsOf(resp), resp.Content, tt.want)
			}
			if n := strings.Count(resp.Content, "I am Parley's offline model"); n != 1 && tt.want != unknown {
				t.Errorf("the first answer says %d times what the model is: %q", n, resp.Content)
			}
		})
	}
	later := ask(t, []providers.Message{user("hello"), {Role: providers.RoleAssistant, Content: "Hello!"}, user("thanks")}, nil, nil)
	if later.Content != "You're welcome." {
		t.Errorf("a later answer: %q", later.Content)
	}
}

func TestTellsResults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, ask, result, want string }{
		{"number", "what is 17*23?", `{"expression":"17*23","result":391}`, "17*23 = 391"},
		{"long number", "2^64", `{"expression":"2^64","result":18446744073709551616}`, "2^64 = 18446744073709551616"},
		{"rounded", "1/3", `{"expression":"1/3","result":0.33333333333333333333,"rounded":true}`, "1/3 ≈ 0.33333333333333333333"},
		{
			"time", "time", `{"time":"2026-11-21T14:03:00+09:00","timezone":"Asia/Tokyo","weekday":"Saturday","unix":1,"utc_offset":"+09:00"}`,
			"It is 14:03:00 on Saturday, 21 November 2026 (Asia/Tokyo, UTC+09:00).",
		},
		{
			"listing", "ls", `{"path":".","entries":[{"name":"MEMORY.md","type":"file","size":12},{"name":"notes","type":"dir"},{"name":"l","type":"symlink"}],"truncated":true}`,
			"In the workspace:\n- MEMORY.md (12 bytes)\n- notes/\n- l (symlink)\nThere are more.",
		},
		{"empty folder", "ls notes", `{"path":"notes","entries":[]}`, "There are no files in notes."},
		{
			"file", "show MEMORY.md", `{"success":true,"path":"MEMORY.md","content":"buy\nmilk","size":8,"encoding":"utf-8","truncated":false}`,
			"MEMORY.md:\nbuy\nmilk",
		},
		{
			"JSON file", "show a.json", `{"success":true,"path":"a.json","content":"{\"error\":true,\"type\":\"x\"}","size":25,"encoding":"utf-8","truncated":false}`,
			`a.json:` + "\n" + `{"error":true,"type":"x"}`,
		},
		{
			"cut file", "show a.txt", `{"success":true,"path":"a.txt","content":"abc","size":99999,"encoding":"utf-8","truncated":true}`,
			"a.txt (the beginning; 99999 bytes in all):\nabc",
		},
		{
			"binary file", "read a.bin", `{"success":true,"path":"a.bin","content":"AAA=","size":2,"encoding":"base64","truncated":false}`,
			"a.bin is not a text: it is a binary file of 2 bytes.",
		},
		{"empty file", "read a.txt", `{"success":true,"path":"a.txt","content":"","size":0,"encoding":"utf-8","truncated":false}`, "a.txt is empty."},
		{"found", "grep milk", `{"results":[{"path":"a.txt","line":3,"text":"milk"}],"result_count":1,"truncated":false}`, "I found:\n- a.txt, line 3: milk"},
		{"found files", "find *.md", `{"results":[{"path":"a.md","size":1}],"result_count":1,"truncated":false}`, "I found:\n- a.md (1 byte)"},
		{"found nothing", "find *.md", `{"results":[],"result_count":0,"truncated":false}`, "I found nothing."},
		{"no such file", "how big is a.md", `{"success":true,"path":"a.md","exists":false}`, "There is no a.md."},
		{"info", "how big is a.md", `{"path":"a.md","type":"file","size":7,"modified":"2026-01-01T00:00:00Z"}`, "a.md is a file of 7 bytes, changed at 2026-01-01T00:00:00Z."},
		{
			"failure", "read a.txt", `{"error":true,"type":"not_found","message":"a.txt: there is no such file or folder","details":{}}`,
			"read_file failed (not_found): a.txt: there is no such file or folder",
		},
		{"written", `/tool write_file {"path":"a.txt"}`, `{"success":true,"path":"a.txt","bytes_written":1,"size":1}`, "a.txt is written (1 byte)."},
		{"deleted", `/tool delete_file {"path":"a.txt"}`, `{"success":true,"path":"a.txt","type":"file"}`, "a.txt is deleted."},
		{"other shape", "what is 1+1", "interrupted: it is unknown whether it took effect", "calculator: interrupted: it is unknown whether it took effect"},
		{"other tool", `/tool message {"text":"hi"}`, "The message is on its way.", "message: The message is on its way."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := []providers.Message{user("hello"), {Role: providers.RoleAssistant, Content: "Hello!"}, user(tt.ask)}
			first := ask(t, before, allTools(), nil)
			if len(first.ToolCalls) != 1 {
				t.Fatalf("calls: %s, text %q", callsOf(first), first.Content)
			}
			tc := first.ToolCalls[0]
			final := ask(t, append(before, first.Message(), result(tc.ID, tc.Name, tt.result)), allTools(), nil)
			if diff := cmp.Diff(tt.want, final.Content); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLongResultIsCut keeps an answer readable whatever a tool gives.
func TestLongResultIsCut(t *testing.T) {
	t.Parallel()
	messages := []providers.Message{user("read a.txt")}
	first := ask(t, messages, allTools(), nil)
	final := ask(t, append(messages, first.Message(), result(first.ToolCalls[0].ID, "read_file",
		`{"success":true,"path":"a.txt","content":"`+strings.Repeat("ä", 20_000)+`","size":40000,"encoding":"utf-8","truncated":false}`)), allTools(), nil)
	if len(final.Content) > 7000 || !strings.Contains(final.Content, "cut here") || strings.ContainsRune(final.Content, '\uFFFD') {
		t.Errorf("%d bytes: …%s", len(final.Content), final.Content[max(0, len(final.Content)-100):])
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
		{Role: providers.RoleAssistant, Content: "Let me see.", ToolCalls: []providers.ToolCall{{ID: "abc", Name: "calculator", Arguments: map[string]any{}}}},
		result("abc", "calculator", `{"expression":"2+2","result":4}`),
	}, allTools(), nil)
	if !strings.HasPrefix(resp.Content, "2+2 = 4\n\n") {
		t.Errorf("got %q", resp.Content)
	}
}

func TestRelaysWhatTheSystemSays(t *testing.T) {
	t.Parallel()
	said := []providers.Message{user("hello"), {Role: providers.RoleAssistant, Content: "Hello!"}}
	tests := []struct {
		message providers.Message
		want    string
	}{
		{user("[background task 7 finished] The report is ready: 12 pages."), "The report is ready: 12 pages."},
		{user("Background task 7 finished: all is well."), "Background task 7 finished: all is well."},
		{user("[reminder]\nlist the files"), "list the files"},
		{
			user("[background task] spawn ended (done). The person has not been told yet. Answer NO_REPLY if there is nothing to add.\nResult:\n12 pages\nof text"),
			"The background task spawn ended (done):\n12 pages\nof text",
		},
		{user("[background task] spawn ended (done). The person has already been shown this text: 12\npages Answer NO_REPLY if there is nothing to add.\nResult:\n12 pages"), "NO_REPLY"},
		{
			user("[background task] The background agent “3*4+5” (abcdefgh) has ended (done). It was asked: 3*4+5\nThe person has not seen its report. Tell them what came of it; answer NO_REPLY only if they want nothing told.\nReport:\n3*4+5 = 17"),
			"The background task “3*4+5” (abcdefgh) is done:\n3*4+5 = 17",
		},
		{user("[schedule] Schedule abcdefgh was due at 09:00. Nobody wrote this now. Do it now; do not plan it again.\nWhat is to be done:\nthanks"), "You're welcome."},
		{user("[approval ABC] Ada decided on the call c1 of write_file({}). The outcome: it was not run\nGo on without it."), "I had to go on without what I asked for: it was not run"},
		{providers.Message{Role: providers.RoleSystem, Content: "Task 3 was interrupted."}, "Task 3 was interrupted."},
	}
	for _, tt := range tests {
		resp := ask(t, append(said, tt.message), allTools(), nil)
		if resp.Content != tt.want {
			t.Errorf("got %s %q, want %q", callsOf(resp), resp.Content, tt.want)
		}
	}
}
