package summary

import (
	"context"
	"errors"
	"slices"

	"parley/pkg/providers"
)

// order asks for the summary of the messages that fall out of the history.
const order = "Summarise this oldest part of our conversation in at most 300 words: what was wanted, what was found or decided, " +
	"names, numbers and files that matter, and what is still open. It is the only part that you will not see again."

// Model is the model that writes summaries.
type Model struct {
	// Provider counts the use of the model.
	Provider providers.LLMProvider
	Name     string
	Options  map[string]any
	// Room is how many tokens of a conversation a request has room for.
	Room int
}

// Text is a conversation to summarise: the messages Of it, and those Before and After them in
// the request.
type Text struct{ Of, Before, After []providers.Message }

// Ask asks for a summary. The longest messages are shortened to the room of the model, and
// further where the model says that the request is too long.
func (m Model) Ask(ctx context.Context, t Text) (*providers.LLMResponse, error) {
	const tries, part = 3, 2
	room := m.Room
	for try := 1; ; try++ {
		request := providers.Repair(slices.Concat(t.Before, Fit(t.Of, room), t.After))
		resp, err := m.Provider.Chat(ctx, request, nil, m.Name, m.Options)
		pe, ok := errors.AsType[*providers.Error](err)
		if !ok || pe.Kind != providers.KindTooLong || try == tries || ctx.Err() != nil {
			return resp, err
		}
		size := 0
		for i := range t.Of {
			size += providers.EstimateTokens(t.Of[i])
		}
		room = min(room, size) / part
	}
}

// oldest is the request for a summary of the messages that fall out of a history.
func oldest(of []providers.Message) Text {
	return Text{Of: of, After: []providers.Message{{Role: providers.RoleUser, Content: order}}}
}
