package channels_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

var errStore = errors.New("the disk is full")

// memOutbox is an [channels.Outbox] in memory. It keeps the engine's contract, and a
// log of its writes, beside the messages that the platform saw.
type memOutbox struct {
	mu      sync.Mutex
	queues  map[channels.Address][]*entry
	arrived chan struct{}
	log     []string
	// fails is asked before each write; its error keeps the write from the store.
	fails  func(write string) error
	done   map[string]channels.Outcome
	unsent int
	ready  chan func(*channels.Outbound) (show func(), ok bool)
}

type entry struct{ info channels.DeliveryInfo }

func newOutbox() *memOutbox {
	return &memOutbox{
		queues: map[channels.Address][]*entry{}, arrived: make(chan struct{}, 1),
		fails: func(string) error { return nil }, done: map[string]channels.Outcome{},
		ready: make(chan func(*channels.Outbound) (func(), bool), 1),
	}
}

// put queues a message, as marked as a turn's commit leaves it.
func (o *memOutbox) put(chat, id, text string) {
	o.restore(channels.DeliveryInfo{
		Outbound: channels.Outbound{ID: id, Address: address(chat), Text: text, ReplyTo: "q-" + id, Draft: "d-" + id}, Marked: true,
	})
}

// restore queues a message as an earlier process left it.
func (o *memOutbox) restore(info channels.DeliveryInfo) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := info.Outbound.Address
	o.queues[at] = append(o.queues[at], &entry{info: info})
	select {
	case o.arrived <- struct{}{}:
	default:
	}
}

func address(chat string) channels.Address {
	return channels.Address{Channel: "fake", Account: "bot", Chat: chat}
}

// AtOnce implements [channels.Outbox]: the test asks ready itself, and every message takes the whole way.
func (o *memOutbox) AtOnce(_, _ string, ready func(*channels.Outbound) (func(), bool)) (over func()) {
	o.ready <- ready
	return func() {}
}

func (o *memOutbox) RunOutbox(ctx context.Context, channel, account string, h func(context.Context, channels.Delivery) error) error {
	if channel != "fake" || account != "bot" {
		return fmt.Errorf("no such account: %s/%s", channel, account)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	running := map[channels.Address]bool{}
	for {
		o.mu.Lock()
		for at, q := range o.queues {
			if len(q) > 0 && !running[at] {
				running[at] = true
				wg.Go(func() {
					o.lane(ctx, at, h)
					o.mu.Lock()
					defer o.mu.Unlock()
					delete(running, at)
				})
			}
		}
		o.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-o.arrived:
		}
	}
}

func (o *memOutbox) lane(ctx context.Context, at channels.Address, h func(context.Context, channels.Delivery) error) {
	for ctx.Err() == nil {
		o.mu.Lock()
		q := o.queues[at]
		o.mu.Unlock()
		if len(q) == 0 {
			return
		}
		if err := h(ctx, &delivery{box: o, e: q[0]}); err != nil {
			if se, ok := errors.AsType[*channels.SendError](err); ok && se.Class != channels.SendAmbiguous {
				o.mu.Lock()
				o.unsent++
				o.mu.Unlock()
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// clean is how often a handler ended saying that no part was sent.
func (o *memOutbox) clean() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.unsent
}

func (o *memOutbox) write(what string, f func()) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.fails(what); err != nil {
		return err
	}
	o.log = append(o.log, what)
	f()
	return nil
}

func (o *memOutbox) note(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, what)
}

func (o *memOutbox) events() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.log)
}

func (o *memOutbox) outcome(id string) channels.Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done[id]
}

// delivery is the head of a queue.
type delivery struct {
	box *memOutbox
	e   *entry
}

func (d *delivery) Info() channels.DeliveryInfo {
	d.box.mu.Lock()
	defer d.box.mu.Unlock()
	info := d.e.info
	info.Receipts = slices.Clone(info.Receipts)
	return info
}

func (d *delivery) Plan(_ context.Context, parts []string) error {
	if len(parts) == 1 && d.Info().Marked {
		return nil
	}
	return d.box.write(fmt.Sprintf("plan %s %d", d.e.info.Outbound.ID, len(parts)), func() {
		d.e.info.Parts, d.e.info.Marked = slices.Clone(parts), true
	})
}

func (d *delivery) Advance(_ context.Context, part int, r channels.Receipt) error {
	return d.box.write(fmt.Sprintf("advance %s %d %s", d.e.info.Outbound.ID, part, r.MessageID), func() {
		d.e.info.Receipts = append(d.e.info.Receipts, r)
		d.e.info.Ambiguities, d.e.info.Unknown = 0, false
	})
}

func (d *delivery) Ambiguous(_ context.Context, part int) error {
	return d.box.write(fmt.Sprintf("ambiguous %s %d", d.e.info.Outbound.ID, part), func() { d.e.info.Ambiguities++ })
}

func (d *delivery) Settle(_ context.Context, oc channels.Outcome) error {
	id, at := d.e.info.Outbound.ID, d.e.info.Outbound.Address
	return d.box.write(fmt.Sprintf("settle %s %s", id, oc.State), func() {
		d.box.done[id] = oc
		d.box.queues[at] = d.box.queues[at][1:]
	})
}

// platform is a [channels.Channel] with answers that the test decides.
type platform struct {
	box    *memOutbox
	limits channels.Limits
	answer func(ctx context.Context, part channels.Part) error

	mu   sync.Mutex
	sent []sent
}

// sent is one attempt that reached the platform.
type sent struct {
	part channels.Part
	at   time.Duration
}

func (*platform) Name() string                                 { return "fake" }
func (*platform) Account() string                              { return "bot" }
func (*platform) Run(context.Context, *channels.Ingress) error { return nil }
func (p *platform) Limits() channels.Limits                    { return p.limits }
func (p *platform) attempts(chat string) (all []sent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.sent {
		if p.sent[i].part.Address.Chat == chat {
			all = append(all, p.sent[i])
		}
	}
	return all
}

// all are the attempts in all chats.
func (p *platform) all() []sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sent)
}

func (p *platform) texts(chat string) (all []string) {
	attempts := p.attempts(chat)
	for i := range attempts {
		all = append(all, attempts[i].part.Text)
	}
	return all
}

func (p *platform) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	p.mu.Lock()
	p.sent = append(p.sent, sent{part: part, at: sinceStart()})
	n := len(p.sent)
	p.mu.Unlock()
	p.box.note(fmt.Sprintf("sent %s %d", part.ID, part.Index))
	if p.answer != nil {
		if err := p.answer(ctx, part); err != nil {
			return channels.Receipt{}, err
		}
	}
	return channels.Receipt{MessageID: fmt.Sprintf("m%d", n), Time: time.Now()}, nil
}

// sinceStart is the time since a synctest bubble began.
func sinceStart() time.Duration {
	return time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
}

// fails answers the first attempts of each chat with errs, then accepts.
func fails(errs map[string][]error) func(context.Context, channels.Part) error {
	var mu sync.Mutex
	return func(_ context.Context, part channels.Part) error {
		mu.Lock()
		defer mu.Unlock()
		left := errs[part.Address.Chat]
		if len(left) == 0 {
			return nil
		}
		errs[part.Address.Chat] = left[1:]
		return left[0]
	}
}

func failure(class channels.SendClass, after time.Duration) *channels.SendError {
	return &channels.SendError{Class: class, RetryAfter: after, Err: errors.New("no luck")}
}

// running is an [channels.Egress] at work.
type running struct {
	*channels.Egress

	box  *memOutbox
	plat *platform
	stop func()
}

// start runs an egress over box until the test, or stop, ends it.
func start(t *testing.T, plat *platform, change func(*channels.EgressOptions)) *running {
	t.Helper()
	if plat.box == nil {
		plat.box = newOutbox()
	}
	opt := channels.EgressOptions{Outbox: plat.box, Channel: plat, Log: zerolog.Nop()}
	if change != nil {
		change(&opt)
	}
	e := channels.NewEgress(opt)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return &running{Egress: e, box: plat.box, plat: plat, stop: stop}
}

func joined(lines []string) string { return strings.Join(lines, "\n") }
