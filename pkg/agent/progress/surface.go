package progress

import (
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/panics"
)

// Surface is all that a chat can show in passing. Each field is nil where it cannot.
type Surface struct {
	// Editor shows a growing answer by editing a message. Where it does that in a chat,
	// Drafter is not used there.
	Editor channels.Editor
	// Drafter shows a growing answer.
	Drafter channels.Drafter
	// Status shows a passing note (at work, which tool, its result). Without it notes
	// stand below the growing answer.
	Status channels.StatusShower
	// Typer shows that the bot is at work.
	Typer channels.Typer
}

// editor is the one that edits messages of a chat, or nil.
func (s *Surface) editor(at channels.Address) channels.Editor {
	if s.Editor == nil || !s.Editor.Edits(at) {
		return nil
	}
	return s.Editor
}

// errPanic ends a call of an adapter that panicked.
var errPanic = errors.New("the channel panicked")

// guard keeps a panic of an adapter from ending the process.
type guard struct {
	channel string
	redact  func(string) string
	log     *zerolog.Logger
}

func (g *guard) run(show func() error) (err error) {
	if p := panics.Catch(func() { err = show() }); p != nil {
		g.log.Error().Str("channel", g.channel).Str("panic", g.redact(fmt.Sprint(p.Value))).
			Bytes("stack", p.Stack).Msg("a channel panicked while it showed something")
		return errPanic
	}
	return err
}
