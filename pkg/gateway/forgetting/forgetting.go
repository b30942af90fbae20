package forgetting

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/forgets"
	"parley/pkg/session/local"
)

// again is the pause before a step that failed is tried again.
const again = time.Minute

// Options are the parts that a [Forgetting] works with; all are required.
type Options struct {
	Engine *local.Engine
	Store  local.Forgetter
	// EndWork ends all that works for a chat, or for one conversation of it, and lets no turn begin there until
	// goOn is called, which it returns in any case, and none any more where its records are gone. The turn that
	// ctx belongs to goes on.
	EndWork func(ctx context.Context, chat, conversation string) (goOn func(gone bool), err error)
	// Files remove the files of a chat that a later one at its address would find, before the records go. Rest
	// removes those that have ids of the chat, afterwards, and Indexes also the words of single conversations.
	Files, Rest, Indexes []Cleaner
	Now                  func() time.Time
	Log                  zerolog.Logger
}

// Forgetting forgets chats. [New] makes one.
type Forgetting struct {
	o      Options
	ledger *forgets.Ledger
	more   chan struct{} // has one where the worker may find more

	first sync.Mutex // held over the steps that a chat waits for
	round sync.Mutex // held over the others

	mu      sync.Mutex
	changed chan struct{}    // closed at the end of a round
	failed  map[string]error // why a step of a forget failed in the last round, by its id
}

// New is the forgetting of a store.
func New(o Options) *Forgetting {
	return &Forgetting{o: o, ledger: o.Store.Ledger(), more: make(chan struct{}, 1), changed: make(chan struct{})}
}

// Ask is one forget.
type Ask struct {
	// Of is the conversation. The present one of a chat stands for the whole chat.
	Of session.Info
	// Question is the message with the question that a person answered; the chat is told then, in its place.
	Question string
	// Turn is that of the answer: messages that the chat got after it are for the chat that begins anew.
	Turn string
	// Shared says that the chat used the space of the owners, which stays.
	Shared bool
}

// Forget ends the work of a chat, begins a forget and deletes the records and files. The rest is done in the
// background by Run, or by Finish. It returns the id of the forget, "" where none has begun; after an error the
// steps that are left are taken later.
func (f *Forgetting) Forget(ctx context.Context, a Ask) (string, error) {
	ctx = context.WithoutCancel(ctx) // it is finished in any case, so it may be finished now
	e := forgets.Entry{
		ID: strings.ToLower(rand.Text()[:10]), Time: f.o.Now().UTC(), Chat: a.Of.Chat, Session: a.Of.Session, At: a.Of.Address,
		Shared: a.Shared, Question: a.Question, Turn: a.Turn, Left: forgets.Steps(),
	}
	if a.Of.Current {
		e.Session = ""
	}
	if err := f.add(&e); err != nil {
		return "", err
	}
	failpoint.Hit("F1")
	f.o.Log.Info().Str("forget", e.ID).Str("chat", e.Chat).Str("conversation", e.Session).Msg("a chat or a conversation is being forgotten")
	err := f.begin(ctx, e.ID)
	f.kick()
	return e.ID, err
}

// add adds an entry to the ledger. Where a turn that failed is run again, it is the one of the earlier attempt.
func (f *Forgetting) add(e *forgets.Entry) error {
	f.first.Lock()
	defer f.first.Unlock()
	before := f.ledger.Unfinished()
	again := slices.IndexFunc(before, func(b forgets.Entry) bool {
		return b.Session == e.Session && b.Question == e.Question && (b.Chat == e.Chat || b.Question != "")
	})
	if again >= 0 {
		*e = before[again]
		return nil
	}
	if e.Whole() {
		if err := f.locate(e); err != nil {
			return err
		}
	}
	if err := f.ledger.Add(*e); err != nil {
		return fmt.Errorf("the ledger of forgets cannot be written: %w", err)
	}
	return nil
}

// locate notes the addresses of a whole chat, and the last number that was given out.
func (f *Forgetting) locate(e *forgets.Entry) error {
	all, last, err := f.o.Store.Addresses(e.Chat)
	if err != nil {
		return err
	}
	if e.Until = last; len(all) > 1 {
		e.Moved = all
	}
	return nil
}

// kick lets the worker look for steps that are left.
func (f *Forgetting) kick() {
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// begin takes the steps of a forget that the chat waits for, once its work has ended. One that fails is left for
// the worker.
func (f *Forgetting) begin(ctx context.Context, id string) error {
	err := errPart
	for range maxParts {
		if !errors.Is(err, errPart) {
			break
		}
		err = f.beginOnce(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("forget %s: %w", id, err)
	}
	return nil
}

// beginOnce is one attempt.
func (f *Forgetting) beginOnce(ctx context.Context, id string) error {
	e := f.find(id)
	if e == nil || !waitedFor(e) {
		return nil
	}
	goOn, err := f.o.EndWork(ctx, e.Chat, e.Session)
	defer func() { goOn(gone(f.find(id))) }()
	if err != nil {
		return err
	}
	defer f.o.Store.HoldOutbox(ctx, e.Chat)() // a channel may keep the file of a message
	f.first.Lock()
	defer f.first.Unlock()
	held := e.Chat
	if e = f.find(id); e == nil { // another attempt was first
		return nil
	}
	if e.Chat != held { // and found that another chat has taken this one over
		return errPart
	}
	return f.steps(ctx, e)
}

// gone reports whether the records that a forget deletes are gone; nil is one that is finished.
func gone(e *forgets.Entry) bool {
	return e == nil || !slices.Contains(e.Left, forgets.StepStore)
}

// find is an entry with steps that are left, or nil.
func (f *Forgetting) find(id string) *forgets.Entry {
	all := f.ledger.Unfinished()
	i := slices.IndexFunc(all, func(e forgets.Entry) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// waitedFor reports whether a chat waits for a step of its forget.
func waitedFor(e *forgets.Entry) bool {
	return len(e.Left) > 0 && e.Left[0] != forgets.StepPages && e.Left[0] != forgets.StepCopies
}

// steps takes the steps that the chat waits for. Before the records go, the ledger has it that the files are gone:
// so a later attempt takes none from a chat that began anew. As long as the records are there the chat may work
// between two attempts, so each attempt removes the files. Each of the later steps may be taken twice.
func (f *Forgetting) steps(ctx context.Context, e *forgets.Entry) error {
	did := map[forgets.Step]func() error{
		forgets.StepFiles: func() error { return files(ctx, &f.o, e) },
		forgets.StepStore: func() error { return f.records(ctx, e) },
		forgets.StepRest:  func() error { return rest(ctx, &f.o, e) },
		forgets.StepTell:  func() error { return f.tell(ctx, e) },
	}
	points := map[forgets.Step]string{
		forgets.StepFiles: "F4", forgets.StepStore: "F2", forgets.StepRest: "F11", forgets.StepTell: "F5",
	}
	var unwritten error
	for _, s := range e.Left {
		do := did[s]
		if do == nil {
			break
		}
		if err := do(); err != nil {
			return fmt.Errorf("%s: %w", s, errors.Join(err, unwritten))
		}
		if err := note(f.ledger, e, s); err != nil {
			if unwritten = errors.Join(unwritten, err); s == forgets.StepFiles {
				break
			}
			continue
		}
		failpoint.Hit(points[s])
	}
	return unwritten
}

// errPart says that the chat of a forget became part of another one, before its records were deleted.
var errPart = errors.New("the chat has become part of another one, which is forgotten instead")

// maxParts is how many chats in a row may take each other over while one is forgotten.
const maxParts = 3

// follow lets a forget go on with the chat that has taken its own one over, and returns errPart then.
func (f *Forgetting) follow(ctx context.Context, e *forgets.Entry) error {
	if !e.Whole() {
		return nil
	}
	into := f.o.Store.PartOf(ctx, e)
	if into == "" {
		return nil
	}
	next := *e
	next.Chat, next.Left = into, forgets.Steps()
	if err := f.locate(&next); err != nil {
		return err
	}
	return errors.Join(f.ledger.Replace(next), errPart)
}

// store deletes what the entry says, and decides no more: the chat may have another conversation by now.
func (f *Forgetting) store(ctx context.Context, e *forgets.Entry) error {
	if e.Whole() && e.Question != "" {
		return f.o.Store.Renew(ctx, e.Chat, e.Turn, told(e))
	}
	return f.o.Store.Forget(ctx, e.Chat, e.Session)
}

// told is the message to the chat, in the place of the question.
func told(e *forgets.Entry) channels.Outbound {
	said := textForgotten
	if e.Shared {
		said += textSharedStays
	}
	return channels.Outbound{ID: "forget/" + e.ID, Address: e.At, Text: said, Finishes: e.Question, Asked: e.Time, Time: e.Time}
}

// tell tells the chat, if that has not happened with its records.
func (f *Forgetting) tell(ctx context.Context, e *forgets.Entry) error {
	if e.Question == "" {
		return nil
	}
	return f.o.Store.Renew(ctx, "", "", told(e))
}

// Resume goes on with what an earlier process has left, as far as chats wait for it. It is called before
// any chat works.
func (f *Forgetting) Resume(ctx context.Context) {
	all := f.ledger.Unfinished()
	for i := range all {
		f.o.Log.Info().Str("forget", all[i].ID).Msg("going on with a forget that an earlier process began")
		if err := f.begin(ctx, all[i].ID); err != nil {
			f.o.Log.Warn().Err(err).Msg("a step of forgetting failed; it is tried again")
		}
	}
	f.kick()
}

// Run does the rest of each forget until ctx ends.
func (f *Forgetting) Run(ctx context.Context) {
	if len(f.ledger.All()) > 0 { // a copy that somebody has put there
		_, err := f.o.Store.CleanCopies(ctx, false)
		f.warn(ctx, err)
	}
	retry := time.NewTimer(again)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.more:
		case <-retry.C:
		}
		if len(f.ledger.Unfinished()) > 0 {
			_, err := f.Finish(ctx)
			f.warn(ctx, err)
		}
		retry.Reset(again)
	}
}

func (f *Forgetting) warn(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		f.o.Log.Warn().Err(err).Msg("a step of forgetting failed; it is tried again in a minute")
	}
}

// Finish takes all steps that are left, and returns the copies of the store that it rewrote or removed.
// A forget whose first steps fail holds up no other one.
func (f *Forgetting) Finish(ctx context.Context) (copies []string, err error) {
	f.round.Lock()
	defer f.round.Unlock()
	ready, failed := f.begun(ctx)
	if len(ready) > 0 {
		copies, err = f.finish(ctx, ready)
	}
	if err != nil {
		for i := range ready {
			failed[ready[i].ID] = err
		}
	}
	f.note(failed)
	return copies, errors.Join(slices.Collect(maps.Values(failed))...)
}

// finish takes the steps of forgets that no chat waits for.
func (f *Forgetting) finish(ctx context.Context, all []forgets.Entry) (copies []string, err error) {
	if err := f.o.Store.Erase(ctx); err != nil {
		return nil, fmt.Errorf("erase the free pages of the store: %w", err)
	}
	if err := f.done(all, forgets.StepPages, "F7"); err != nil {
		return nil, err
	}
	if f.o.Engine.Held() == "" { // the older ones of a held store are those that it may need
		if _, err := f.o.Engine.Snapshot(ctx); err != nil {
			return nil, err
		}
		failpoint.Hit("F8")
	}
	if copies, err = f.o.Store.CleanCopies(ctx, true); err != nil {
		return copies, err
	}
	err = f.done(all, forgets.StepCopies, "F10")
	f.o.Log.Info().Int("forgets", len(all)).Strs("copies", copies).Msg("what was forgotten is gone from the store and its copies")
	return copies, err
}

// begun are the unfinished forgets for which the steps that chats wait for are done, and why they fail for
// others, by id.
func (f *Forgetting) begun(ctx context.Context) (ready []forgets.Entry, failed map[string]error) {
	failed = map[string]error{}
	all := f.ledger.Unfinished()
	for i := range all {
		if ctx.Err() != nil {
			break
		}
		if err := f.begin(ctx, all[i].ID); err != nil {
			failed[all[i].ID] = err
			continue
		}
		ready = append(ready, all[i])
	}
	return ready, failed
}

// done stores that a step of several forgets is done.
func (f *Forgetting) done(all []forgets.Entry, s forgets.Step, point string) error {
	for i := range all {
		if err := f.ledger.Did(all[i].ID, s); err != nil {
			return err
		}
	}
	failpoint.Hit(point)
	return nil
}

// note keeps how a round ended, for those that wait.
func (f *Forgetting) note(failed map[string]error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = failed
	close(f.changed)
	f.changed = make(chan struct{})
}

// Wait waits until a forget is finished. An error says why its last step failed; it is tried again.
func (f *Forgetting) Wait(ctx context.Context, id string) error {
	for {
		f.mu.Lock()
		changed := f.changed
		f.mu.Unlock()
		if !f.Left(id) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		f.mu.Lock()
		err := f.failed[id]
		f.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// Left says whether a forget has steps that are left.
func (f *Forgetting) Left(id string) bool {
	return slices.ContainsFunc(f.ledger.Unfinished(), func(e forgets.Entry) bool { return e.ID == id })
}

// Asked reports whether a forget is under way by the answer to a question.
func (f *Forgetting) Asked(question string) bool {
	return slices.ContainsFunc(f.ledger.Unfinished(), func(e forgets.Entry) bool { return e.Question == question })
}

// UnderWay are the forgets with steps that are left, the oldest first.
func (f *Forgetting) UnderWay() []forgets.Entry { return f.ledger.Unfinished() }
