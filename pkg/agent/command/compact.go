package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/pkg/agent/prompt"
	"parley/pkg/agent/summary"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// compactPrompt asks the model for the summary that replaces the conversation.
const compactPrompt = "Summarise our conversation so far in at most 300 words: what was wanted, what was found or decided, " +
	"names, numbers and files that matter, and what is still open. " +
	"The summary replaces the conversation, so keep what is needed to go on."

// compact replaces the history that the model reads by the model's own summary. The
// store keeps all entries: only the session's compaction point moves.
func (h *commandTurn) compact(ctx context.Context) (turn.Reply, error) {
	if err := h.T.Deps.Prompts.Summaries.Drop(ctx, h.T.Info.Session); err != nil {
		return turn.Reply{}, err
	}
	past, outside, err := h.whole(ctx)
	if err != nil {
		return turn.Reply{}, err
	}
	if len(past) == 0 {
		return turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}, Text: textNothingToCompact}, nil
	}
	info, err := h.o.Sessions.Get(ctx, h.T.Info.Session)
	if err != nil {
		return turn.Reply{}, err
	}
	loop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer h.T.Interrupts().Watch(loop, cancel)()
	resp, err := h.summary(loop, past)
	h.T.LogUse().AnErr("err", err).Msg("summary")
	switch cause := context.Cause(loop); {
	case err != nil && turn.IsEnded(cause):
		return h.T.Interrupts().Reply(ctx, h.T.UserMessages(h.T.Info.Items, nil), cause), nil
	case err != nil && ctx.Err() != nil:
		return turn.Reply{}, err
	case err != nil:
		reason, person := h.T.Explain(err)
		return h.notCompacted(reason, person), nil
	case strings.TrimSpace(resp.Content) == "":
		return h.notCompacted("empty summary", textNoSummary), nil
	}
	replaces := &session.Summary{Message: prompt.SummaryMessage(resp.Content), Outside: outside}
	return turn.Reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered, CompactTo: info.Entries + 1, Summary: replaces,
	}, Text: fmt.Sprintf(textCompacted, resp.Content)}, nil
}

// whole reads the history, with the part that a request to the model has no room for, and says
// whether content from outside has a part in it.
func (h *commandTurn) whole(ctx context.Context) (messages []providers.Message, outside bool, err error) {
	model := turn.ModelOf(h.T, turn.RoleChat)
	past := h.past(&model)
	w, err := h.T.Deps.Prompts.History(ctx, past)
	if err != nil || !w.Cut {
		return w.Messages, w.Outside, err
	}
	oldest, err := h.T.Deps.Prompts.Oldest(ctx, past, w.From)
	return slices.Concat(oldest.Messages, w.Messages), w.Outside || oldest.Outside, err
}

func (h *commandTurn) summary(ctx context.Context, of []providers.Message) (*providers.LLMResponse, error) {
	system, setting, err := h.T.Frame(ctx)
	if err != nil {
		return nil, err
	}
	h.T.At(turn.StageAsking)
	return turn.SummaryModel(h.T, h.T.Usage).Ask(ctx, summary.Text{
		Of: of, Before: []providers.Message{system},
		After: []providers.Message{setting, {Role: providers.RoleUser, Content: compactPrompt}},
	})
}

func (h *commandTurn) notCompacted(reason, person string) turn.Reply {
	return turn.Reply{
		Commit: session.Commit{Outcome: session.OutcomeFailed, Reason: text.ClipBytes(h.T.Deps.Redact(reason), 500)},
		Text:   fmt.Sprintf(textNotCompacted, person),
	}
}

// past is the history that a request to the model carries.
func (h *commandTurn) past(model *turn.Model) prompt.Past {
	limits := &h.T.Deps.Limits
	return prompt.Past{
		Session: h.T.Info.Session, Space: h.T.Space,
		Budget: model.HistoryTokens(limits.ContextTokens), Entries: limits.ContextEntries,
	}
}

// usage tells how much of the conversation the next request carries, with estimated
// tokens, and the use of the chat today.
func (h *commandTurn) usage(ctx context.Context) (string, error) {
	model := turn.ModelOf(h.T, turn.RoleChat)
	next := h.past(&model)
	next.From = h.T.Deps.Prompts.Summaries.From(h.T.Info.Session)
	past, err := h.T.Deps.Prompts.History(ctx, next)
	if err != nil {
		return "", err
	}
	info, err := h.o.Sessions.Get(ctx, h.T.Info.Session)
	if err != nil {
		return "", err
	}
	today, err := h.T.Usage.Report(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(textUsage,
		entries(info.Entries), len(past.Messages), past.Tokens, next.Budget, h.T.Typed("compact"), h.T.Typed("new"), today), nil
}
