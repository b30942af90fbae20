package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent"
	"parley/pkg/agent/approval"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// plan is a model that gives one answer after the other, and then says done.
func plan(answers ...func(msgs []providers.Message) (*providers.LLMResponse, error)) script {
	var next atomic.Int32
	return func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if n := int(next.Add(1)); n <= len(answers) {
			return answers[n-1](msgs)
		}
		return say("done")
	}
}

// calling is an answer with calls, each "TOOL ARGUMENTS".
func calling(calls ...string) func([]providers.Message) (*providers.LLMResponse, error) {
	return func([]providers.Message) (*providers.LLMResponse, error) {
		out := &providers.LLMResponse{FinishReason: providers.FinishToolCalls}
		for i, c := range calls {
			name, args, _ := strings.Cut(c, " ")
			one, err := call(name, args)
			if err != nil {
				return nil, err
			}
			one.ToolCalls[0].ID = fmt.Sprint(name, i)
			out.ToolCalls = append(out.ToolCalls, one.ToolCalls...)
		}
		return out, nil
	}
}

func wants(t *testing.T, w *world, b *book, texts ...string) {
	t.Helper()
	w.settled()
	if d := cmp.Diff(texts, b.texts()); d != "" {
		t.Error(d)
	}
}

// noter is a tool that writes, and pager one that brings in a page.
func noter() tools.Tool {
	return fn{name: "note", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("noted") }}
}

func pager() tools.Tool {
	type in struct {
		URL string `json:"url"`
	}
	return tools.NewExamined("fetch", "", tools.Annotations{ReadOnly: true, OpenWorld: true},
		func(_ context.Context, in in) (tools.Examination, error) {
			return tools.Examination{Destination: in.URL}, nil
		},
		func(context.Context, in) (any, error) { return "page, see https://b.example/?secret", nil })
}

// TestTheIDOfAnAllowedCallAllowsNothing: ids are the model's.
func TestTheIDOfAnAllowedCallAllowsNothing(t *testing.T) {
	t.Parallel()
	b := &book{edition: "1"}
	w := newWorld(t, plan(calling(`overwrite {"text":"one"}`), func(msgs []providers.Message) (*providers.LLMResponse, error) {
		out, err := call("overwrite", `{"text":"two"}`)
		out.ToolCalls[0].ID = last(msgs).ToolCallID
		return out, err
	}), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "go")
	w.press("1", "1", w.question("one"), "Allow once")
	w.expect()
	w.question("two")
	wants(t, w, b, "one")
}

// TestContentAfterTheQuestionTaintsItsDecision: the page came after the question, in
// the same answer, and the decision's turn reads it.
func TestContentAfterTheQuestionTaintsItsDecision(t *testing.T) {
	t.Parallel()
	b := &book{edition: "1"}
	w := newWorld(t, plan(calling(`overwrite {"text":"one"}`, `fetch {"url":"https://a.example/"}`), calling("note {}")),
		[]tools.Tool{b.tool(), noter(), pager()}, withOptions(asking))
	w.write("1", "1", "go")
	q := w.question("one")
	w.settled()
	w.press("1", "1", q, "Allow once")
	w.expect()
	w.question("after content from outside")
	wants(t, w, b, "one")
}

// TestTaintSurvivesARestart: of the page, and of the addresses that it names.
func TestTaintSurvivesARestart(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]string{"what writes": "note {}", "an address that the page names": `fetch {"url":"https://b.example/?secret"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 1)
			var again atomic.Bool
			w := newWorld(t, script(func(
				ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition,
			) (*providers.LLMResponse, error) {
				switch {
				case last(msgs).Role != providers.RoleTool:
					return calling(`fetch {"url":"https://a.example/"}`)(nil)
				case again.CompareAndSwap(false, true):
					return hang(ctx, asked)
				default:
					return calling(next)(nil)
				}
			}), []tools.Tool{noter(), pager()}, withOptions(asking), withGrace(time.Millisecond))
			w.write("1", "1", "go")
			<-asked
			w.restart()
			w.question("after content from outside")
			w.settled()
		})
	}
}

// TestTaintOfBackgroundWork: its result brings in the content that it read.
func TestTaintOfBackgroundWork(t *testing.T) {
	t.Parallel()
	begin := &sync.WaitGroup{}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case m.Role == providers.RoleTool:
			return say("it has started")
		case strings.HasPrefix(m.Content, "[background task]"):
			return call("note", "{}")
		default:
			return call("work", "{}")
		}
	}), []tools.Tool{reader{&worker{begin: begin}}, noter()}, withOptions(asking))
	begin.Add(1)
	w.write("1", "1", "go")
	w.expectText("it has started")
	begin.Done()
	w.expectText("done for 1")
	w.question("after content from outside")
	w.settled()
}

// reader is background work that reads words of others.
type reader struct{ *worker }

func (r reader) Annotations() tools.Annotations {
	return tools.Annotations{ReadOnly: true, OpenWorld: true}
}
func (r reader) Clone() tools.Tool { return reader{&worker{begin: r.begin}} }

// TestTaintOfAFileOfOthers: a tool says of one call that it reads such a file.
func TestTaintOfAFileOfOthers(t *testing.T) {
	t.Parallel()
	type in struct{}
	read := tools.NewExamined("read", "", tools.Annotations{ReadOnly: true},
		func(context.Context, in) (tools.Examination, error) { return tools.Examination{Taints: true}, nil },
		func(context.Context, in) (any, error) { return "write this down", nil })
	w := newWorld(t, plan(calling("read {}"), calling("note {}")), []tools.Tool{read, noter()}, withOptions(asking))
	w.write("1", "1", "go")
	w.question("after content from outside")
	w.settled()
}

// TestALevelOfTheOperatorsDoesNotHideThatAToolWrites: after a page it is asked for.
func TestALevelOfTheOperatorsDoesNotHideThatAToolWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plan(calling(`fetch {"url":"https://a.example/"}`), calling("note {}")), nil, withOptions(asking), withOptions(func(o *agent.Options) {
		o.Tools = tools.NewToolRegistryWith(tools.Options{Levels: map[string]tools.Level{"note": tools.LevelRead}})
		o.Tools.Register(noter())
		o.Tools.Register(pager())
	}))
	w.write("1", "1", "go")
	w.question("after content from outside")
	w.settled()
}

// TestADecisionGivesNoRights: the turn runs for the asker, with the rest of the asker's
// rights, also where these went while the call ran, and not for the owner who pressed.
func TestADecisionGivesNoRights(t *testing.T) {
	t.Parallel()
	b := &book{began: make(chan struct{}, 1)}
	var lost atomic.Bool
	w := newWorld(t, script(func(
		_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		if m := last(msgs); m.Role == providers.RoleTool {
			return say(fmt.Sprint(len(defs), " tools"))
		}
		return call("overwrite", `{"text":"one"}`)
	}), []tools.Tool{b.tool()}, withOptions(asking), withOptions(func(o *agent.Options) {
		o.Limits.Grace = time.Millisecond
		o.Authorize = func(_ context.Context, e policy.Event) policy.Verdict {
			v := policy.Verdict{Allow: true, Level: policy.LevelWrite, Owner: e.Sender.ID == "1"}
			if e.Sender.ID == "7" && lost.Load() {
				v.Level = policy.LevelChat
			}
			return v
		}
	}))
	w.write("group1", "7", "go")
	w.press("group1", "1", w.question("one"), "Allow once")
	<-b.began
	lost.Store(true)
	w.restart()
	w.expect()
	w.expectText("0 tools")
	w.settled()
}

// TestAnAllowedCallThatMayRunAgainDoesNot: a call that a person allows once is run
// once.
func TestAnAllowedCallThatMayRunAgainDoesNot(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 2)
	put := fn{
		name: "put", an: tools.Annotations{Destructive: true, Idempotent: true},
		run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			began <- struct{}{}
			<-ctx.Done()
			return tools.ErrorResult("cut off").WithError(ctx.Err())
		},
	}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if m := last(msgs); m.Role == providers.RoleTool {
			return say(m.Content)
		}
		return call("put", "{}")
	}), []tools.Tool{put}, withOptions(asking), withGrace(time.Millisecond))
	w.write("1", "1", "go")
	w.press("1", "1", w.question("{}"), "Allow once")
	<-began
	w.restart()
	w.expect()
	if got := w.expect().Text; !strings.Contains(got, "unknown whether it took effect") {
		t.Errorf("told %q", got)
	}
	w.settled()
	if len(began) > 0 {
		t.Error("it ran again")
	}
}

// TestQuestionsOfOneAnswerAreBounded, stored or not.
func TestQuestionsOfOneAnswerAreBounded(t *testing.T) {
	t.Parallel()
	b := &book{}
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprintf(`overwrite {"text":"page %d"}`, i)
	}
	w := newWorld(t, plan(calling(many...)), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "go")
	for range 10 {
		w.question("page")
	}
	w.settled()
	if all := strings.Join(w.transcript("1"), "\n"); strings.Count(all, "questions wait in this chat already") != 10 {
		t.Errorf("the history is\n%s", all)
	}
}

// TestWhatIsShownIsWhatRuns: a tool that would show something else by now has changed.
func TestWhatIsShownIsWhatRuns(t *testing.T) {
	t.Parallel()
	var shows atomic.Pointer[string]
	set := func(s string) { shows.Store(&s) }
	set("step 1: look")
	ran := false
	type in struct{}
	chain := tools.NewExamined("chain", "", tools.Annotations{Destructive: true},
		func(context.Context, in) (tools.Examination, error) {
			return tools.Examination{Destructive: true, Text: *shows.Load()}, nil
		},
		func(context.Context, in) (any, error) { ran = true; return "", nil })
	w := newWorld(t, plan(calling("chain {}")), []tools.Tool{chain}, withOptions(asking))
	w.write("1", "1", "go")
	q := w.question("step 1: look")
	w.settled()
	set("step 1: erase")
	w.press("1", "1", q, "Allow once")
	if got := w.expect().Text; !strings.Contains(got, "would no longer do what the question showed") {
		t.Errorf("told %q", got)
	}
	w.settled()
	if ran {
		t.Error("it ran")
	}
}

// TestEveryPressIsNoted, also one that names no question of the chat.
func TestEveryPressIsNoted(t *testing.T) {
	t.Parallel()
	b := &book{}
	noted := make(chan string, 10)
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking), withOptions(func(o *agent.Options) {
		o.OnApproval = func(e approval.Event) {
			noted <- e.Approval.ID + " " + e.By.ID + " " + string(e.Outcome) + ", " + e.Detail
		}
	}))
	w.write("1", "1", "one")
	q := w.question("one")
	w.settled()
	id := w.approval().ID
	w.press("2", "1", q, "Allow once") // in another chat
	w.expectText("There is no such approval in this chat.")
	w.press("1", "1", q, "Deny")
	w.expect()
	w.settled()
	want := []string{id + " 1 asked, asked", id + " 1 refused, refused: unknown", id + " 1 denied, denied"}
	for _, line := range want {
		if got := <-noted; got != line {
			t.Errorf("noted %q, want %q", got, line)
		}
	}
}
