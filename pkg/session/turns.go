package session

import (
	"context"
	"time"

	"parley/pkg/channels"
)

// Program is what is kept of the request of a program behind the end of its turn.
type Program struct {
	// Credential names the token or the session that brought the request. Results of calls
	// that the program runs come by it alone.
	Credential string `json:"credential"`
	// Said is how many messages of the turn are words of the request, the first ones. Model
	// is the name of the model that it asked for, or "".
	Said  int    `json:"said,omitempty"`
	Model string `json:"model,omitempty"`
	// Calls says that the turn ended with calls that the program runs.
	Calls bool `json:"calls,omitempty"`
	// Wish is that of a turn with such calls, for the one that reads their results.
	Wish *channels.Wish `json:"wish,omitempty"`
	// Finish is the finish reason of the model's last answer, or "".
	Finish string `json:"finish,omitempty"`
	// Deleted says that the turn was forgotten, see [Turns]; the rest is zero then, beside Ended.
	Deleted bool `json:"deleted,omitempty"`
	// Ended is when the turn ended; the engine sets it.
	Ended time.Time `json:"ended"`
}

// TurnFact is what is known of a turn. Ended is false as long as its item waits, or the turn
// runs; what follows it is zero then.
type TurnFact struct {
	Turn    string
	Chat    string
	Ended   bool
	Session string
	Outcome Outcome
	Reason  string
	// Program is nil where no program asked for the turn.
	Program *Program
}

// Turns are facts of single turns, for 48 h at least behind their ends.
type Turns interface {
	// TurnUses calls f with the use of the chat's ended turns, the newest first, until f
	// returns false.
	TurnUses(ctx context.Context, chat string, f func(TurnUse) bool) error
	// TurnOf is the turn that began with the item with this id, or that will. [ErrNotFound]:
	// there was no such item, or another turn took it.
	TurnOf(ctx context.Context, item string) (TurnFact, error)
	// ProgramOf is the program that asked for a turn, for 40 days behind its end at least;
	// [ErrNotFound] where none did.
	ProgramOf(ctx context.Context, chat, turn string) (Program, error)
	// ForgetTurn deletes what a program asked of a turn that has ended, and leaves a Program
	// that is Deleted. The words stay for the turns behind it; a chat of one request goes with
	// the last turn of its that is not forgotten, unless something waits there. [ErrNotFound]:
	// no such turn has ended.
	ForgetTurn(ctx context.Context, chat, turn string) error
}
