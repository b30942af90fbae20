package budget

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/pkg/session"
	"parley/pkg/text"
)

// Limits bound the use of a day; 0 is no limit.
type Limits struct {
	// Turns are those that asked the model; Tokens are read and written ones together.
	Turns, Tokens int
	// Money is in millionths, as in [session.Usage].
	Money int64
}

// Budget is the limit of a chat in a day: all together, and for each purpose.
type Budget struct {
	All Limits
	For map[session.Purpose]Limits
}

// Purposes are all there are, in the order in which people read of them.
func Purposes() []session.Purpose {
	return []session.Purpose{session.ForPeople, session.ForJobs, session.ForBackground}
}

// LimitError refuses a request: a limit of the chat's day is reached.
type LimitError struct {
	// purpose is "" for the limit on all together.
	purpose session.Purpose
	// unit is turns, tokens or money.
	unit        string
	used, limit int64
	// ends is when the day does, in is how long that is from now.
	ends     time.Time
	in       time.Duration
	currency string
}

func (l *LimitError) Error() string {
	if l.purpose == "" {
		return "budget: " + l.amount()
	}
	return "budget: " + l.amount() + " for " + string(l.purpose)
}

func (l *LimitError) amount() string {
	if l.unit == "money" {
		return amountOf(l.used) + " of " + Money(l.limit, l.currency)
	}
	return fmt.Sprintf("%d of %d %s", l.used, l.limit, l.unit)
}

// PersonMessage is the text for the person.
func (l *LimitError) PersonMessage() string {
	purpose := map[session.Purpose]string{
		session.ForPeople: textForPeople, session.ForJobs: textForJobs, session.ForBackground: textForBackground,
	}[l.purpose]
	return fmt.Sprintf(textLimitReached, purpose, l.amount(), text.Roughly(l.in), l.ends.Format("2006-01-02 15:04 MST"))
}

// reached says whether one more request of a turn would be above a limit; first
// says that the turn would begin with it.
func (l Limits) reached(used session.Usage, first bool) *LimitError {
	switch tokens := used.Input + used.Output; {
	case l.Turns > 0 && first && used.Turns >= l.Turns:
		return &LimitError{unit: "turns", used: int64(used.Turns), limit: int64(l.Turns)}
	case l.Tokens > 0 && tokens >= l.Tokens:
		return &LimitError{unit: "tokens", used: int64(tokens), limit: int64(l.Tokens)}
	case l.Money > 0 && used.Money >= l.Money:
		return &LimitError{unit: "money", used: used.Money, limit: l.Money}
	default:
		return nil
	}
}

// amounts writes the use beside the limits.
func (l Limits) amounts(u session.Usage, currency string) string {
	of := func(used, limit int, thing string) string {
		switch {
		case limit > 0:
			return fmt.Sprintf("%d of %d %ss", used, limit, thing)
		case used == 1:
			return "1 " + thing
		default:
			return fmt.Sprintf("%d %ss", used, thing)
		}
	}
	s := of(u.Turns, l.Turns, "turn") + ", " + of(u.Input+u.Output, l.Tokens, "token")
	switch {
	case l.Money > 0:
		s += ", " + amountOf(u.Money) + " of " + Money(l.Money, currency)
	case u.Money > 0:
		s += ", " + Money(u.Money, currency)
	}
	return s
}

// Money writes millionths as an amount, such as 1.25 USD.
func Money(millionths int64, currency string) string {
	return strings.TrimSpace(amountOf(millionths) + " " + currency)
}

// amountOf writes millionths with two digits after the point, or four where there
// are some.
func amountOf(millionths int64) string {
	const million, cents, most = 1e6, 2, 4
	s := strconv.FormatFloat(float64(millionths)/million, 'f', most, 64)
	for range most - cents {
		s = strings.TrimSuffix(s, "0")
	}
	return s
}
