package channels

import (
	"errors"
	"fmt"
	"strings"

	"parley/pkg/visible"
)

const (
	// MaxButtons is how many buttons a message may have.
	MaxButtons = 8
	// MaxButtonData is the longest Data of a button in bytes.
	MaxButtonData = 64
	// MaxButtonLabel is the longest Label of a button in code points.
	MaxButtonLabel = 40
)

// Why a message with buttons is refused; see [Egress.CanAsk].
var (
	// ErrNoButtons says that a button cannot be pressed at that address.
	ErrNoButtons = errors.New(textNobodyPresses)
	// ErrBadButtons says that the buttons, or the message for having some, break the rules of a [Button].
	ErrBadButtons = errors.New(textButtons)
	// ErrNotWhole says that the text does not arrive in one message.
	ErrNotWhole = errors.New(textQuestionLong)
	// ErrNotAsWritten says that the text would arrive changed: a secret would be taken
	// out of it, or it is no text.
	ErrNotAsWritten = errors.New(textQuestionChange)
)

// CanAsk says why a message with buttons would be refused now, by one of the errors
// above; nil when it would not. A person who presses a button has read the whole text
// in the one message that it belongs to, or is not asked at all. It is quick, and safe
// for many goroutines.
func (e *Egress) CanAsk(o Outbound) error {
	if err := checkButtons(&o); err != nil {
		return err
	}
	if b, ok := e.opt.Channel.(Buttoner); !ok || !b.Buttons(o.Address) {
		return fmt.Errorf("%s: %w", e.opt.Channel.Name(), ErrNoButtons)
	}
	if e.opt.Redact(cleanText(o.Text)) != o.Text {
		return ErrNotAsWritten
	}
	if n := len(e.cut(o.Text)); n != 1 {
		return fmt.Errorf("%w: it takes %d", ErrNotWhole, n)
	}
	return nil
}

// unaskable ends a message with buttons that cannot be pressed, unless it is there.
func (r *delivering) unaskable() *Outcome {
	if len(r.info.Outbound.Buttons) == 0 || len(r.known.receipts) > 0 {
		return nil
	}
	err := r.egress.CanAsk(r.info.Outbound)
	switch {
	case err == nil:
		return nil
	case r.known.ambiguous > 0:
		return &Outcome{State: Unsettled, Reason: err.Error()}
	default:
		return &Outcome{State: Refused, Reason: err.Error()}
	}
}

// checkButtons refuses buttons that no platform could show or give back.
func checkButtons(o *Outbound) error {
	switch n := len(o.Buttons); {
	case n == 0 || n > MaxButtons:
		return fmt.Errorf("%w: %d, and a message has 1 to %d", ErrBadButtons, n, MaxButtons)
	case o.File != nil || o.Preview:
		return fmt.Errorf("%w: a file or a preview has none", ErrBadButtons)
	}
	for i, b := range o.Buttons {
		outside := strings.ContainsFunc(b.Data, func(r rune) bool { return r < ' ' || r > '~' })
		switch {
		case b.Data == "" || len(b.Data) > MaxButtonData || outside:
			return fmt.Errorf("%w: the data of number %d is not 1 to %d bytes of printable ASCII", ErrBadButtons, i+1, MaxButtonData)
		case b.Label == "" || len([]rune(b.Label)) > MaxButtonLabel || b.Label != strings.Join(strings.Fields(visible.Text(b.Label)), " "):
			return fmt.Errorf("%w: the label of number %d is not 1 to %d visible characters", ErrBadButtons, i+1, MaxButtonLabel)
		}
	}
	return nil
}
