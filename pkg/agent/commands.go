package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// Command is a command of the chat: its name without the slash, and what it does.
type Command struct {
	Name, Does string
	// Takes says that words may follow it.
	Takes bool
}

// Commands lists the commands, for a channel that shows them in a menu.
func Commands() []Command {
	var all []Command
	for _, c := range commandText() {
		all = append(all, Command{Name: c[0], Does: c[1], Takes: takes(c[0])})
	}
	return all
}

// takes says whether words that follow a command are a part of it.
func takes(name string) bool { return name == "schedule" || name == "cancel" || name == "tool" }

// commandText says what each command does, in the order /help shows them.
func commandText() [][2]string {
	return [][2]string{
		{"help", "what I can do"},
		{"new", "start a fresh conversation"},
		{"stop", "stop what I am doing"},
		{"status", "the model, this conversation and what is waiting"},
		{"model", "which model answers"},
		{"usage", "how long this conversation is, and what this chat used today"},
		{"compact", "replace the conversation so far by a summary"},
		{"schedule", "what is planned here; remove, pause or resume ID"},
		{"tasks", "what runs in the background"},
		{"cancel", "NAME: end what runs in the background"},
		{"tools", "the tools I may use here"},
		{"tool", "NAME JSON: call one tool directly"},
	}
}

// startCommand is what Telegram sends when somebody opens the bot, perhaps with
// the word of the link that they came by. It is in no list: nobody needs to know it.
const startCommand = "start"

// parseCommand splits "/name@bot argument". It knows only the commands there
// are: any other text that begins with a slash is a message.
func parseCommand(text string) (name, arg string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "/") {
		return "", "", false
	}
	name, arg, _ = strings.Cut(text[1:], " ")
	name, _, _ = strings.Cut(name, "@")
	if name == startCommand {
		return name, strings.TrimSpace(arg), true
	}
	for _, c := range commandText() {
		if c[0] == name {
			return name, strings.TrimSpace(arg), true
		}
	}
	return "", "", false
}

func isCommand(text string) bool { _, _, ok := parseCommand(text); return ok }

func isStop(text string) bool { name, _, _ := parseCommand(text); return name == "stop" }

func isToolCommand(text string) bool { name, _, _ := parseCommand(text); return name == "tool" }

// command answers a command; all but /tool are answered without a model.
func (r *run) command(ctx context.Context, it session.Item, name, arg string) error {
	c := session.Commit{Outcome: session.OutcomeAnswered}
	var text string
	var err error
	switch name {
	case startCommand:
		text = "Hello, I am Parley, a chat bot. The model " + r.a.o.Model + " answers what you write.\n\n" + r.helpText()
	case "new":
		c.NewSession = true
		text = "A fresh conversation begins. What was said before stays on file and is no longer read."
	case "stop":
		text = r.stopText(ctx, it)
	case "status":
		text = r.statusText(ctx)
	case "schedule":
		var err error
		if text, err = r.scheduleText(ctx, arg); err != nil {
			return err
		}
	case "tools":
		text = r.toolsText()
	case "model":
		text = "Model: " + r.a.o.Model + ". Which one answers is set in the configuration (agent.model)."
	case "usage":
		text, err = r.usageText(ctx)
	case "tasks":
		text, err = r.tasksText(ctx)
	case "cancel":
		text, c.Messages, err = r.cancelText(ctx, &it, arg)
	case "compact":
		return r.compact(ctx)
	default:
		text = r.helpText()
	}
	if err != nil {
		return err
	}
	return r.commit(ctx, c, text)
}

// toolsText lists the tools of the chat. An owner is also told what they did, in
// all chats together.
func (r *run) toolsText() string {
	offered := r.offered()
	lines := offered.GetSummaries()
	if len(lines) == 0 {
		return "No tools may be used here."
	}
	if r.principal.Owner {
		for _, s := range offered.Stats() {
			for i, line := range lines {
				if strings.HasPrefix(line, "- `"+s.Tool+"` ") {
					lines[i] += " (" + s.String() + ")"
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}

// typed is what a person writes in this chat for the command called name.
func (r *run) typed(name string) string { return r.a.o.Command(r.home, name) }

func (r *run) helpText() string {
	var b strings.Builder
	b.WriteString("Write to me as you would to a colleague. Commands:\n")
	for _, c := range commandText() {
		b.WriteString(r.typed(c[0]) + " - " + c[1] + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// stopText answers /stop. A turn that was stopped for it has already said so.
func (r *run) stopText(ctx context.Context, it session.Item) string {
	if r.saidStopped(ctx, it.Time) {
		return ""
	}
	return "Nothing is running."
}

// saidStopped says whether a turn was stopped for the /stop that was sent then:
// its mark is the newest entry of the history.
func (r *run) saidStopped(ctx context.Context, sent time.Time) bool {
	said := false
	err := r.a.o.Engine.Tail(ctx, r.info.Session, 0, func(last session.Entry) bool {
		said = last.Message.Content == stoppedText && !last.Time.Before(sent)
		return false
	})
	return err == nil && said
}

// usageText tells how much of the conversation the next request carries, with
// estimated tokens, and what the chat used today.
func (r *run) usageText(ctx context.Context) (string, error) {
	h, err := r.history(ctx, r.a.o.ContextTokens, 0)
	if err != nil {
		return "", err
	}
	info, err := r.a.o.Engine.Get(ctx, r.info.Session)
	if err != nil {
		return "", err
	}
	today, err := r.usage.Report(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("This conversation has %s. The next question carries %d of them, about %d tokens of at most %d; "+
		"%s makes them fewer, %s begins afresh.\n\n%s",
		entries(info.Entries), len(h.messages), h.tokens, r.a.o.ContextTokens, r.typed("compact"), r.typed("new"), today), nil
}

// entries counts those of a conversation in words.
func entries(n uint64) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

func (r *run) statusText(ctx context.Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Model: %s\n", r.a.o.Model)
	if info, err := r.a.o.Engine.Get(ctx, r.info.Session); err == nil {
		fmt.Fprintf(&b, "Conversation: %s, %s, since %s\n", info.Session, entries(info.Entries), info.Created.Format("2006-01-02 15:04"))
	}
	fmt.Fprintf(&b, "Your rights here: %s\n", r.principal.Level)
	if all, err := r.a.o.Engine.ApprovalList(ctx, r.info.Chat); err == nil {
		for i := range all {
			if q := &all[i]; q.State == session.ApprovalOpen && time.Now().Before(q.Expires) {
				fmt.Fprintf(&b, "Waiting for a decision: `%s`, approval %s, until %s\n", q.Tool, q.ID, q.Expires.Format("15:04:05 MST"))
			}
		}
	}
	if st, err := r.a.o.Engine.Status(ctx); err == nil && r.principal.Owner {
		fmt.Fprintf(&b, "Waiting: %d in, %d out; background tasks: %d", st.Waiting, st.Sending, st.OpenTasks)
		if st.WriteError != "" {
			b.WriteString("; the store cannot be written: " + st.WriteError)
		}
	}
	return strings.TrimSpace(b.String())
}

// compactPrompt asks the model for the summary that replaces the conversation.
const compactPrompt = "Summarise our conversation so far in at most 300 words: what was wanted, what was found or decided, names, numbers and files that matter, and what is still open. The summary replaces the conversation, so keep what is needed to go on."

// compact replaces what the model reads of the conversation by its own summary.
// Nothing is deleted: the session's compaction point moves.
func (r *run) compact(ctx context.Context) error {
	h, err := r.history(ctx, r.a.o.ContextTokens, 0)
	if err != nil {
		return err
	}
	if len(h.messages) == 0 {
		return r.commit(ctx, session.Commit{Outcome: session.OutcomeAnswered}, "There is nothing to summarise yet.")
	}
	info, err := r.a.o.Engine.Get(ctx, r.info.Session)
	if err != nil {
		return err
	}
	loop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer r.watch(loop, cancel)()
	resp, err := r.summary(loop, h.messages)
	r.logUse().AnErr("err", err).Msg("summary")
	switch cause := context.Cause(loop); {
	case err != nil && ended(cause):
		return r.stopped(ctx, r.userMessages(r.info.Items, nil), cause)
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		reason, person := r.explain(err)
		return r.notCompacted(ctx, reason, person)
	case strings.TrimSpace(resp.Content) == "":
		return r.notCompacted(ctx, "empty summary", "The model gave an empty answer.")
	}
	return r.commit(ctx, session.Commit{
		Outcome: session.OutcomeAnswered,
		Messages: []providers.Message{
			{Role: providers.RoleUser, Content: "(the conversation so far was replaced by this summary)"},
			assistant(resp.Content),
		},
		CompactTo: info.Entries + 1,
	}, "Done. I go on from this summary:\n\n"+resp.Content)
}

func (r *run) summary(ctx context.Context, of []providers.Message) (*providers.LLMResponse, error) {
	system, err := r.system(ctx)
	if err != nil {
		return nil, err
	}
	ask := append(append([]providers.Message{system}, of...), providers.Message{Role: providers.RoleUser, Content: compactPrompt})
	r.at("")
	return r.usage.Provider(r.a.o.Provider).Chat(ctx, providers.Repair(ask), nil, r.a.o.Model, r.a.o.ModelOptions)
}

func (r *run) notCompacted(ctx context.Context, reason, person string) error {
	reason = cut(r.a.o.Redact(reason), 500)
	return r.commit(ctx, session.Commit{Outcome: session.OutcomeFailed, Reason: reason}, "I could not summarise the conversation; it stays as it is. "+person)
}
