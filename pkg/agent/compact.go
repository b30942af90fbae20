package agent

import (
	"context"
	"fmt"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// compactPrompt asks the model for the summary that replaces the conversation.
const compactPrompt = "Summarise our conversation so far in at most 300 words: what was wanted, what was found or decided, names, numbers and files that matter, and what is still open. The summary replaces the conversation, so keep what is needed to go on."

// compact replaces the history that the model reads by the model's own summary. The
// store keeps all entries: only the session's compaction point moves.
func (h *commandTurn) compact(ctx context.Context) (reply, error) {
	past, err := h.r.a.prompts.History(ctx, h.r.past(h.r.a.o.Limits.ContextTokens, 0))
	if err != nil {
		return reply{}, err
	}
	if len(past.Messages) == 0 {
		return reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}, text: textNothingToCompact}, nil
	}
	info, err := h.r.a.o.Engine.Sessions().Get(ctx, h.r.info.Session)
	if err != nil {
		return reply{}, err
	}
	loop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer interrupts{h.r}.watch(loop, cancel)()
	resp, err := h.summary(loop, past.Messages)
	h.r.logUse().AnErr("err", err).Msg("summary")
	switch cause := context.Cause(loop); {
	case err != nil && ended(cause):
		return h.r.stoppedReply(ctx, h.r.userMessages(h.r.info.Items, nil), cause), nil
	case err != nil && ctx.Err() != nil:
		return reply{}, err
	case err != nil:
		reason, person := h.r.explain(err)
		return h.notCompacted(reason, person), nil
	case strings.TrimSpace(resp.Content) == "":
		return h.notCompacted("empty summary", textNoSummary), nil
	}
	return reply{Commit: session.Commit{
		Outcome: session.OutcomeAnswered,
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: "(the conversation so far was replaced by this summary)"},
			assistant(resp.Content),
		},
		CompactTo: info.Entries + 1,
	}, text: fmt.Sprintf(textCompacted, resp.Content)}, nil
}

func (h *commandTurn) summary(ctx context.Context, of []providers.Message) (*providers.LLMResponse, error) {
	system, err := h.r.system(ctx)
	if err != nil {
		return nil, err
	}
	ask := append(append([]providers.Message{system}, of...), providers.Message{Role: providers.RoleUser, Content: compactPrompt})
	h.r.at("")
	return h.r.usage.Provider(h.r.a.o.Model.Provider).Chat(ctx, providers.Repair(ask), nil, h.r.a.o.Model.Name, h.r.a.o.Model.Options)
}

func (h *commandTurn) notCompacted(reason, person string) reply {
	return reply{
		Commit: session.Commit{Outcome: session.OutcomeFailed, Reason: text.ClipBytes(h.r.a.o.Redact(reason), 500)},
		text:   fmt.Sprintf(textNotCompacted, person),
	}
}

// usage tells how much of the conversation the next request carries, with
// estimated tokens, and what the chat used today.
func (h *commandTurn) usage(ctx context.Context) (string, error) {
	past, err := h.r.a.prompts.History(ctx, h.r.past(h.r.a.o.Limits.ContextTokens, 0))
	if err != nil {
		return "", err
	}
	info, err := h.r.a.o.Engine.Sessions().Get(ctx, h.r.info.Session)
	if err != nil {
		return "", err
	}
	today, err := h.r.usage.Report(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(textUsage,
		entries(info.Entries), len(past.Messages), past.Tokens, h.r.a.o.Limits.ContextTokens, h.r.typed("compact"), h.r.typed("new"), today), nil
}
