package tools

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"parley/pkg/providers"
	"parley/pkg/tools/internal/asking"
	"parley/pkg/tools/internal/memory"
	"parley/pkg/tools/internal/offer"
)

// The defaults and bounds of a loop.
const (
	defaultIterations = 10
	defaultParallel   = 4
	maxCalls          = 32 // how many calls of one answer run
)

// ToolLoopConfig configures one run of the loop. The fields after LLMOptions are
// optional; without them the loop asks, calls tools without a callback, and asks again.
type ToolLoopConfig struct {
	// Provider is the model server to ask.
	Provider providers.LLMProvider
	// Model is the model's name.
	Model string
	// Tools are the offered tools, or nil.
	Tools *ToolRegistry
	// MaxIterations bounds the rounds; 0 means 10. One more round follows at the
	// limit, in which the model may only answer.
	MaxIterations int
	// LLMOptions go to the provider. tool_choice may be "auto", "none",
	// "required" or a map with a name; the last two hold for the first round only.
	LLMOptions map[string]any

	// Journal records the steps and brings in messages.
	Journal Journal
	// Callbacks makes the callback of one call of an async tool, after it was begun.
	Callbacks func(ctx context.Context, call Call) AsyncCallback
	// TaskContext makes the context in which an async tool works on. Without it
	// the work keeps ctx's values, does not end with ctx, and has one hour.
	TaskContext func(ctx context.Context, call Call) context.Context
	// Progress makes the function that receives the progress of an async tool's call,
	// by [Progress]. It must not block. Without it progress is dropped.
	Progress func(call Call) func(line string)
	// Brings makes the function that [BringsOutside] calls in one call, also when its
	// work ends after the loop. It must not block. Without it the origin of content is
	// not noted.
	Brings func(call Call) func()
	// OnResult is told every result, after the journal, one at a time.
	OnResult func(ctx context.Context, call Call, result *ToolResult)
	// MaxParallel bounds the calls of one answer that run side by side; 0 means 4.
	MaxParallel int
	// FirstRound is how many rounds an earlier, interrupted attempt has used.
	FirstRound int
	// Gate decides which calls a person has to allow first; with nil all calls run
	// unasked.
	Gate Gate
	// Whole offers all tools from the beginning, also where one of them finds the others.
	Whole bool
	// Caller are tools that the loop's caller runs itself, offered beside Tools. The loop
	// ends once the other calls of an answer with a call of one have their results.
	Caller []providers.ToolDefinition
	// Asked says that an earlier attempt has put a question in round FirstRound: the
	// loop ends once the other calls of that round have their results.
	Asked bool
}

// ToolLoopResult is the result of a loop.
type ToolLoopResult struct {
	// Content is the final text.
	Content string
	// Iterations counts the model's answers, those before FirstRound included.
	Iterations int
	// Messages are the additions to the conversation: answers, results and joined
	// messages. Every call in them has its result.
	Messages []providers.Message
	// LimitReached says that the model was made to finish.
	LimitReached bool
	// Asked says that the loop ended because a call waits for a person; there is no
	// final text.
	Asked bool
	// Caller are the calls that the loop's caller has to run: the one exception to that.
	Caller []providers.ToolCall
	// FinishReason is that of the last answer.
	FinishReason string
	// Usage is the sum over all rounds of this run.
	Usage providers.Usage
}

// loop is one run of [RunToolLoop].
type loop struct {
	ToolLoopConfig
	channel, chatID string
	conversation    []providers.Message
	memo            memory.Memory
	result          *ToolLoopResult
	asked           atomic.Bool // a call of this loop waits for a person
	telling         sync.Mutex  // held while OnResult runs
}

// RunToolLoop asks the model, runs the tools that it calls, and asks again with
// their results, until it answers without a call.
//
// When messages end with an answer with calls that lack results, these calls run first;
// their Round is FirstRound. On an error the result holds the work until then; calls
// without a result are given one that says they were interrupted, so that Messages can
// be stored as they are.
func RunToolLoop(
	ctx context.Context, config ToolLoopConfig, messages []providers.Message, channel, chatID string,
) (*ToolLoopResult, error) {
	if config.MaxIterations <= 0 {
		config.MaxIterations = defaultIterations
	}
	if config.MaxParallel <= 0 {
		config.MaxParallel = defaultParallel
	}
	l := &loop{
		ToolLoopConfig: config, channel: channel, chatID: chatID,
		conversation: slices.Clip(messages), // it stays unchanged, and additions go elsewhere
		result:       &ToolLoopResult{Iterations: config.FirstRound},
	}
	if config.Provider == nil {
		return l.result, errors.New("tools: the loop has no provider")
	}
	choice, err := l.choice()
	if err != nil {
		return l.result, err
	}
	l.asked.Store(config.Asked)
	if err := l.resume(ctx); err != nil || l.waits() {
		return l.result, err
	}
	for round := config.FirstRound + 1; ; round++ {
		done, err := l.round(ctx, round, choice)
		if done || err != nil {
			return l.result, err
		}
	}
}

// choice checks the caller's tool_choice.
func (l *loop) choice() (asking.Choice, error) {
	return asking.ChoiceOf(l.LLMOptions,
		func() bool { return len(l.Caller) > 0 || l.Tools != nil && len(l.Tools.calls.view.usable()) > 0 },
		func(name string) bool { return l.callers(name) || l.Tools != nil && l.Tools.Enabled(name) })
}

// resume runs the calls of an interrupted answer that have no result yet.
func (l *loop) resume(ctx context.Context) error {
	missing := asking.Unanswered(l.conversation)
	calls := make([]pending, 0, len(missing))
	for _, i := range slices.Sorted(maps.Keys(missing)) {
		calls = l.sort(calls, l.FirstRound, i, missing[i])
	}
	return l.call(ctx, calls)
}

// sort adds a call to those that run here, or to those that the loop's caller runs.
func (l *loop) sort(calls []pending, round, index int, c providers.ToolCall) []pending {
	if c.BadArguments != "" || !l.callers(c.Name) {
		return append(calls, l.pending(round, index, c))
	}
	l.result.Caller = append(l.result.Caller, c)
	return calls
}

// callers says whether a tool is one that the loop's caller runs.
func (l *loop) callers(name string) bool {
	return slices.ContainsFunc(l.Caller, func(d providers.ToolDefinition) bool { return d.Function.Name == name })
}

// ask sends the conversation to the model.
func (l *loop) ask(ctx context.Context, round int, c asking.Choice, last bool) (*providers.LLMResponse, error) {
	q := asking.Question{
		Provider: l.Provider, Model: l.Model, Options: l.LLMOptions, Choice: c,
		Round: round, Last: last, Conversation: l.conversation,
	}
	l.offer(&q)
	if l.Tools != nil {
		l.Tools.catalog().offered(l.Model, q.Tools[:len(q.Tools)-len(l.Caller)])
	}
	if l.Journal != nil {
		q.OnEvent = func(e providers.StreamEvent) { l.streamed(round, e) }
	}
	return asking.Ask(ctx, q)
}

// offer gives a question its tools: all, or, where one of them finds the others, that one
// with those that the conversation has found or called. There a call that the model was
// told to make comes after the one that finds its tool.
func (l *loop) offer(q *asking.Question) {
	defer func() { q.Tools = append(slices.Clip(q.Tools), l.Caller...) }()
	if l.Tools == nil {
		return
	}
	v := &l.Tools.calls.view
	q.Tools = v.definitions()
	if finder := v.finder(); finder != "" && !l.Whole {
		f := offer.Finding{All: q.Tools, Finder: finder, Conversation: l.conversation, Also: q.Choice.Name()}
		q.Tools, q.Sought = f.Tools(v.catalog.now.Load().offered), q.Round == 2 && q.Choice.Name() != finder && f.Only()
	}
}

// streamed passes on a part of the answer.
func (l *loop) streamed(round int, e providers.StreamEvent) {
	switch e := e.(type) {
	case providers.TextDelta:
		l.event(Event{Kind: EventDelta, Round: round, Text: e.Text})
	case providers.ReasoningDelta:
		l.event(Event{Kind: EventReasoning, Round: round, Text: e.Text})
	case providers.ToolCallDelta:
		l.event(Event{Kind: EventToolCallDelta, Round: round, CallID: e.ID, Tool: e.Name, Arguments: e.Arguments})
	case providers.Restart:
		l.event(Event{Kind: EventRestart, Round: round, Text: e.Reason})
	}
}

// round asks once and runs the calls of the answer. It reports whether the answer was the last.
func (l *loop) round(ctx context.Context, round int, choice asking.Choice) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if round > 1 && l.Journal != nil {
		joined, err := l.Journal.Steer(ctx)
		if err != nil {
			return false, err
		}
		if len(joined) > 0 {
			l.memo.Forget()
		}
		l.append(joined...)
	}
	limit := round > l.MaxIterations
	resp, err := l.ask(ctx, round, choice, limit)
	if err != nil {
		return false, err
	}
	l.result.Iterations = round
	l.result.FinishReason = resp.FinishReason
	l.result.LimitReached = limit
	l.result.Usage.Add(resp.Usage)
	if limit {
		// No request would follow with their results.
		resp.ToolCalls = nil
	}
	asking.Invalidate(resp)
	if l.Journal != nil {
		if err := l.Journal.Answered(ctx, round, resp); err != nil {
			return false, err
		}
	}
	if len(resp.ToolCalls) == 0 {
		l.result.Messages = append(l.result.Messages, resp.Message())
		l.result.Content = resp.Content
		l.event(Event{Kind: EventDone, Round: round})
		return true, nil
	}
	l.append(resp.Message())
	calls := make([]pending, 0, len(resp.ToolCalls))
	for i, c := range resp.ToolCalls {
		calls = l.sort(calls, round, i, c)
		l.event(Event{Kind: EventToolCall, Round: round, CallID: c.ID, Tool: c.Name, Arguments: c.RawArguments})
	}
	err = l.call(ctx, calls)
	return err == nil && l.waits(), err
}

// waits says whether the loop ends because a call waits for a person, or for the caller.
func (l *loop) waits() bool {
	l.result.Asked = l.asked.Load()
	return l.result.Asked || len(l.result.Caller) > 0
}

func (l *loop) append(messages ...providers.Message) {
	l.conversation = append(l.conversation, messages...)
	l.result.Messages = append(l.result.Messages, messages...)
}

func (l *loop) event(e Event) {
	if l.Journal != nil {
		l.Journal.Event(e)
	}
}
