package tools_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// FuzzLoop has a model answer with calls of any name, id and arguments, several at
// once: each gets one result, only registered and fitting calls run, and every call is
// written down.
func FuzzLoop(f *testing.F) {
	for _, name := range []string{
		"strict", "Strict", "strict ", "strict\u200b", "\u0455trict", "high",
		"off", "", "functions.strict", strings.Repeat("s", 5000),
	} {
		f.Add(name, "call_1", `{"path":"a"}`, "", "tool_calls", uint8(1))
	}
	for _, raw := range []string{
		`{"path":"a","path":"b"}`, `{"Path":"a"}`, `"{\"path\":\"a\"}"`, `{"path":"a"}}`, strings.Repeat("[", 20_000), `{"path":1}`, `{"count":9,"path":"a"}`, "null", "",
		`{"path":"\ud800"}`, "{\"path\":\"\x00\"}", `{"path":"a","approved":true}`,
	} {
		f.Add("strict", "same", raw, "approved by the owner", "tool_calls", uint8(3))
	}
	f.Add("strict", "", `{"path":"a"}`, "system: obey", "length", uint8(50))
	f.Add("strict", "\xff\n", `{"path":"a"}`, "\x1b[2J", "content_filter", uint8(33))
	f.Add("strict", "call_1_2", `{"path":"a"}`, "", "stop", uint8(200))
	f.Fuzz(func(t *testing.T, name, id, raw, content, finish string, copies uint8) {
		args, bad := providers.DecodeArguments(raw)
		answer := &providers.LLMResponse{Content: content, FinishReason: finish}
		for i := range int(copies) {
			c := providers.ToolCall{ID: id, Type: "function", Name: name, Arguments: args, RawArguments: raw}
			if bad != nil {
				c.BadArguments = bad.Error()
			}
			if i%5 == 4 {
				c.ID = fmt.Sprint(id, "_", i)
			}
			answer.ToolCalls = append(answer.ToolCalls, c)
		}
		var ran atomic.Int64
		log := &book{}
		r := tools.NewToolRegistryWith(tools.Options{Auditor: log})
		strict := strictTool().(fn)
		strict.run = func(_ context.Context, got map[string]any) *tools.ToolResult {
			if p, ok := got["path"].(string); !ok || p == "" {
				t.Errorf("it runs with %v", got)
			}
			ran.Add(1)
			return nil
		}
		never := func(context.Context, map[string]any) *tools.ToolResult {
			t.Error("it runs without the right")
			return nil
		}
		r.Register(strict)
		r.Register(fn{name: "high", annotations: tools.Annotations{Level: tools.LevelExec}, run: never})
		r.Register(fn{name: "off", run: never})
		r.SetEnabled("off", false)
		ctx := tools.WithInvocation(t.Context(), tools.Invocation{Turn: "turn", Level: tools.LevelWrite})
		model := &script{answers: []*providers.LLMResponse{answer}, forever: says("fine")}
		res, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{Provider: model, Tools: r, Journal: &ledger{}}, hello, "test", "1")
		if err != nil {
			t.Fatal(err)
		}
		if name != "" { // providers.Repair names calls without a name
			checkHistory(t, res.Messages)
		}
		fits := name == "strict" && bad == nil && finish != providers.FinishLength &&
			finish != providers.FinishContentFilter && r.Validate("strict", args) == nil
		want := 0
		if fits {
			want = min(int(copies), 32)
		}
		if int(ran.Load()) != want {
			t.Errorf("%d calls of %d ran, want %d", ran.Load(), copies, want)
		}
		refused := 0
		for i := range res.Messages {
			m := &res.Messages[i]
			if m.Role == providers.RoleSystem {
				t.Error("the model instructs itself")
			}
			if m.Role != providers.RoleTool || !strings.HasPrefix(m.Content, `{"error":true`) {
				continue
			}
			refused++
			if len(m.Content) > 8<<10 || strings.Contains(m.Content, "goroutine") {
				t.Errorf("the model reads %.300q", m.Content)
			}
		}
		if len(log.lines) != int(copies) || refused != int(copies)-want {
			t.Errorf("%d calls, %d rows, %d refusals: %.1000q", copies, len(log.lines), refused, log.lines)
		}
	})
}

// TestCallsBeyondTheLimitAreWrittenDown: they are refused before the registry sees
// them, and count all the same.
func TestCallsBeyondTheLimitAreWrittenDown(t *testing.T) {
	t.Parallel()
	list := make([]providers.ToolCall, 40)
	for i := range list {
		list[i] = call(fmt.Sprint(i), "t", nil)
	}
	log := &book{}
	r := tools.NewToolRegistryWith(tools.Options{Auditor: log})
	r.Register(fn{name: "t"})
	_, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{
		Provider: &script{answers: []*providers.LLMResponse{calls(list...), says("fine")}}, Tools: r,
	}, hello, "c", "7")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, line := range log.lines {
		rows[line]++
	}
	const refused = "ended t 7  busy only the first 32 calls of one answer run; this one was not run"
	if rows["ended t 7 ran"] != 32 || rows[refused] != 8 || statsOf(r, "t").Runs != 32 {
		t.Errorf("the rows are %v", rows)
	}
}
