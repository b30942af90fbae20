package prompt

import (
	"context"
	"errors"
	"slices"

	"parley/pkg/providers"
)

// summaryOrder asks for the summary of the messages that fall out of the history.
const summaryOrder = "Summarise this oldest part of our conversation in at most 300 words: what was wanted, what was found or decided, " +
	"names, numbers and files that matter, and what is still open. It is the only part that you will not see again."

// summaryHead tells the model the origin of a summary in its history.
const summaryHead = "[a summary of the earlier part of this conversation; it may quote others]\n"

// recallNote tells the model how it finds the words that a summary stands for.
func recallNote(tool string) string {
	if tool == "" {
		return ""
	}
	return "\n[" + tool + " finds the words of that part]"
}

// Summary is a request for a summary.
type Summary struct {
	// Of are the messages to summarise, Before and After those around them.
	Of, Before, After []providers.Message
	// Room is for how many tokens of Of there is room.
	Room int
}

// OldestPart is the request for a summary of the messages that fall out of a history.
func OldestPart(of []providers.Message) Summary {
	return Summary{Of: of, After: []providers.Message{{Role: providers.RoleUser, Content: summaryOrder}}}
}

// SummaryMessage is a summary as the model reads it in later turns.
func SummaryMessage(text string) providers.Message {
	return providers.Message{Role: providers.RoleUser, Content: summaryHead + text}
}

// Ask makes the request by chat. The longest messages are shortened to the room, and
// further where the model says that the request is too long.
func (s Summary) Ask(
	ctx context.Context, chat func([]providers.Message) (*providers.LLMResponse, error),
) (*providers.LLMResponse, error) {
	const tries, part = 3, 2
	for try := 1; ; try++ {
		resp, err := chat(providers.Repair(slices.Concat(s.Before, Fit(s.Of, s.Room), s.After)))
		pe, ok := errors.AsType[*providers.Error](err)
		if !ok || pe.Kind != providers.KindTooLong || try == tries || ctx.Err() != nil {
			return resp, err
		}
		size := 0
		for i := range s.Of {
			size += providers.EstimateTokens(s.Of[i])
		}
		s.Room = min(s.Room, size) / part
	}
}
