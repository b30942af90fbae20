package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/agent/budget"
	"parley/pkg/agent/trust"
	"parley/pkg/channels"
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
	// sent is when it was taken in.
	sent time.Time
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
	agentRun
	space string
	// provenance is where its words come from.
	provenance *trust.Provenance
	early      error                  // why it was ended before it had a place; nil for most
	stage      atomic.Pointer[string] // what it does before it asks; nil or "": nothing
	decided    *session.Approval      // whose call this turn makes; nil for most
	closes     string                 // the question whose message the last one takes over
	ends       string                 // what finishes the message of a task whose turn says nothing; "" for most
	preview    *preview
	opened     *openings
	ofJob      jobNotes // what is noted of a job's turn

	mu      sync.Mutex
	pending map[string][]queued     // what calls want sent, by call key
	sent    map[string]bool         // texts that left in this turn
	seq     map[string]int          // outgoing messages per call key
	begun   map[string]session.Task // tasks whose call has not ended
	asks    map[string]asking       // questions whose call has not ended, by call key
	put     []session.Approval      // questions whose call has ended: it waits
	late    time.Duration           // the age of its oldest message that is late; 0: none is
}

func newRun(a *Agent, t session.Turn) *run {
	info := t.Info()
	r := &run{
		a: a, t: t, info: info, home: info.Address, chat: info.Chat, session: info.Session, agentRun: agentRun{started: startedBy(info.Steps)},
		steps: &steps{t: t}, began: time.Now(), wall: a.o.Now(), opened: openingsOf(info.Steps, ""),
		pending: map[string][]queued{}, sent: map[string]bool{}, seq: map[string]int{}, begun: begunBy(&info),
		asks: map[string]asking{}, provenance: &trust.Provenance{},
	}
	r.usage = r.newUsage()
	return r
}

// do runs the turn to its commit. An error means that nothing was committed and
// the engine hands the turn out again.
func (r *run) do(ctx context.Context) (err error) {
	defer func() { r.steps.end(ctx, err == nil) }()
	defer func() { r.usage.Close() }()
	defer func() {
		if p := recover(); p != nil {
			r.log().Error().Interface("panic", p).Bytes("stack", debug.Stack()).Msg("a turn panicked")
			err = r.fail(ctx, nil, "panic", "Something went wrong on my side while I worked on this. It has been logged.")
		}
	}()
	if over, err := r.asAgent(ctx); over || err != nil {
		return err
	}
	if err := r.takeOver(ctx); err != nil {
		return err
	}
	if r.info.Lost >= maxLost {
		return r.quarantine(ctx)
	}
	items, refused := r.authorize(ctx)
	switch {
	case len(items) == 0 && r.job() != nil:
		return r.jobRefused(ctx, refused)
	case len(items) == 0:
		return r.notAllowed(ctx, refused)
	case len(items) == 1:
		return r.alone(ctx, items)
	}
	r.provenance.AddItems(items)
	r.space = r.a.o.Space(r.home, r.principal.SharesSpace())
	return r.answer(ctx, items)
}

// authorize asks the policy about the senders of the turn's items. It returns the items
// that may run and why others may not; the turn's principal has their lowest rights.
func (r *run) authorize(ctx context.Context) ([]session.Item, string) {
	items, p, refused := r.a.rights.OfAll(ctx, r.info.Items, r.log())
	if len(items) > 0 {
		r.principal = p
	}
	if p.Tainted {
		r.provenance.Taint()
	}
	return items, refused
}

// alone runs the turn of one item, which may be something else than a message.
func (r *run) alone(ctx context.Context, items []session.Item) error {
	it := &items[0]
	if w, ok := wordOf(it); ok {
		return r.decide(ctx, w)
	}
	r.provenance.AddItems(items)
	r.space = r.a.o.Space(r.home, r.principal.SharesSpace())
	if r.job() != nil {
		return r.runJob(ctx, *it)
	}
	if it.Inbound != nil {
		if name, arg, ok := parseCommand(it.Inbound.Text); ok && name != "tool" {
			return r.command(ctx, *it, name, arg)
		}
	}
	if told, err := r.agentEnded(ctx, items); told || err != nil {
		return err
	}
	return r.answer(ctx, items)
}

// maxLost is how many processes a turn may take with it before it is set aside.
const maxLost = 3

func (r *run) quarantine(ctx context.Context) error {
	r.log().Error().Int("lost", r.info.Lost).Msg("a turn was set aside: the gateway died three times while it ran")
	if w, ok := wordOf(&r.info.Items[0]); ok {
		a, err := r.a.o.Engine.Approval(ctx, w.id)
		if err == nil && a.DecidedTurn == r.info.ID {
			return r.giveUp(ctx, &a)
		}
	}
	if r.job() != nil {
		return r.jobQuarantined(ctx)
	}
	text := "I have set your last message aside: the gateway stopped three times while working on it. Please write it differently."
	if r.task != nil {
		text = "It was set aside: the gateway stopped three times while it worked."
	}
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeQuarantined, Reason: "the process died three times during this turn",
		Messages: append(r.userMessages(r.info.Items, nil), assistant(text)),
	}, text)
}

// answer asks the model until it is done and commits what came of it.
func (r *run) answer(ctx context.Context, items []session.Item) error {
	failpoint.Hit("P4")
	if r.task != nil {
		failpoint.Hit("T3")
	}
	past, err := r.resume(ctx)
	if err != nil {
		return err
	}
	users, res, out := r.ask(ctx, items, past)
	messages := append(append(users, out.before...), res.Messages...)
	r.preview.close()
	limit, atLimit := errors.AsType[*budget.LimitError](out.err)

	switch {
	case out.err == nil:
		err = r.finish(ctx, messages, res, out)
	case ended(out.err):
		err = r.stopped(ctx, messages, out.err)
	case ctx.Err() != nil, errors.Is(out.err, session.ErrStore), errors.Is(out.err, session.ErrFenced):
		return out.err
	case atLimit:
		err = r.limited(ctx, messages, len(messages) > len(users), limit)
	default:
		reason, text := r.explain(out.err)
		if out.alone {
			text = "This is more than the model can read at once. Please send it, or ask for it, in smaller parts."
		}
		err = r.fail(ctx, messages, reason, text)
	}
	r.logUse().Int("rounds", res.Iterations).AnErr("err", out.err).Msg("turn")
	return err
}

// ended says that something that arrived ended the turn.
func ended(err error) bool {
	_, stopped := errors.AsType[stopError](err)
	return stopped || errors.Is(err, errInterrupted) || errors.Is(err, errTaskOver)
}

// stopped commits a turn that was ended for why. A /stop that ends several, one
// after the other, is told once.
func (r *run) stopped(ctx context.Context, messages []providers.Message, why error) error {
	mark, told := "("+why.Error()+")", ""
	if stop, ok := errors.AsType[stopError](why); ok {
		mark = stoppedText
		if !r.saidStopped(ctx, stop.sent) {
			told = stoppedText
		}
	}
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeStopped, Reason: why.Error(), Messages: append(messages, assistant(mark)),
	}, told)
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
	stopWatch := r.watch(loop, cancel)
	defer stopWatch()
	defer r.untilOver(cancel)()
	r.preview = r.newPreview(loop)
	r.at(stageFetch)
	users := r.userMessages(items, r.fetch(loop, items))
	system, err := r.system(loop)
	if err != nil {
		return users, &tools.ToolLoopResult{}, asked{err: err, before: past.messages}
	}

	budget := r.a.o.ContextTokens
	for try := 0; ; try++ {
		r.at(stagePast)
		h, err := r.history(ctx, budget, 2+len(users)+len(past.messages))
		if err != nil {
			return users, &tools.ToolLoopResult{}, asked{err: err, before: past.messages}
		}
		all := len(h.messages)
		msgs := append(append(slices.Insert(h.messages, 0, system), users...), past.messages...)
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
				out.compactTo = h.from
			}
			return users, res, out
		}
		r.log().Warn().Msg("the conversation is too long for the model; the older half is left out")
		budget = h.tokens / 2
		past.messages = append(past.messages, res.Messages...)
		past.rounds = res.Iterations
	}
}

func isTooLong(err error) bool {
	pe, ok := errors.AsType[*providers.Error](err)
	return ok && pe.Kind == providers.KindTooLong
}

func (r *run) config(past past) tools.ToolLoopConfig {
	provider := r.usage.Provider(r.a.o.Provider)
	if r.free() {
		provider = r.a.o.Direct
	}
	return tools.ToolLoopConfig{
		Provider: provider, Model: r.a.o.Model, LLMOptions: r.a.o.ModelOptions,
		Tools:         r.offered(),
		MaxIterations: r.a.o.MaxIterations,
		MaxParallel:   r.a.o.MaxParallel,
		Journal:       r,
		Callbacks:     r.callback,
		TaskContext:   r.taskContext,
		Progress:      r.progress,
		Brings:        r.brings,
		FirstRound:    past.rounds,
		Gate:          r,
		Asked:         past.asked,
	}
}

// offered is the registry as this turn may see it.
func (r *run) offered() *tools.ToolRegistry {
	return r.a.o.Tools.Filter(func(name string, an tools.Annotations) bool {
		if !r.principal.Level.Allows(policy.Level(an.Level)) {
			return false
		}
		if r.task != nil && !r.a.o.Background.Offered(name, r.task.Depth) {
			return false
		}
		return r.a.o.Offered == nil || r.a.o.Offered(r.home, name)
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
			person += " Send " + r.typed("new") + " to start a fresh one."
		}
		return pe.Error(), person
	}
	if l, ok := errors.AsType[*budget.LimitError](err); ok {
		return l.Error(), l.PersonMessage()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return err.Error(), "This took too long and was ended. Please try again."
	}
	return fmt.Sprintf("turn: %v", err), "Something went wrong on my side while I worked on this. It has been logged."
}
