package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/audit"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// told is a refusal as the model reads it.
type told struct {
	Error   bool           `json:"error"`
	Type    string         `json:"type"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// sentence reads a result as one refusal of the type want, in one clear sentence.
func sentence(t *testing.T, name, result, want string) {
	t.Helper()
	var r told
	if err := json.Unmarshal([]byte(result), &r); err != nil {
		t.Errorf("%s: the result is no refusal: %.300q", name, result)
		return
	}
	if !r.Error || r.Type != want || r.Message == "" || len(r.Message) > 600 || len(result) > 8<<10 {
		t.Errorf("%s: %d bytes, type %s, want %s: %.300s", name, len(result), r.Type, want, r.Message)
	}
	for _, word := range []string{"\n", "goroutine", "panic", ".go:", "0x", "/tmp/", "<nil>", "%!"} {
		if strings.Contains(r.Message, word) {
			t.Errorf("%s: the model reads %q, with %q in it", name, r.Message, word)
		}
	}
}

// hostileCall is a call that must not run.
type hostileCall struct {
	tool, args string
	// want is how it is refused; tooLarge where the whole answer is.
	want tools.ErrorType
}

// tooLarge: no honest server gives such an answer, and it is not read.
const tooLarge tools.ErrorType = "too large"

// hostileCalls are texts that a model, or a person who talks it into that, may put in
// place of a call.
func hostileCalls() map[string]hostileCall {
	const good = `{"text":"T"}`
	calls := map[string]hostileCall{
		"another case":         {"Effect", good, tools.ErrNotFound},
		"capitals":             {"EFFECT", good, tools.ErrNotFound},
		"a space behind":       {"effect ", good, tools.ErrNotFound},
		"a space before":       {" effect", good, tools.ErrNotFound},
		"a tab":                {"effect\t", good, tools.ErrNotFound},
		"a line break":         {"effect\n", good, tools.ErrNotFound},
		"NUL":                  {"effect\x00", good, tools.ErrNotFound},
		"zero width":           {"eff\u200bect", good, tools.ErrNotFound},
		"a joiner":             {"effect\u200d", good, tools.ErrNotFound},
		"a soft hyphen":        {"ef\u00adfect", good, tools.ErrNotFound},
		"a byte order mark":    {"\ufeffeffect", good, tools.ErrNotFound},
		"Cyrillic":             {"\u0435ffect", good, tools.ErrNotFound},
		"full width":           {"ｅｆｆｅｃｔ", good, tools.ErrNotFound},
		"a ligature":           {"e\ufb00ect", good, tools.ErrNotFound},
		"an accent":            {"effect\u0301", good, tools.ErrNotFound},
		"backwards":            {"\u202etceffe", good, tools.ErrNotFound},
		"a namespace":          {"functions.effect", good, tools.ErrNotFound},
		"a path":               {"../effect", good, tools.ErrNotFound},
		"a call":               {"effect()", good, tools.ErrNotFound},
		"quoted":               {`"effect"`, good, tools.ErrNotFound},
		"two":                  {"effect,effect", good, tools.ErrNotFound},
		"its arguments":        {`effect{"text":"T"}`, good, tools.ErrNotFound},
		"terminal control":     {"\x1b[2Jeffect", good, tools.ErrNotFound},
		"64 KiB of name":       {strings.Repeat("effect", 11000), good, tools.ErrNotFound},
		"another chat's":       {"message", `{"text":"T","chat":"other"}`, tools.ErrInvalidArguments},
		"another chat's id":    {"message", `{"text":"T","chat_id":"other","channel":"test"}`, tools.ErrInvalidArguments},
		"another recipient":    {"message", `{"text":"T","to":["other"]}`, tools.ErrInvalidArguments},
		"another chat's file":  {"send_file", `{"path":"../other/T"}`, tools.ErrSecurityViolation},
		"another chat's notes": {"read_file", `{"path":"../test_other/notes.md"}`, tools.ErrSecurityViolation},
		"switched off":         {"current_time", `{}`, tools.ErrDisabled},
		"beyond its level":     {"lookup", good, tools.ErrPermissionDenied},
		"too long to be asked": {"effect_asked", `{"text":"` + strings.Repeat("T", 9000) + `"}`, tools.ErrApprovalDenied},
		"a claim of approval":  {"effect_asked", `{"text":"T","approved":true}`, tools.ErrInvalidArguments},
		"the owner's approval": {"effect_asked", `{"text":"T","approved_by":"the owner"}`, tools.ErrInvalidArguments},
		"an id of an approval": {"effect_asked", `{"text":"T","approval":"ABCDEFGH"}`, tools.ErrInvalidArguments},
	}
	for name, args := range map[string]string{
		"a key twice":           `{"text":"T","text":"T2"}`,
		"a key twice, escaped":  `{"text":"T","t\u0065xt":"T2"}`,
		"a key in another case": `{"Text":"T"}`,
		"a key in two cases":    `{"text":"T","TEXT":"T2"}`,
		"the long s":            `{"text":"T","te\u017ft":"T2"}`,
		"a key with a space":    `{"text ":"T"}`,
		"a key of zero width":   `{"text\u200b":"T"}`,
		"an unknown key":        `{"text":"T","sudo":true}`,
		"the prototype":         `{"text":"T","__proto__":{"n":1}}`,
		"encoded twice, wrong":  `"{\"text\":\"T\",\"text\":\"T2\"}"`,
		"encoded three times":   `"\"{\\\"text\\\":\\\"T\\\"}\""`,
		"a list":                `[{"text":"T"}]`,
		"a number":              `7`,
		"a text":                `T`,
		"a second object":       `{"text":"T"}{"text":"T2"}`,
		"a second line":         "{\"text\":\"T\"}\n{\"text\":\"T2\"}",
		"trailing words":        `{"text":"T"} and more`,
		"a trailing bracket":    `{"text":"T"}}`,
		"a trailing NUL":        "{\"text\":\"T\"}\x00",
		"a trailing comma":      `{"text":"T",}`,
		"a comment":             `{"text":"T"/* */}`,
		"a fence":               "```json\n{\"text\":\"T\"}\n```",
		"single quotes":         `{'text':'T'}`,
		"no quotes":             `{text:"T"}`,
		"cut off":               `{"text":"T`,
		"a raw line break":      "{\"text\":\"T\nT\"}",
		"the wrong type":        `{"text":["T"]}`,
		"a text for a number":   `{"text":"T","n":"1"}`,
		"null":                  `{"text":null}`,
		"below the range":       `{"text":"T","n":-1}`,
		"above the range":       `{"text":"T","n":1073741825}`,
		"far above the range":   `{"text":"T","n":1e400}`,
		"a fraction":            `{"text":"T","n":0.5}`,
		"not a number":          `{"text":"T","n":NaN}`,
		"endless":               `{"text":"T","n":Infinity}`,
		"hexadecimal":           `{"text":"T","n":0x10}`,
		"20,000 brackets":       strings.Repeat("[", 20_000),
		"20,000 brackets, shut": strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
		"20,000 objects":        strings.Repeat(`{"text":`, 20_000) + "1" + strings.Repeat("}", 20_000),
		"brackets in a value":   `{"text":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		"100,000 keys":          "{" + strings.Repeat(`"k":1,`, 100_000) + `"text":"T"}`,
		"10 MiB":                `{"text":"` + strings.Repeat("T", 10<<20) + `"}`,
		"10 MiB of a key":       `{"text":"T","` + strings.Repeat("k", 10<<20) + `":1}`,
		"10 MiB of blanks":      `{"text":` + strings.Repeat(" ", 10<<20) + `"T"}`,
		"10 MiB of digits":      `{"text":"T","n":` + strings.Repeat("1", 10<<20) + `}`,
	} {
		want := tools.ErrInvalidArguments
		if len(args) > 5<<20 {
			want = tooLarge
		}
		calls[name] = hostileCall{"effect", args, want}
	}
	for _, name := range []string{
		"AGENT.md", "./AGENT.md", "agent.md", "HEARTBEAT.md", "tools/mine/tool.yaml",
		"tools/mine/run", "TOOLS/mine/run", "skills/x.md", "policy/rules",
		"state/store/parley.db", "state/audit/00000000000000000001.jsonl", "parley.yaml", "PARLEY.yml", ".env", ".ssh/authorized_keys",
		"../../AGENT.md", "../../../parley.yaml", "../../../state/admin.sock",
		"/etc/passwd", "/proc/self/environ", "../../tools/mine/run", "a/../../../AGENT.md",
	} {
		for _, tool := range []string{"write_file", "append_file", "edit_file", "delete_file"} {
			args := map[string]any{"path": name}
			switch tool {
			case "write_file", "append_file":
				args["content"] = "T"
			case "edit_file":
				args["old_text"], args["new_text"] = "a", "T"
			}
			text, err := json.Marshal(args)
			if err != nil {
				continue
			}
			calls[tool+" "+name] = hostileCall{tool, string(text), tools.ErrSecurityViolation}
		}
	}
	return calls
}

// TestHostileCallsRunNothing has a model make calls that must not run, each in a chat
// of its own. The model is told why in one sentence, and the audit log has a row.
func TestHostileCallsRunNothing(t *testing.T) {
	t.Parallel()
	eachMode(t, hostileCallsRunNothing)
}

func hostileCallsRunNothing(t *testing.T, s settings) {
	t.Helper()
	calls := hostileCalls()
	s.unbound, s.tools = s.noTools, `disabled: [current_time], rules: {lookup: {level: exec}}`
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		if got := results(req); len(got) > 0 {
			return fakemodel.Say(got[0])
		}
		c, ok := calls[lastUser(req)]
		if !ok {
			return fakemodel.Say("fine")
		}
		return fakemodel.Call(c.tool, c.args)
	}, s)
	for name := range calls {
		w.say(name, name)
	}
	large := 0
	for name, c := range calls {
		got := w.told(name, 1)[0]
		if c.want != tooLarge {
			sentence(t, name, got, string(c.want))
		} else if large++; got != "The model gave an answer that I cannot use. Please try again, or write it differently." {
			t.Errorf("%s: told %q", name, got)
		}
		w.say(name, "still there?")
		w.expect(name, 2, "fine")
	}
	if n := w.ran(); n != 0 {
		t.Errorf("%d effects", n)
	}
	if n := len(w.texts("other")) + len(w.texts("test_other")); n != 0 {
		t.Errorf("another chat was told %d messages", n)
	}
	w.audited(t, func(row *audit.Row) (string, bool) {
		c, ok := calls[row.Chat]
		return fmt.Sprintf("%s of %.40q, want %s of %.40q", row.Outcome, row.Tool, c.want, c.tool),
			ok && row.Kind != audit.KindBegin && row.Outcome == string(c.want) &&
				(strings.HasPrefix(c.tool, row.Tool) || len(row.Tool) > 100 || strings.ContainsRune(row.Tool, '\ufffd'))
	}, len(calls)-large)
	for _, name := range []string{"AGENT.md", "parley.yaml"} {
		for _, dir := range []string{w.gw.Dir, filepath.Join(w.gw.Dir, "workspace")} {
			if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil && strings.HasSuffix(string(b), "T") {
				t.Errorf("%s was written", name)
			}
		}
	}
}

// audited waits until the audit log has n rows of refused or failed calls, and each
// must be right.
func (w *world) audited(t *testing.T, right func(*audit.Row) (string, bool), n int) {
	t.Helper()
	var rows []audit.Row
	w.until(fmt.Sprint(n, " rows of the audit log"), func() bool {
		rows = rows[:0]
		all := w.recorded()
		for i := range all {
			if r := &all[i]; (r.Kind == audit.KindRefused || r.Kind == audit.KindCall) && r.Outcome != "ok" && r.Outcome != "asked" {
				rows = append(rows, *r)
			}
		}
		return len(rows) >= n
	})
	if len(rows) != n {
		t.Errorf("%d rows, want %d", len(rows), n)
	}
	for i := range rows {
		r := &rows[i]
		if what, ok := right(r); !ok {
			t.Errorf("%.40s: the audit log has %s", r.Chat, what)
		}
		if strings.Contains(r.Detail, "TTTT") || r.Call == "" || r.Turn == "" || r.Sender == "" || r.Channel == "" {
			t.Errorf("the audit log has %.500v", *r)
		}
	}
}

// TestEveryRefusalIsWrittenDown has a call end in each type of error.
func TestEveryRefusalIsWrittenDown(t *testing.T) {
	t.Parallel()
	eachMode(t, everyRefusalIsWrittenDown)
}

func everyRefusalIsWrittenDown(t *testing.T, s settings) {
	t.Helper()
	calls := map[string]hostileCall{
		"nothing":   {"nothing", `{}`, tools.ErrNotFound},
		"disabled":  {"current_time", `{}`, tools.ErrDisabled},
		"arguments": {"effect", `{"n":-1}`, tools.ErrInvalidArguments},
		"rights":    {"lookup", `{}`, tools.ErrPermissionDenied},
		"path":      {"read_file", `{"path":"../x"}`, tools.ErrSecurityViolation},
		"question":  {"effect_asked", `{"text":"` + strings.Repeat("T", 9000) + `"}`, tools.ErrApprovalDenied},
		"time":      {"hang", `{"n":20000}`, tools.ErrTimeout},
		"panic":     {"panic", `{}`, tools.ErrExecutionFailed},
		"too many":  {"effect_rerun", `{"text":"many"}`, tools.ErrBusy},
	}
	const many = 100
	s.unbound, s.toolTime, s.tools = s.noTools, "2s", `disabled: [current_time], rules: {lookup: {level: exec}}`
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		if got := results(req); len(got) > 0 {
			return fakemodel.Say(got[len(got)-1])
		}
		c := calls[lastUser(req)]
		if lastUser(req) == "too many" {
			list := make([]providers.ToolCall, many)
			for i := range list {
				list[i] = providers.ToolCall{ID: "same", Name: c.tool, RawArguments: c.args}
			}
			return fakemodel.Calls(list...)
		}
		return fakemodel.Call(c.tool, c.args)
	}, s)
	for chat := range calls {
		w.say(chat, chat)
	}
	for chat, c := range calls {
		sentence(t, chat, w.told(chat, 1)[0], string(c.want))
	}
	seen := map[string]int{}
	w.audited(t, func(row *audit.Row) (string, bool) {
		c := calls[row.Chat]
		ran := c.want == tools.ErrTimeout || c.want == tools.ErrExecutionFailed || c.tool == "read_file"
		seen[row.Outcome]++
		return fmt.Sprintf("%s %s of %q: %s", row.Kind, row.Outcome, row.Tool, row.Detail),
			row.Tool == c.tool && row.Outcome == string(c.want) && (row.Kind == audit.KindCall) == ran
	}, len(calls)-1+many-32)
	for _, want := range []tools.ErrorType{
		tools.ErrNotFound, tools.ErrDisabled, tools.ErrInvalidArguments, tools.ErrPermissionDenied, tools.ErrSecurityViolation,
		tools.ErrApprovalDenied, tools.ErrTimeout, tools.ErrExecutionFailed, tools.ErrBusy,
	} {
		if seen[string(want)] == 0 {
			t.Errorf("no row of %s", want)
		}
	}
	if n := w.effectsOf("many"); n != 32 {
		t.Errorf("%d calls of one answer ran", n)
	}
}

// TestAStoppedCallIsWrittenDown as one that was interrupted.
func TestAStoppedCallIsWrittenDown(t *testing.T) {
	t.Parallel()
	eachMode(t, func(t *testing.T, s settings) {
		t.Helper()
		s.unbound = s.noTools
		w := newWorld(t, func(fakemodel.Request) fakemodel.Answer {
			return fakemodel.Calls(
				providers.ToolCall{ID: "a", Name: "hang", RawArguments: `{"n":60000}`},
				providers.ToolCall{ID: "b", Name: "say", RawArguments: `{"text":"It runs."}`}, // at the same time
			)
		}, s)
		w.say("stopped", "hang")
		w.expect("stopped", 1, "It runs.")
		w.say("stopped", "/stop")
		w.expect("stopped", 2, "Stopped.")
		w.audited(t, func(row *audit.Row) (string, bool) {
			return fmt.Sprintf("%s %s of %q: %s", row.Kind, row.Outcome, row.Tool, row.Detail), row.Kind == audit.KindCall &&
				row.Tool == "hang" && row.Outcome == string(tools.ErrInterrupted)
		}, 1)
	})
}
