package channels

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/backoff"
)

// delivering is one run over one [Delivery].
type delivering struct {
	egress *Egress
	d      Delivery
	info   DeliveryInfo
	parts  []string
	chat   *chatPacer
	// sender takes the file; nil where the message is a text, or has become one.
	sender FileSender
	// refusal is why the file was refused, when a text is sent in its place.
	refusal string
	// notBefore is when the next attempt may begin for the delivery's own sake.
	notBefore time.Time
	// aged is the age that the text begins with.
	aged string
	// known is the outcome of the parts so far.
	known progress
}

// progress is the state of a delivery, stored or not yet.
type progress struct {
	// receipts are those of the parts that are surely accepted.
	receipts []Receipt
	// ambiguous counts unknown attempts of the next part. since is when the first of
	// them began, or the first after the platform last could not be reached: during an
	// outage there is no outcome to settle, and the message is kept.
	ambiguous int
	since     time.Time
	// outcome is how the delivery ended, when it ended before its last receipt.
	outcome *Outcome
}

// refusedAt begins the minute of a message of unknown fate anew when the
// platform could not take anything at all.
func (p *progress) refusedAt(c SendClass) {
	if c == SendTransient || c == SendRateLimited || c == SendAuth {
		p.since = time.Time{}
	}
}

// do sends the missing parts. When intake ends no send may begin any more, when work
// ends those under way must end too.
func (r *delivering) do(intake, work context.Context) error {
	if err := r.plan(work); err != nil {
		return err
	}
	for stored := len(r.info.Receipts); r.known.outcome == nil; stored++ {
		if stored == len(r.known.receipts) {
			if err := r.part(intake, work, stored); err != nil {
				return err
			}
		}
		switch {
		case r.known.outcome != nil:
		case stored == len(r.parts)-1:
			r.known.outcome = r.complete(r.known.receipts[stored])
		default:
			if err := r.advance(work, stored); err != nil {
				return err
			}
		}
	}
	return r.settle(work)
}

// plan decides on the parts; the first leaves after the outbox has recorded them.
func (r *delivering) plan(work context.Context) error {
	if r.parts = r.info.Parts; len(r.parts) > 0 || r.known.outcome != nil {
		return nil
	}
	if r.known.outcome = r.unaskable(); r.known.outcome != nil {
		return nil
	}
	r.parts = r.compose()
	if r.info.Outbound.Preview && len(r.parts) > 1 {
		r.parts = r.parts[:1] // the other parts come with the message that finishes it
	}
	switch n := len(r.parts); {
	case n == 0:
		r.known.outcome = &Outcome{State: Refused, Reason: "there is nothing to send"}
		return nil
	case n > 1:
		r.known.ambiguous = 0 // the first of several parts leaves after the plan is stored
	}
	return r.note(work)
}

// note stores how the text is cut.
func (r *delivering) note(work context.Context) error {
	ctx, cancel := storing(work)
	defer cancel()
	if err := r.d.Plan(ctx, r.parts); err != nil {
		return fmt.Errorf("store the plan: %w", err)
	}
	return nil
}

// advance stores the receipt of a part that is not the last.
func (r *delivering) advance(work context.Context, part int) error {
	ctx, cancel := storing(work)
	defer cancel()
	if err := r.d.Advance(ctx, part, r.known.receipts[part]); err != nil {
		return fmt.Errorf("store the receipt of part %d: %w", part, err)
	}
	failpoint.Hit("P12")
	return nil
}

func (r *delivering) settle(work context.Context) error {
	o := *r.known.outcome
	if _, ok := r.egress.opt.Channel.(Screen); ok {
		o.Kept = o.State == Delivered
	}
	if o.State != Delivered {
		r.egress.log(r.info).Warn().Str("state", string(o.State)).Str("reason", o.Reason).Bool("suspend", o.Suspend).Msg("message not delivered")
	}
	ctx, cancel := storing(work)
	defer cancel()
	if err := r.d.Settle(ctx, o); err != nil {
		return fmt.Errorf("store the outcome: %w", err)
	}
	failpoint.Hit("P13")
	if r.egress.opt.Settled != nil {
		r.egress.opt.Settled(r.info.Outbound, o)
	}
	r.dropFile()
	return nil
}

// part sends one part until it has a receipt or the delivery has an outcome.
func (r *delivering) part(intake, work context.Context, index int) error {
	part := r.build(index)
	pause := newPause()
	defer r.egress.health.recovered(r)
	for {
		part.Again = r.known.ambiguous > 0
		if err := r.chat.admit(intake, r.egress.account, r.claim()); err != nil {
			return errStopping
		}
		if err := r.age(work, &part); err != nil {
			return err
		}
		began := time.Now()
		if r.known.ambiguous > 0 && r.known.since.IsZero() {
			r.known.since = began
		}
		receipt, err := r.send(intake, work, func(ctx context.Context) (Receipt, error) { return r.attempt(ctx, part) }, r.timeout())
		if err == nil {
			r.egress.account.authorised()
			r.known.receipts = append(r.known.receipts, receipt)
			r.known.ambiguous, r.known.since = 0, time.Time{}
			return nil
		}
		if errors.Is(err, errStopping) {
			return err
		}
		se := ClassOf(err)
		if se.Class == SendRefused && r.sender != nil {
			r.egress.account.authorised()
			part.Text = r.insteadOfFile(se)
			continue
		}
		if err := r.failed(work, se, began, pause); err != nil || r.known.outcome != nil {
			return err
		}
	}
}

// claim is the pass that an attempt shows.
func (r *delivering) claim() claim {
	c := claim{notBefore: r.notBefore, awaited: r.info.Awaited}
	switch r.info.Outbound.Unasked {
	case "":
		c.awaited, c.asked, c.newest = r.egress.account.people, r.info.Outbound.Asked, r.info.Newest
	case ByJob:
		c.door = r.egress.account.jobs
	default:
		c.door = r.egress.account.tasks
	}
	return c
}

// build makes the part; the fields of the whole message go with the first.
func (r *delivering) build(index int) Part {
	part := Part{Outbound: r.info.Outbound, Index: index, Count: len(r.parts)}
	part.Text, part.Edits = r.parts[index], r.info.Edits
	if index > 0 {
		part.ReplyTo, part.Draft, part.Edits = "", "", ""
	}
	return part
}

// timeout is the deadline of the next attempt. A message of unknown fate is
// settled within a minute of the first attempt that the platform can answer; a
// file has the time that its bytes need besides.
func (r *delivering) timeout() time.Duration {
	more := r.uploadTime()
	if r.known.ambiguous == 0 {
		return r.egress.opt.SendTimeout + more
	}
	return max(min(r.egress.opt.SendTimeout+more, time.Until(r.known.since.Add(settleWithin+more))), minTimeout)
}

// failed decides the consequence of an attempt that gave no receipt.
func (r *delivering) failed(work context.Context, se *SendError, began time.Time, pause *backoff.Exponential) error {
	reason := r.egress.opt.Redact(se.Error())
	r.egress.log(r.info).Warn().Str("class", string(se.Class)).Str("error", reason).Dur("retry_after", se.RetryAfter).Msg("send failed")
	r.known.refusedAt(se.Class)
	if se.Class != SendAuth {
		r.egress.account.tried(began)
	}
	switch se.Class {
	case SendTransient:
		r.rest(pause)
	case SendRateLimited:
		r.limited(se, pause)
	case SendAuth:
		r.egress.account.unauthorised(reason, began)
	case SendRefused, SendGone:
		r.egress.account.authorised()
		r.known.outcome = &Outcome{State: Refused, Reason: reason, Suspend: se.Class == SendGone}
		return nil
	default:
		return r.unknown(work, reason, began, pause)
	}
	r.egress.health.failing(r, reason)
	return nil
}

// limited obeys the platform, and comes back a little later than it says.
func (r *delivering) limited(se *SendError, pause *backoff.Exponential) {
	if se.RetryAfter <= 0 {
		r.rest(pause)
		return
	}
	r.egress.holdBack(se, r.info.Outbound.Address.Chat, r.chat)
}

// rest lets this delivery wait a little; other threads of the chat go on.
func (r *delivering) rest(pause *backoff.Exponential) {
	r.notBefore = time.Now().Add(backoff.Spread(pause.Next()))
}

// unknown counts an attempt that may have taken effect; the second ends the delivery.
func (r *delivering) unknown(work context.Context, reason string, began time.Time, pause *backoff.Exponential) error {
	if r.known.ambiguous > 0 {
		r.unsettled(reason)
		return nil
	}
	r.known.ambiguous, r.known.since = 1, began
	ctx, cancel := storing(work)
	defer cancel()
	if err := r.d.Ambiguous(ctx, len(r.known.receipts)); err != nil {
		return fmt.Errorf("store an unknown attempt: %w", err)
	}
	r.rest(pause)
	r.egress.health.failing(r, reason)
	return nil
}

func (r *delivering) unsettled(reason string) {
	r.known.outcome = &Outcome{State: Unsettled, Reason: reason}
}

// storing gives a write its deadline; a stop does not cut it, because the sent parts
// must be remembered.
func storing(work context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(work), storeTimeout)
}
