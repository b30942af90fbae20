package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/pkg/agent/budget"
	"parley/pkg/agent/caller"
	"parley/pkg/agent/ledger"
	"parley/pkg/agent/ongoing"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/trust"
	"parley/pkg/agent/zone"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/panics"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Turn is one attempt at a turn. A handler sets its exported fields before the loop
// starts; from there on they are read.
type Turn struct {
	Deps *Deps
	// Stored is the turn of the engine.
	Stored session.Turn
	Info   session.TurnInfo
	Clock  zone.Clock
	Usage  *budget.TurnUsage
	// Principal is the person for whom the turn runs, with the rights that it has.
	Principal trust.Principal
	Origin    Origin
	// Tasks are the tasks of the turn's calls.
	Tasks *OpenTasks
	// Questions are those that the turn puts to people.
	Questions *Questions
	// Space is the folder of the files that the turn works on.
	Space string
	// Provenance is where its words come from.
	Provenance *trust.Provenance
	// Input is the result of the handler's Begin.
	Input Input

	ledger   *ledger.Writer
	kind     Kind
	handler  Handler
	early    error // why it was ended before it had a place; nil for most
	live     liveAnswer
	outgoing *outgoing
	late     staleness

	diary
}

// diary is for the operator, who reads how far a turn is.
type diary struct {
	log   func() *zerolog.Logger
	stage atomic.Pointer[string] // its activity before it asks; nil or "": it asks
}

// Origin is where a turn's tools are at work, and the chat that it speaks to: its own, or
// for a background agent the one that started it.
type Origin struct {
	Address       channels.Address
	Chat, Session string
}

// New is an attempt at a turn of a kind.
func New(deps *Deps, stored session.Turn, kind Kind) *Turn {
	info := stored.Info()
	t := &Turn{
		Deps: deps, Stored: stored, Info: info, kind: kind,
		Origin: Origin{Address: info.Address, Chat: info.Chat, Session: info.Session},
		Tasks:  newOpenTasks(&info), Questions: newQuestions(),
		ledger: ledger.NewWriter(stored), outgoing: newOutgoing(), Provenance: &trust.Provenance{},
	}
	t.Clock = zone.Clock{Began: time.Now(), Wall: deps.Now(), Zone: deps.Zones.Named(info.Zone, info.Address)}
	t.log = sync.OnceValue(func() *zerolog.Logger {
		l := deps.Log.With().Str("turn", info.ID).Str("session", info.Session).Logger()
		return &l
	})
	t.live = newLiveAnswer(t)
	t.Usage = newUsage(t)
	t.handler = kind.Handler(t)
	t.At(StagePlace)
	return t
}

// WorkFor lets the turn work for another chat than its own, and count there.
func (t *Turn) WorkFor(o Origin) {
	t.Origin = o
	t.Clock.Zone = t.Deps.Zones.Named(t.Info.Zone, o.Address)
	t.Usage = newUsage(t)
}

// isFree reports whether no model is asked: /tool calls exactly one tool.
func isFree(t *Turn) bool {
	it := &t.Info.Items[0]
	return it.Inbound != nil && t.Deps.Command(it.Inbound.Text) == toolCommand && ModelOf(t, RoleTool).Provider != nil
}

// The commands that turns know: /stop ends one, /tool calls one tool without the model.
const (
	stopCommand = "stop"
	toolCommand = "tool"
)

// Run waits for a place and runs the turn to its commit. An error means that the commit
// failed and the engine hands the turn out again.
func (t *Turn) Run(ctx context.Context) (err error) {
	t.live.tell()
	defer func() { t.live.toldEnd(err) }()
	leave, err := t.handler.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	t.At(stageBegin)
	defer func() { t.ledger.End(ctx, err == nil) }()
	defer func() { t.Usage.Close() }()
	if p := panics.Catch(func() { err = t.attempt(ctx) }); p != nil {
		t.Log().Error().Interface("panic", p.Value).Bytes("stack", p.Stack).Msg("a turn panicked")
		return t.End(ctx, t.Failure(nil, "panic", textInternal))
	}
	if errors.Is(err, ErrDone) {
		return nil
	}
	return err
}

// attempt runs the turn by its kind.
func (t *Turn) attempt(ctx context.Context) error {
	if t.Info.Lost >= maxLost {
		t.Provenance.Taint() // the words may come from anywhere
		t.live.told.Fails(events.CodeFailed, textSetAside)
		t.Log().Error().Int("lost", t.Info.Lost).Msg("a turn was set aside: the gateway died three times while it ran")
		return t.End(ctx, &Result{Kind: Lost, Reason: "the process died three times during this turn"})
	}
	in, err := t.handler.Begin(ctx)
	if err != nil {
		return err
	}
	return t.answer(ctx, in)
}

// maxLost is how many processes a turn may take with it before it is set aside.
const maxLost = 3

// answer asks the model until it is done and commits the result.
func (t *Turn) answer(ctx context.Context, in Input) error {
	failpoint.Hit("P4")
	t.Input = in
	loop, over := listen(ctx, t)
	defer over()
	past, err := resume(ctx, loop, t)
	if err != nil {
		return err
	}
	users, res, out := t.ask(loop, in.Items, past)
	over()
	messages := append(append(users, out.before...), res.Messages...)
	t.live.preview.Close()
	if IsEnded(out.err) {
		t.live.told.Stopped(res)
	} else {
		t.live.told.Ended(res, out.err)
	}
	limit, atLimit := errors.AsType[*budget.LimitError](out.err)

	switch {
	case out.err == nil:
		if err = t.End(ctx, &Result{Kind: Finished, Messages: messages, Loop: res}); err == nil && out.cut != nil {
			summarise(t, out.cut) //nolint:contextcheck // the request outlives the turn
		}
	case IsEnded(out.err):
		err = t.Commit(ctx, t.Interrupts().Reply(ctx, messages, out.err))
	case ctx.Err() != nil, errors.Is(out.err, session.ErrStore), errors.Is(out.err, session.ErrFenced):
		return out.err
	case atLimit:
		t.Log().Warn().Str("reason", limit.Error()).Bool("acted", len(messages) > len(users)).Msg("a turn is at the limit of its chat")
		t.live.told.Fails(events.CodeLimited, limit.PersonMessage())
		err = t.End(ctx, &Result{Kind: Limited, Messages: messages, Limit: limit, Acted: len(messages) > len(users)})
	default:
		reason, text := t.Explain(out.err)
		if out.alone {
			text = textTooLarge
		}
		err = t.End(ctx, t.Failure(messages, reason, text))
	}
	t.LogUse().Int("rounds", res.Iterations).AnErr("err", out.err).Msg("turn")
	return err
}

// listen makes the context of a turn's work, which ends for a message that ends the turn, and
// with the turn's task. The returned function ends it; it may be called again.
func listen(ctx context.Context, t *Turn) (loop context.Context, over func()) {
	loop, cancel := context.WithCancelCause(ctx)
	stopWatch := t.Interrupts().Watch(loop, cancel)
	forget := untilOver(t.Input.Over, cancel)
	return loop, sync.OnceFunc(func() {
		forget()
		stopWatch()
		cancel(nil)
	})
}

// outcome is the result of asking the model.
type outcome struct {
	err error
	// before is the turn's work before the last run of the loop.
	before []providers.Message
	// alone says that the turn by itself is too long for the model.
	alone bool
	// cut is how the turn read the history, with the place where that has to begin from now
	// on; nil leaves it.
	cut *prompt.Past
}

// ask fetches the files of the items and runs the loop; it gives the items as the model
// reads them. When the conversation is too long for the model, also after some rounds,
// half of the earlier turns is left out, once, and the turn goes on from where it is.
func (t *Turn) ask(loop context.Context, items []session.Item, past resumed) ([]providers.Message, *tools.ToolLoopResult, outcome) {
	t.live.show(loop)
	t.At(stageFetch)
	users := slices.Clone(t.Input.Words)
	if users == nil {
		users = read(loop, t, items)
	}
	system, setting, err := t.Frame(loop)
	if err != nil {
		return users, &tools.ToolLoopResult{}, outcome{err: ended(loop, err), before: past.messages}
	}

	model := modelFor(t, users)
	tokens := model.HistoryTokens(t.Deps.Limits.ContextTokens)
	for try := 0; ; try++ {
		t.At(stagePast)
		window := prompt.Past{
			Session: t.Info.Session, Space: t.Space, Budget: tokens, Entries: t.Deps.Limits.ContextEntries,
			From: t.Deps.Prompts.Summaries.From(t.Info.Session), Reach: prompt.Reach(tokens), Extra: 3 + len(users) + len(past.messages),
			Recall: func() string { return recaller(t) },
		}
		h, err := t.Deps.Prompts.History(loop, window)
		if err != nil {
			return users, &tools.ToolLoopResult{}, outcome{err: ended(loop, err), before: past.messages}
		}
		if !isFree(t) {
			t.Provenance.AddOrigin(h.Outside, h.Tainted)
		}
		t.Input.Whole = !h.Partial && t.Info.First() && !isFree(t)
		all := len(h.Messages)
		msgs := caller.Frame(system, setting, h.Messages, users, past.messages)
		t.At(StageAsking)
		res, err := runLoop(loop, t, loopConfig(t, &model, past), msgs)
		tooLong := isTooLong(err)
		if !tooLong || try > 0 || all == 0 {
			out := outcome{err: err, before: past.messages, alone: tooLong && all == 0}
			if window.From = h.From; h.Cut && storesCuts(t, &model, res) {
				out.cut = &window
			}
			return users, res, out
		}
		t.Log().Warn().Msg("the conversation is too long for the model; the older half is left out")
		t.live.told.Notice(events.CodeShortened, textShortened)
		tokens = h.Tokens * 2 / 3 // of a budget that is too small, three quarters are kept
		past.messages = append(past.messages, res.Messages...)
		past.rounds = res.Iterations
	}
}

// runLoop runs the loop of tools. It gives a result in any case, and for an error the cause
// for which the loop's context has ended, if it has.
func runLoop(
	loop context.Context, t *Turn, config tools.ToolLoopConfig, messages []providers.Message,
) (*tools.ToolLoopResult, error) {
	res, err := tools.RunToolLoop(t.Invocation(loop), config, messages, t.Origin.Address.Channel, t.Origin.Address.Chat)
	if res == nil {
		res = &tools.ToolLoopResult{}
	}
	return res, ended(loop, err)
}

// ended is an error of the turn's work, or in its place the cause that has ended the work.
func ended(loop context.Context, err error) error {
	if cause := context.Cause(loop); err != nil && cause != nil {
		return cause
	}
	return err
}

// untilOver ends the loop when over ends, the lifetime of the turn's task; the returned
// function ends that. A nil lifetime is the turn's own.
func untilOver(over context.Context, cancel context.CancelCauseFunc) func() {
	if over == nil {
		return func() {}
	}
	stop := context.AfterFunc(over, func() {
		if cause := context.Cause(over); errors.Is(cause, ErrTaskOver) {
			cancel(cause)
		}
	})
	return func() { stop() }
}

func isTooLong(err error) bool {
	pe, ok := errors.AsType[*providers.Error](err)
	return ok && pe.Kind == providers.KindTooLong
}

func loopConfig(t *Turn, model *Model, past resumed) tools.ToolLoopConfig {
	provider, hooks, offered := t.Usage.Provider(model.Provider), callTasks{t}, t.Offered()
	if isFree(t) {
		provider = ModelOf(t, RoleTool).Provider
	}
	provider = caller.Bind(provider, Wish(t), offered.Enabled)
	return tools.ToolLoopConfig{
		Provider: provider, Model: model.Name, LLMOptions: optionsFor(t, model, offered),
		Tools:         offered,
		Whole:         isFree(t) || caller.Names(Wish(t)),
		Caller:        caller.Tools(Wish(t)),
		MaxIterations: caller.Rounds(t.Deps.Limits.Iterations, Wish(t)),
		MaxParallel:   t.Deps.Limits.Parallel,
		Journal:       journal{t},
		Callbacks:     hooks.callback,
		TaskContext:   hooks.taskContext,
		Progress:      hooks.progress,
		Brings:        hooks.brings,
		FirstRound:    past.rounds,
		Gate:          t.Deps.Approvals.Gate(t),
		Asked:         past.asked,
	}
}

// Offered is the registry as this turn may see it.
func (t *Turn) Offered() *tools.ToolRegistry {
	wish := Wish(t)
	return t.Deps.Tools.Filter(func(name string, an tools.Annotations) bool {
		if !t.Principal.Level.Allows(policy.Level(an.Level)) || an.Recalls && t.Input.Whole || !caller.Leaves(wish, name) {
			return false
		}
		return t.handler.Offers(name) && (t.Deps.Offered == nil || t.Deps.Offered(t.Origin.Address, name))
	})
}

// recaller is the name of the tool that finds what a request lacks, or "".
func recaller(t *Turn) string {
	offered := t.Deps.Tools.Filter(func(_ string, an tools.Annotations) bool { return an.Recalls })
	for _, name := range offered.List() {
		if t.Offered().Enabled(name) {
			return name
		}
	}
	return ""
}

// Invocation is the context of the turn's calls.
func (t *Turn) Invocation(ctx context.Context) context.Context {
	ad := t.Origin.Address
	return tools.WithInvocation(ctx, tools.Invocation{
		Channel: ad.Channel, Account: ad.Account, Chat: ad.Chat, Thread: ad.Thread,
		Sender: t.Principal.Sender.ID, Session: t.Info.Session, Turn: t.Info.ID,
		Space: t.Space, Level: tools.Level(t.Principal.Level),
		Watch: watch{t.Deps.Work, ongoing.Of{Chat: t.Origin.Chat, Session: t.Origin.Session}, "a call of turn " + t.Info.ID},
	})
}

// watch notes the calls of a turn, and keeps no state of it.
type watch struct {
	work Work
	of   ongoing.Of
	name string
}

// Began implements [tools.Watch].
func (w watch) Began() (ended func()) { return w.work.Note(w.of, w.name) }

// IsDecided reports whether a call is the one that was allowed: the one of the first
// answer of its turn, which the model did not write. A model may give any call any id.
func IsDecided(t *Turn, key string) bool {
	return t.Input.Decided != nil && key == session.CallID(t.Info.ID, session.CallKey(1, 0))
}

// Explain turns an error into a reason for the record and a sentence for the person.
func (t *Turn) Explain(err error) (reason, person string) {
	if pe, ok := errors.AsType[*providers.Error](err); ok {
		person = pe.PersonMessage()
		if pe.Kind == providers.KindTooLong {
			person += fmt.Sprintf(textSendNew, t.Typed("new"))
		}
		return pe.Error(), person
	}
	if l, ok := errors.AsType[*budget.LimitError](err); ok {
		return l.Error(), l.PersonMessage()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return err.Error(), textTookTooLong
	}
	return fmt.Sprintf("turn: %v", err), textInternal
}

// Log is the log of the turn.
func (t *Turn) Log() *zerolog.Logger { return t.log() }

// At notes the turn's activity before it asks the model.
func (t *Turn) At(stage string) { t.stage.Store(&stage) }

// Record writes a step to the turn's ledger.
func (t *Turn) Record(ctx context.Context, s session.Step) error {
	return t.ledger.Record(ctx, s)
}
