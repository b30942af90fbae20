package providers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"parley/pkg/providers"
)

func user(text string) providers.Message {
	return providers.Message{Role: providers.RoleUser, Content: text}
}

func calling(ids ...string) providers.Message {
	m := providers.Message{Role: providers.RoleAssistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, providers.ToolCall{ID: id, Type: "function", Name: "probe", Arguments: map[string]any{}})
	}
	return m
}

func result(id, text string) providers.Message {
	return providers.Message{Role: providers.RoleTool, ToolCallID: id, Name: "probe", Content: text}
}

const interrupted = `{"error":true,"type":"interrupted","message":"interrupted: it is unknown whether it took effect","details":{}}`

func TestRepair(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 50)
	for _, c := range []struct {
		name     string
		in, want []providers.Message
	}{
		{"nothing", nil, nil},
		{
			"whole",
			[]providers.Message{user("a"), calling("1", "2"), result("1", "x"), result("2", "y")},
			[]providers.Message{user("a"), calling("1", "2"), result("1", "x"), result("2", "y")},
		},
		{
			"results in another order",
			[]providers.Message{calling("1", "2"), result("2", "y"), result("1", "x")},
			[]providers.Message{calling("1", "2"), result("1", "x"), result("2", "y")},
		},
		{
			"a result is missing",
			[]providers.Message{calling("1", "2"), result("2", "y"), user("b")},
			[]providers.Message{calling("1", "2"), result("1", interrupted), result("2", "y"), user("b")},
		},
		{
			"a result comes late",
			[]providers.Message{calling("1"), user("b"), result("1", "x")},
			[]providers.Message{calling("1"), result("1", "x"), user("b")},
		},
		{
			"a result comes twice",
			[]providers.Message{calling("1"), result("1", "x"), result("1", "y")},
			[]providers.Message{calling("1"), result("1", "x")},
		},
		{"a result without a call", []providers.Message{user("a"), result("9", "x"), user("b")}, []providers.Message{user("a"), user("b")}},
		{
			"a result before its call",
			[]providers.Message{result("1", "x"), calling("1")},
			[]providers.Message{calling("1"), result("1", interrupted)},
		},
		{"an empty result", []providers.Message{calling("1"), result("1", " ")}, []providers.Message{calling("1"), result("1", "(no output)")}},
		{
			"one id in two turns",
			[]providers.Message{calling("1"), result("1", "x"), calling("1"), result("1", "y")},
			[]providers.Message{calling("1"), result("1", "x"), calling("1_2"), result("1_2", "y")},
		},
		{
			"one id in two turns, the first open",
			[]providers.Message{calling("1"), calling("1"), result("1", "y")},
			[]providers.Message{calling("1"), result("1", interrupted), calling("1_2"), result("1_2", "y")},
		},
		{
			"one id three times in one answer",
			[]providers.Message{calling("1", "1", "1"), result("1", "x"), result("1", "y"), result("1", "z")},
			[]providers.Message{calling("1", "1_2", "1_3"), result("1", "x"), result("1_2", "y"), result("1_3", "z")},
		},
		{
			"a new id that is taken",
			[]providers.Message{calling("1", "1_2", "1")},
			[]providers.Message{calling("1", "1_2", "1_3"), result("1", interrupted), result("1_2", interrupted), result("1_3", interrupted)},
		},
		{
			"empty ids",
			[]providers.Message{calling("", ""), result("", "x"), result("", "y")},
			[]providers.Message{calling("call", "call_2"), result("call", "x"), result("call_2", "y")},
		},
		{
			"an overlong id",
			[]providers.Message{calling(long), result(long, "x")},
			[]providers.Message{calling("call_77cf12060d47183ea8c4"), result("call_77cf12060d47183ea8c4", "x")},
		},
		{
			"empty messages",
			[]providers.Message{user(""), user(" \n"), {Role: "assistant"}, {Role: "system"}, user("a")},
			[]providers.Message{user("a")},
		},
		{
			"pictures alone",
			[]providers.Message{{Role: "user", Images: []providers.Image{{}, {URL: "u"}}}, {Role: "user", Images: []providers.Image{{}}}},
			[]providers.Message{{Role: "user", Images: []providers.Image{{URL: "u"}}}},
		},
		{"unknown roles", []providers.Message{{Role: "root", Content: "x"}, {Role: "", Content: "x"}, user("a")}, []providers.Message{user("a")}},
		{"text of bad bytes", []providers.Message{user("a\x00b\xffc\xed\xa0\x80d")}, []providers.Message{user("ab\ufffdc\ufffdd")}},
		{
			"a name that is illegal",
			[]providers.Message{{Role: "assistant", ToolCalls: []providers.ToolCall{{ID: "1", Name: "näme me"}, {ID: "2"}}}},
			[]providers.Message{
				{
					Role:      "assistant",
					ToolCalls: []providers.ToolCall{{ID: "1", Type: "function", Name: "n_me_me"}, {ID: "2", Type: "function", Name: "unknown"}},
				},
				{Role: "tool", ToolCallID: "1", Name: "n_me_me", Content: interrupted},
				{Role: "tool", ToolCallID: "2", Name: "unknown", Content: interrupted},
			},
		},
		{
			"arguments of bad bytes",
			[]providers.Message{{Role: "assistant", ToolCalls: []providers.ToolCall{
				{ID: "1", Name: "probe", RawArguments: `{"a":"\u0000\ud800"}`, Arguments: map[string]any{"a": "\x00\ufffd"}},
			}}, result("1", "x")},
			[]providers.Message{{Role: "assistant", ToolCalls: []providers.ToolCall{
				{ID: "1", Type: "function", Name: "probe", Arguments: map[string]any{"a": "\ufffd"}},
			}}, result("1", "x")},
		},
		{
			"raw arguments of bad bytes, as a history keeps them",
			[]providers.Message{{Role: "assistant", ToolCalls: []providers.ToolCall{{ID: "1", Name: "probe", RawArguments: `{"a":"\u0000b"}`}}}, result("1", "x")},
			[]providers.Message{{Role: "assistant", ToolCalls: []providers.ToolCall{
				{ID: "1", Type: "function", Name: "probe", Arguments: map[string]any{"a": "b"}},
			}}, result("1", "x")},
		},
		{
			"calls of a user",
			[]providers.Message{{Role: "user", Content: "a", ToolCalls: calling("1").ToolCalls, ToolCallID: "2", Name: "n"}},
			[]providers.Message{user("a")},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before, err := json.Marshal(c.in)
			if err != nil {
				t.Fatal(err)
			}
			got := providers.Repair(c.in)
			if d := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
			if after, err := json.Marshal(c.in); err != nil || !bytes.Equal(after, before) {
				t.Errorf("the history was changed: %s, %v", after, err)
			}
		})
	}
}

var legalToolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// acceptable tells why a model server would refuse messages; "" if it would not.
func acceptable(messages []providers.Message) string {
	seen := map[string]bool{}
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		blank := strings.TrimSpace(m.Content) == ""
		if !utf8.ValidString(m.Content) || strings.Contains(m.Content, "\x00") {
			return fmt.Sprintf("%d: text", i)
		}
		switch m.Role {
		case "user", "system":
			if blank && len(m.Images) == 0 || len(m.ToolCalls) > 0 || m.ToolCallID != "" {
				return fmt.Sprintf("%d: %+v", i, m)
			}
		case "assistant":
			if blank && len(m.ToolCalls) == 0 {
				return fmt.Sprintf("%d: empty assistant", i)
			}
			for j, c := range m.ToolCalls {
				if c.ID == "" || len(c.ID) > 40 || seen[c.ID] || !utf8.ValidString(c.ID) || !legalToolName.MatchString(c.Name) || c.Type != "function" {
					return fmt.Sprintf("%d: call %+v", i, c)
				}
				seen[c.ID] = true
				at := i + 1 + j
				if at >= len(messages) || messages[at].Role != "tool" || messages[at].ToolCallID != c.ID ||
					messages[at].Name != c.Name || strings.TrimSpace(messages[at].Content) == "" {
					return fmt.Sprintf("%d: call %s has no result in its place", i, c.ID)
				}
			}
			i += len(m.ToolCalls)
		default:
			return fmt.Sprintf("%d: role %q out of place", i, m.Role)
		}
	}
	return ""
}

// histories draws any sequence of any messages, ids and texts from few values so that they collide.
func histories() *rapid.Generator[[]providers.Message] {
	text := rapid.SampledFrom([]string{"", " ", "hello", "a\x00b", "\xff", "\xed\xa0\x80", "\x00", "ünï"})
	id := rapid.SampledFrom([]string{"", "1", "1_2", "2", "call", "call_2", "\xff", strings.Repeat("y", 36), strings.Repeat("y", 41)})
	name := rapid.SampledFrom([]string{"", "probe", "a b", strings.Repeat("n", 80), "\xff"})
	toolCall := rapid.Custom(func(t *rapid.T) providers.ToolCall {
		return providers.ToolCall{
			ID: id.Draw(t, "id"), Name: name.Draw(t, "name"),
			RawArguments: rapid.SampledFrom([]string{"", "{}", `{"a":"\u0000"}`, "{\"\xff\":1}"}).Draw(t, "raw"),
			BadArguments: rapid.SampledFrom([]string{"", "cut"}).Draw(t, "bad"),
		}
	})
	message := rapid.Custom(func(t *rapid.T) providers.Message {
		return providers.Message{
			Role:       rapid.SampledFrom([]string{"user", "assistant", "assistant", "tool", "tool", "tool", "system", "root", ""}).Draw(t, "role"),
			Content:    text.Draw(t, "content"),
			ToolCalls:  rapid.SliceOfN(toolCall, 0, 3).Draw(t, "calls"),
			ToolCallID: id.Draw(t, "answers"),
			Images:     rapid.SliceOfN(rapid.Just(providers.Image{URL: "u"}), 0, 1).Draw(t, "images"),
		}
	})
	return rapid.SliceOfN(message, 0, 12)
}

// TestRepairAnyHistory: what Repair gives is acceptable, repairing it again
// changes nothing, and no word of a person and no call is lost.
func TestRepairAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := histories().Draw(t, "history")
		got := providers.Repair(in)
		if why := acceptable(got); why != "" {
			t.Fatalf("refused: %s", why)
		}
		if d := cmp.Diff(got, providers.Repair(got), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("repairing again changes:\n%s", d)
		}
		for _, role := range []string{"user", "assistant"} {
			if a, b := substance(in, role), substance(got, role); a != b {
				t.Fatalf("of the role %s, %d words and calls became %d", role, a, b)
			}
		}
	})
}

// substance counts the texts and calls of a role.
func substance(messages []providers.Message, role string) int {
	n := 0
	for i := range messages {
		m := &messages[i]
		if m.Role != role {
			continue
		}
		if strings.TrimSpace(strings.ReplaceAll(m.Content, "\x00", "")) != "" {
			n++
		}
		if role == "assistant" {
			n += len(m.ToolCalls)
		}
	}
	return n
}

func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	base := providers.EstimateTokens(providers.Message{Role: "user"})
	for _, c := range []struct {
		name string
		m    providers.Message
		want int
	}{
		{"prose", user(strings.Repeat("x", 400)), 100},
		{"tool output", result("", strings.Repeat("x", 300)), 100},
		{"raw arguments", providers.Message{Role: "assistant", ToolCalls: []providers.ToolCall{{RawArguments: strings.Repeat("x", 300)}}}, 100},
		{
			"decoded arguments",
			providers.Message{Role: "assistant", ToolCalls: []providers.ToolCall{{Arguments: map[string]any{"k": []any{strings.Repeat("x", 291)}}}}},
			101,
		},
		{"a picture", providers.Message{Role: "user", Images: []providers.Image{{Path: "inbox/a.png", Size: 1 << 20}}}, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := providers.EstimateTokens(c.m) - base; got != c.want {
				t.Errorf("%d tokens, want %d", got, c.want)
			}
		})
	}
}

// TestRepairKeepsArguments: a server that refuses an escape gets the arguments
// without it, and all else of them unchanged; so do arguments that were encoded
// twice, of which a history keeps the text alone.
func TestRepairKeepsArguments(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"id":9007199254740993,"x":"a\u0000b"}`:            `{"id":9007199254740993,"x":"ab"}`,
		`{"id":9007199254740993,"x":"\ud83d\ude00"}`:        `{"id":9007199254740993,"x":"😀"}`,
		`{"id":0.12345678901234567891,"x":"\ud800"}`:        `{"id":0.12345678901234567891,"x":"` + "\ufffd" + `"}`,
		`"{\"id\":12345678901234567890}"`:                   `{"id":12345678901234567890}`,
		`"{\"id\":12345678901234567890,\"x\":\"\\ud800\"}"`: `{"id":12345678901234567890,"x":"` + "\ufffd" + `"}`,
	} {
		m := calling("1")
		m.ToolCalls[0].Arguments, m.ToolCalls[0].RawArguments = nil, raw
		got := providers.Repair([]providers.Message{m, result("1", "x")})[0].ToolCalls[0]
		b, err := json.Marshal(got.Arguments)
		if err != nil || got.RawArguments != "" || string(b) != want {
			t.Errorf("%s: %s, raw %q, %v", raw, b, got.RawArguments, err)
		}
	}
}
