package faces

import (
	"context"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/events"
)

// HoldBehind holds each message with a text until its chat has told some words from now on: a tool's own message may leave after the
// model has begun its next answer.
func (w *World) HoldBehind(text, words string) {
	ctx, from := w.T.Context(), w.Hub.Mark(channels.Address{})
	hold := func(p channels.Part) {
		if p.Text != text {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, Patience)
		defer cancel()
		r, err := w.Hub.Follow(p.Address, from)
		if err != nil {
			w.T.Errorf("the events before %q: %v", text, err)
			return
		}
		defer r.Close()
		for told := ""; !strings.Contains(told, words); {
			batch, err := r.Next(ctx)
			if err != nil {
				w.T.Errorf("before %q the chat tells %q: %v", text, told, err)
				return
			}
			for i := range batch {
				if token, ok := batch[i].Data.(events.Token); ok {
					told += token.Text
				}
			}
		}
	}
	w.Delivering.Store(&hold)
}
