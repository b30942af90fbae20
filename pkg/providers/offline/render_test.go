package offline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
)

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
			want := 1
			if tt.text == "/tool" { // a command to the gateway, which may have another model
				want = 0
			}
			if n := strings.Count(resp.Content, "I am Parley's offline model"); n != want && tt.want != unknown {
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
		{
			"other shape", "what is 1+1", "interrupted: it is unknown whether it took effect",
			"calculator: interrupted: it is unknown whether it took effect",
		},
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
			user(
				"[background task] spawn ended (done). The person has not been told yet. Answer NO_REPLY if there is nothing to add.\n" +
					"Result:\n12 pages\nof text",
			),
			"Task spawn ended (done):\n12 pages\nof text",
		},
		{
			user(
				"[background task] spawn ended (done). The person has already been shown this text: 12\n" +
					"pages Answer NO_REPLY if there is nothing to add.\nResult:\n12 pages",
			),
			"NO_REPLY",
		},
		{
			user(
				"[background task] The background agent “3*4+5” (abcdefgh) has ended (done). It was asked: 3*4+5\n" +
					"The person has not seen its report. Tell them what came of it; answer NO_REPLY only if they want nothing told.\n" +
					"Report:\n3*4+5 = 17",
			),
			"Task “3*4+5” (abcdefgh) is done:\n3*4+5 = 17",
		},
		{
			user(
				"[schedule] Schedule abcdefgh was due at 09:00. No person wrote this now. Do it now; do not plan it again." +
					"\nWhat is to be done:\nthanks",
			),
			"You're welcome.",
		},
		{
			user("[approval ABC] Ada decided on the call c1 of write_file({}). The outcome: it was not run\nGo on without it."),
			"I continued without the call: it was not run",
		},
		{providers.Message{Role: providers.RoleSystem, Content: "Task 3 was interrupted."}, "Task 3 was interrupted."},
	}
	for _, tt := range tests {
		resp := ask(t, append(said, tt.message), allTools(), nil)
		if resp.Content != tt.want {
			t.Errorf("got %s %q, want %q", callsOf(resp), resp.Content, tt.want)
		}
	}
}
