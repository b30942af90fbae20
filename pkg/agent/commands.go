package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

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
		{"help", textDoesHelp},
		{"new", textDoesNew},
		{"stop", textDoesStop},
		{"status", textDoesStatus},
		{"model", textDoesModel},
		{"usage", textDoesUsage},
		{"compact", textDoesCompact},
		{"schedule", textDoesSchedule},
		{"tasks", textDoesTasks},
		{"cancel", textDoesCancel},
		{"tools", textDoesTools},
		{"tool", textDoesTool},
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

// commandTurn is the turn of a command. A command is answered without a model; only
// /compact asks it, and /tool, which is a message's turn.
type commandTurn struct {
	chatTurn
	name, arg string
}

func isCommandTurn(info *session.TurnInfo) bool {
	it := &info.Items[0]
	if it.Inbound == nil {
		return false
	}
	name, _, ok := parseCommand(it.Inbound.Text)
	return ok && name != "tool"
}

func newCommandTurn(r *run) handler {
	name, arg, _ := parseCommand(r.info.Items[0].Inbound.Text)
	return &commandTurn{chatTurn: chatTurn{r}, name: name, arg: arg}
}

func (h *commandTurn) begin(ctx context.Context) (input, error) {
	items, err := h.r.admit(ctx)
	if err != nil {
		return input{}, err
	}
	h.r.takes(items)
	re, err := h.answer(ctx)
	if err != nil {
		return input{}, err
	}
	return input{}, done(h.r.commit(ctx, re))
}

// answer carries out the command.
func (h *commandTurn) answer(ctx context.Context) (reply, error) {
	re := reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}
	var err error
	switch h.name {
	case startCommand:
		re.text = fmt.Sprintf(textHello, h.r.a.o.Model.Name, h.help())
	case "new":
		re.NewSession = true
		re.text = textNewConversation
	case "stop":
		re.text = h.stop(ctx)
	case "status":
		re.text = h.status(ctx)
	case "schedule":
		re.text, err = h.schedule(ctx)
	case "tools":
		re.text = h.tools()
	case "model":
		re.text = fmt.Sprintf(textModel, h.r.a.o.Model.Name)
	case "usage":
		re.text, err = h.usage(ctx)
	case "tasks":
		re.text, err = h.tasks(ctx)
	case "cancel":
		re.text, re.Messages, err = h.cancel(ctx)
	case "compact":
		return h.compact(ctx)
	default:
		re.text = h.help()
	}
	return re, err
}

// typed is what a person writes in this chat for the command called name.
func (r *run) typed(name string) string {
	s := r.a.o.Surfaces.At(r.home)
	return s.command(name)
}

// tools lists the tools of the chat. An owner is also told what they did, in
// all chats together.
func (h *commandTurn) tools() string {
	offered := h.r.offered()
	defs := offered.ToProviderDefs()
	if len(defs) == 0 {
		return textNoTools
	}
	did := map[string]string{}
	if h.r.principal.Owner {
		for _, s := range offered.Stats() {
			did[s.Tool] = " (" + s.String() + ")"
		}
	}
	lines := make([]string, len(defs))
	for i := range defs {
		f := &defs[i].Function
		lines[i] = "- `" + f.Name + "` - " + f.Description + did[f.Name]
	}
	return strings.Join(lines, "\n")
}

func (h *commandTurn) help() string {
	var b strings.Builder
	b.WriteString(textHelp)
	for _, c := range commandText() {
		b.WriteString(h.r.typed(c[0]) + " - " + c[1] + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// stop answers /stop. A turn that was stopped for it has already said so.
func (h *commandTurn) stop(ctx context.Context) string {
	if h.r.saidStopped(ctx, h.r.info.Items[0].ID) {
		return ""
	}
	return textNothingToStop
}

// entries counts those of a conversation in words.
func entries(n uint64) string {
	if n == 1 {
		return textOneEntry
	}
	return fmt.Sprintf(textEntries, n)
}

func (h *commandTurn) status(ctx context.Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, textStatusModel, h.r.a.o.Model.Name)
	if info, err := h.r.a.o.Engine.Sessions().Get(ctx, h.r.info.Session); err == nil {
		fmt.Fprintf(&b, textStatusConversation, info.Session, entries(info.Entries), info.Created.Format("2006-01-02 15:04"))
	}
	fmt.Fprintf(&b, textStatusLevel, h.r.principal.Level)
	if all, err := h.r.a.o.Engine.Approvals().ApprovalList(ctx, h.r.info.Chat); err == nil {
		for i := range all {
			if q := &all[i]; q.State == session.ApprovalOpen && time.Now().Before(q.Expires) {
				fmt.Fprintf(&b, textStatusApproval, q.Call.Tool, q.ID, q.Expires.Format("15:04:05 MST"))
			}
		}
	}
	if st, err := h.r.a.o.Engine.Status(ctx); err == nil && h.r.principal.Owner {
		fmt.Fprintf(&b, textStatusWaiting, st.Waiting, st.Sending, st.OpenTasks)
		if st.WriteError != "" {
			fmt.Fprintf(&b, textStatusUnwritable, st.WriteError)
		}
	}
	return strings.TrimSpace(b.String())
}

// capital is a sentence of the text of an error.
func capital(said string) string { return strings.ToUpper(said[:1]) + said[1:] + "." }
