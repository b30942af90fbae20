package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/agent/budget"
	"parley/pkg/agent/progress"
	"parley/pkg/agent/task"
	"parley/pkg/agent/trust"
	"parley/pkg/channels"
	"parley/pkg/panics"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// The causes that end a running turn in favour of something that arrived: a
// stopError, or errInterrupted.
var errInterrupted = errors.New("interrupted by a newer message")

// stopError is the /stop that ended a turn.
type stopError struct {
	item string // the id of its inbox item
}

func (stopError) Error() string { return "stopped by /stop" }

// run is one attempt at a turn. Its fields are set before the loop starts and
// read from there on, except for those under mu.
type run struct {
	a    *Agent
	t    session.Turn
	info session.TurnInfo
	// steps writes the turn's ledger.
	steps *steps
	began time.Time
	wall  time.Time // when it began by the clock of the schedules
	usage *budget.TurnUsage

	principal trust.Principal
	// home is where the turn's tools are at work, and whom it speaks to: its own chat,
	// or for a background agent the chat that started it.
	home channels.Address
	// chat and session are those of home, which for a background agent are not the turn's.
	chat, session string
	task          *session.Task // whose background agent this turn is; nil for most
	tasks         *turnTasks
	gate          *approvalGate
	space         string
	// provenance is where its words come from.
	provenance *trust.Provenance

	kind     kind
	handler  handler
	in       input
	early    error                  // why it was ended before it had a place; nil for most
	stage    atomic.Pointer[string] // what it does before it asks; nil or "": nothing
	ends     string                 // what finishes the message of a task whose turn says nothing; "" for most
	preview  *progress.Preview
	outgoing *outgoing
	live     *progress.LiveMessage

	mu   sync.Mutex
	late time.Duration // the age of its oldest message that is late; 0: none is
}

func newRun(a *Agent, t session.Turn) *run {
	info := t.Info()
	r := &run{
		a: a, t: t, info: info, kind: kindOf(&info), home: info.Address, chat: info.Chat, session: info.Session,
		tasks: newTurnTasks(&info),
		steps: &steps{t: t}, began: time.Now(), wall: a.o.Now(), live: progress.NewLiveMessage(info.Steps, ""),
		outgoing: newOutgoing(), provenance: &trust.Provenance{},
	}
	r.gate = &approvalGate{r: r, asks: map[string]pendingApproval{}}
	r.usage = r.newUsage()
	r.handler = r.kind.handler(r)
	return r
}

// do runs the turn to its commit. An error means that nothing was committed and
// the engine hands the turn out again.
func (r *run) do(ctx context.Context) (err error) {
	defer func() { r.steps.end(ctx, err == nil) }()
	defer func() { r.usage.Close() }()
	if p := panics.Catch(func() { err = r.attempt(ctx) }); p != nil {
		r.log().Error().Interface("panic", p.Value).Bytes("stack", p.Stack).Msg("a turn panicked")
		return r.fail(ctx, nil, "panic", textInternal)
	}
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}

// attempt runs the turn by its kind.
func (r *run) attempt(ctx context.Context) error {
	if r.info.Lost >= maxLost {
		r.log().Error().Int("lost", r.info.Lost).Msg("a turn was set aside: the gateway died three times while it ran")
		return r.end(ctx, &ending{how: endLost, reason: "the process died three times during this turn"})
	}
	in, err := r.handler.begin(ctx)
	if err != nil {
		return err
	}
	return r.answer(ctx, in)
}

// maxLost is how many processes a turn may take with it before it is set aside.
const maxLost = 3

// answer asks the model until it is done and commits what came of it.
func (r *run) answer(ctx context.Context, in input) error {
	failpoint.Hit("P4")
	r.in = in
	past, err := r.resume(ctx)
	if err != nil {
		return err
	}
	users, res, out := r.ask(ctx, in.items, past)
	messages := append(append(users, out.before...), res.Messages...)
	r.preview.Close()
	limit, atLimit := errors.AsType[*budget.LimitError](out.err)

	switch {
	case out.err == nil:
		err = r.end(ctx, &ending{how: endFinished, messages: messages, loop: res, compactTo: out.compactTo})
	case ended(out.err):
		err = r.commit(ctx, r.stoppedReply(ctx, messages, out.err))
	case ctx.Err() != nil, errors.Is(out.err, session.ErrStore), errors.Is(out.err, session.ErrFenced):
		return out.err
	case atLimit:
		r.log().Warn().Str("reason", limit.Error()).Bool("acted", len(messages) > len(users)).Msg("a turn is at the limit of its chat")
		err = r.end(ctx, &ending{how: endLimited, messages: messages, limit: limit, acted: len(messages) > len(users)})
	default:
		reason, text := r.explain(out.err)
		if out.alone {
			text = textTooLarge
		}
		err = r.fail(ctx, messages, reason, text)
	}
	r.logUse().Int("rounds", res.Iterations).AnErr("err", out.err).Msg("turn")
	return err
}

// ended says that something that arrived ended the turn.
func ended(err error) bool {
	_, stopped := errors.AsType[stopError](err)
	return stopped || errors.Is(err, errInterrupted) || errors.Is(err, task.ErrOver)
}

// stoppedReply is the reply of a turn that was ended for why. A /stop that ends several, one
// after the other, is told once.
func (r *run) stoppedReply(ctx context.Context, messages []providers.Message, why error) reply {
	mark, told, id := "("+why.Error()+")", "", ""
	if stop, ok := errors.AsType[stopError](why); ok {
		mark = textStopped
		if !r.saidStopped(ctx, stop.item) {
			told, id = textStopped, session.StopAnswerID(stop.item)
		}
	}
	return reply{Commit: session.Commit{
		Outcome: session.OutcomeStopped, Reason: why.Error(), Messages: append(messages, assistant(mark)),
	}, text: told, id: id}
}

// asked is what came of asking the model.
type asked struct {
	err error
	// before is what the turn did before the last run of the loop.
	before []providers.Message
	// alone says that the turn by itself is too long for the model.
	alone bool
	// compactTo is where the history has to begin from now on; 0 leaves it.
	compactTo uint64
}

// ask fetches what came with the items and runs the loop; it gives the items as
// the model reads them. When the conversation is too long for the model, also after
// some rounds, half of what was said before the turn is left out, once, and the
// turn goes on from where it is.
func (r *run) ask(ctx context.Context, items []session.Item, past past) ([]providers.Message, *tools.ToolLoopResult, asked) {
	loop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stopWatch := interrupts{r}.watch(loop, cancel)
	defer stopWatch()
	defer r.untilOver(cancel)() //nolint:contextcheck // it looks at the lifetime of the task
	r.preview = r.newPreview(loop)
	r.at(stageFetch)
	users := r.userMessages(items, r.a.prompts.Fetch(loop, r.info.Address, r.space, items))
	system, err := r.system(loop)
	if err != nil {
		return users, &tools.ToolLoopResult{}, asked{err: err, before: past.messages}
	}

	tokens := r.a.o.Limits.ContextTokens
	for try := 0; ; try++ {
		r.at(stagePast)
		h, err := r.a.prompts.History(ctx, r.past(tokens, 2+len(users)+len(past.messages)))
		if err != nil {
			return users, &tools.ToolLoopResult{}, asked{err: err, before: past.messages}
		}
		all := len(h.Messages)
		msgs := append(append(slices.Insert(h.Messages, 0, system), users...), past.messages...)
		r.at("")
		res, err := tools.RunToolLoop(r.invocation(loop), r.config(past), msgs, r.home.Channel, r.home.Chat)
		if res == nil {
			res = &tools.ToolLoopResult{}
		}
		if cause := context.Cause(loop); err != nil && cause != nil {
			err = cause
		}
		tooLong := isTooLong(err)
		if !tooLong || try > 0 || all == 0 {
			out := asked{err: err, before: past.messages, alone: tooLong && all == 0}
			if try > 0 {
				out.compactTo = h.From
			}
			return users, res, out
		}
		r.log().Warn().Msg("the conversation is too long for the model; the older half is left out")
		tokens = h.Tokens / 2
		past.messages = append(past.messages, res.Messages...)
		past.rounds = res.Iterations
	}
}

// untilOver ends the loop when what the turn works for is over; the returned function
// ends that.
func (r *run) untilOver(cancel context.CancelCauseFunc) func() {
	over := r.in.over
	if over == nil {
		return func() {}
	}
	stop := context.AfterFunc(over, func() {
		if cause := context.Cause(over); errors.Is(cause, task.ErrOver) {
			cancel(cause)
		}
	})
	return func() { stop() }
}

func isTooLong(err error) bool {
	pe, ok := errors.AsType[*providers.Error](err)
	return ok && pe.Kind == providers.KindTooLong
}

func (r *run) config(past past) tools.ToolLoopConfig {
	provider, hooks := r.usage.Provider(r.a.o.Model.Provider), callTasks{r}
	if r.free() {
		provider = r.a.o.Model.Direct
	}
	return tools.ToolLoopConfig{
		Provider: provider, Model: r.a.o.Model.Name, LLMOptions: r.a.o.Model.Options,
		Tools:         r.offered(),
		MaxIterations: r.a.o.Limits.Iterations,
		MaxParallel:   r.a.o.Limits.Parallel,
		Journal:       journal{r},
		Callbacks:     hooks.callback,
		TaskContext:   hooks.taskContext,
		Progress:      hooks.progress,
		Brings:        hooks.brings,
		FirstRound:    past.rounds,
		Gate:          r.gate,
		Asked:         past.asked,
	}
}

// offered is the registry as this turn may see it.
func (r *run) offered() *tools.ToolRegistry {
	return r.a.o.Tools.Filter(func(name string, an tools.Annotations) bool {
		if !r.principal.Level.Allows(policy.Level(an.Level)) {
			return false
		}
		return r.handler.offers(name) && (r.a.o.Offered == nil || r.a.o.Offered(r.home, name))
	})
}

func (r *run) invocation(ctx context.Context) context.Context {
	ad := r.home
	return tools.WithInvocation(ctx, tools.Invocation{
		Channel: ad.Channel, Account: ad.Account, Chat: ad.Chat, Thread: ad.Thread,
		Sender: r.principal.Sender.ID, Session: r.info.Session, Turn: r.info.ID,
		Space: r.space, Level: tools.Level(r.principal.Level),
	})
}

// explain turns an error into a reason for the record and a sentence for the person.
func (r *run) explain(err error) (reason, person string) {
	if pe, ok := errors.AsType[*providers.Error](err); ok {
		person = pe.PersonMessage()
		if pe.Kind == providers.KindTooLong {
			person += fmt.Sprintf(textSendNew, r.typed("new"))
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
