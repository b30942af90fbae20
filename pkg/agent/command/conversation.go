package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/agent/named"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/visible"
)

// conversation answers the commands about what was said: /history, /undo and /resume.
type conversation struct {
	t   *turn.Turn
	o   *Options
	arg string
}

// The bounds of what is shown, in exchanges, conversations, and characters of a text.
const (
	someExchanges = 5
	mostExchanges = 20
	mostLeft      = 10
	maxQuestion   = 300
	maxAnswer     = 600
	maxExcerpt    = 80
	maxArg        = 64
)

// history shows the last exchanges, the oldest first.
func (h *conversation) history(ctx context.Context) (turn.Reply, error) {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}
	most := someExchanges
	if h.arg != "" {
		n, err := strconv.Atoi(h.arg)
		if err != nil || n < 1 {
			re.Text = fmt.Sprintf(textHistoryHelp, h.t.Typed("history"), mostExchanges)
			return re, nil //nolint:nilerr // it is told
		}
		most = min(n, mostExchanges)
	}
	shown, more, err := h.exchanges(ctx, h.t.Info.Session, most)
	if err != nil {
		return re, err
	}
	var parts []string
	if more {
		parts = append(parts, fmt.Sprintf(textHistoryMore, len(shown)))
	}
	for i := range slices.Backward(shown) {
		parts = append(parts, h.shown(&shown[i]))
	}
	re.Text = cmp.Or(strings.Join(parts, "\n\n"), textNoHistory)
	return re, nil
}

// exchanges are the last ones of a conversation, the newest first, also those that a summary stands
// for. More says that there are others before.
func (h *conversation) exchanges(ctx context.Context, id string, most int) (all []prompt.Exchange, more bool, err error) {
	err = prompt.Exchanges(h.reader(ctx, h.o.Sessions.Back, id), func(x *prompt.Exchange) bool {
		if more = len(all) == most; !more {
			all = append(all, *x)
		}
		return !more
	})
	return all, more, err
}

// reader reads a conversation from its end.
func (*conversation) reader(
	ctx context.Context, read func(context.Context, string, uint64, func(session.Entry) bool) error, id string,
) func(take func(session.Entry) bool) error {
	return func(take func(session.Entry) bool) error { return read(ctx, id, 0, take) }
}

// shown is an exchange as people read it.
func (h *conversation) shown(x *prompt.Exchange) string {
	var b strings.Builder
	b.WriteString(h.t.Clock.Here(x.Time) + "\n" + h.asked(x, maxQuestion))
	switch {
	case x.Answer != "":
		b.WriteString("\n" + fmt.Sprintf(textHistoryAnswer, line(x.Answer, maxAnswer)))
	default:
		b.WriteString("\n" + textHistoryNoAnswer)
	}
	if len(x.Tools) > 0 {
		b.WriteString("\n" + fmt.Sprintf(textHistoryTools, strings.Join(x.Tools, ", ")))
	}
	return b.String()
}

// asked is what began an exchange, in a line.
func (h *conversation) asked(x *prompt.Exchange, most int) string {
	said := excerpt(x, most)
	switch {
	case x.Scheduled:
		return fmt.Sprintf(textHistorySchedule, said)
	case h.t.Principal.Direct:
		return fmt.Sprintf(textHistoryYou, said)
	default:
		return said // it begins with the name of its author
	}
}

// excerpt are the first characters of what began an exchange.
func excerpt(x *prompt.Exchange, most int) string {
	said := make([]string, len(x.Asked))
	for i := range x.Asked {
		said[i] = wordsOf(&x.Asked[i])
	}
	return line(strings.Join(said, " / "), most)
}

// wordsOf is a message as its author wrote it.
func wordsOf(m *providers.Message) string {
	if m.Original != nil && strings.TrimSpace(m.Original.Text) != "" {
		return m.Original.Text
	}
	return m.Content
}

// line is the beginning of a text in a line.
func line(said string, most int) string {
	return text.Clip(visible.Text(strings.Join(strings.Fields(said), " ")), most)
}

// undo takes the last exchange out of what the model reads.
func (h *conversation) undo(ctx context.Context) (turn.Reply, error) {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}
	if err := h.t.Deps.Prompts.Summaries.Drop(ctx, h.t.Info.Session); err != nil {
		return re, err
	}
	x, err := last(h.reader(ctx, h.o.Sessions.Tail, h.t.Info.Session), func(*prompt.Exchange) bool { return true })
	if err != nil {
		return re, err
	}
	if x == nil {
		re.Text = fmt.Sprintf(textNothingToUndo, h.t.Typed("new"))
		return re, nil
	}
	own, err := isOwn(ctx, h.t, h.o, x)
	if err != nil {
		return re, err
	}
	if !own && !h.mayChange() {
		re.Text = fmt.Sprintf(textUndoLevel, h.t.Principal.Level)
		return re, nil
	}
	if re.Approvals, re.Outbox, err = h.o.TakeBack(ctx, h.t, x.Turns); err != nil {
		return re, err
	}
	re.Undo = &session.Span{From: x.From, To: x.To}
	what := textUndoneQuestion
	if x.Scheduled {
		what = textUndoneSchedule
	}
	re.Text = fmt.Sprintf(what, excerpt(x, maxExcerpt))
	return re, nil
}

// last is the newest exchange that fits, or nil.
func last(read func(take func(session.Entry) bool) error, fits func(*prompt.Exchange) bool) (found *prompt.Exchange, err error) {
	err = prompt.Exchanges(read, func(x *prompt.Exchange) bool {
		if fits(x) {
			found = x
		}
		return found == nil
	})
	return found, err
}

// mayChange says whether the person may change what all people of the chat get.
func (h *conversation) mayChange() bool {
	p := &h.t.Principal
	return p.Direct || p.Owner || p.Level.Allows(policy.LevelWrite)
}

// maxLooked bounds the turns in which that of an exchange is looked for.
const maxLooked = 200

// isOwn says whether all words of an exchange are of the person of a turn: in a direct chat they are;
// elsewhere that is known of one message alone, because its turn keeps the sender of the first.
func isOwn(ctx context.Context, t *turn.Turn, o *Options, x *prompt.Exchange) (own bool, err error) {
	if t.Principal.Direct {
		return true, nil
	}
	if x.Scheduled || len(x.Asked) != 1 {
		return false, nil
	}
	left := maxLooked
	err = o.Uses(ctx, t.Info.Chat, func(u session.TurnUse) bool {
		left--
		own = u.Turn == x.Turn() && u.Spent.Person == t.Principal.Sender.ID
		return left > 0 && u.Turn != x.Turn()
	})
	return own, err
}

// resume lists the conversations that the chat left behind, or goes on with one.
func (h *conversation) resume(ctx context.Context) (turn.Reply, error) {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}
	left, err := h.o.Sessions.Left(ctx, h.t.Info.Chat, mostLeft)
	if err != nil {
		return re, err
	}
	one, err := h.pick(ctx, left)
	switch {
	case err != nil:
		return re, err
	case len(left) == 0:
		re.Text = fmt.Sprintf(textNothingLeft, h.t.Typed("new"))
	case h.arg == "":
		re.Text, err = h.listed(ctx, left)
	case one == nil:
		re.Text = fmt.Sprintf(textNoConversation, visible.Text(text.Clip(named.Plain(h.arg), maxArg)), h.t.Typed("resume"))
	case !h.mayChange():
		re.Text = fmt.Sprintf(textResumeLevel, h.t.Principal.Level)
	default:
		re.Resume = one.Session
		if err = h.t.Deps.Prompts.Summaries.Drop(ctx, h.t.Info.Session); err == nil {
			re.Text, err = h.resumed(ctx, one)
		}
	}
	return re, err
}

// pick is the conversation that the argument means: its number in the list, or its id; nil: none.
func (h *conversation) pick(ctx context.Context, left []session.Info) (*session.Info, error) {
	said := named.Plain(h.arg)
	if n, err := strconv.Atoi(said); err == nil && n >= 1 && n <= len(left) {
		return &left[n-1], nil
	}
	if said == "" || said == h.t.Info.Session {
		return nil, nil //nolint:nilnil // the argument means none
	}
	info, err := h.o.Sessions.Get(ctx, said)
	if errors.Is(err, session.ErrNotFound) || err == nil && (info.Chat != h.t.Info.Chat || info.Current) {
		return nil, nil //nolint:nilnil // the same for a conversation of another chat, which is none of this one's
	}
	return &info, err
}

// listed lists conversations in lines, with their numbers.
func (h *conversation) listed(ctx context.Context, left []session.Info) (string, error) {
	var b strings.Builder
	b.WriteString(textLeft)
	for i := range left {
		about, err := h.about(ctx, &left[i])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n%d. %s", i+1, about)
	}
	fmt.Fprintf(&b, textHowToResume, h.t.Typed("resume"))
	return b.String(), nil
}

// about tells a conversation from others.
func (h *conversation) about(ctx context.Context, info *session.Info) (string, error) {
	title, undone := "", ""
	err := h.o.Sessions.Back(ctx, info.Session, titleFrom+1, func(e session.Entry) bool {
		switch said := line(wordsOf(&e.Message), maxExcerpt); {
		case e.Message.Role != providers.RoleUser || e.Summary:
		case e.Undone:
			undone = said
		default:
			title = said
		}
		return true
	})
	title = cmp.Or(title, undone, textUntitled)
	return fmt.Sprintf(textConversation, title, h.t.Clock.Here(info.Active)), err
}

// titleFrom is how many of the first entries of a conversation are looked at for its title.
const titleFrom = 8

// resumed tells which conversation goes on, and where it stands.
func (h *conversation) resumed(ctx context.Context, info *session.Info) (string, error) {
	about, err := h.about(ctx, info)
	if err != nil {
		return "", err
	}
	shown, _, err := h.exchanges(ctx, info.Session, 1)
	if err != nil {
		return "", err
	}
	said := fmt.Sprintf(textResumed, about, h.t.Typed("resume"))
	if len(shown) > 0 {
		said += textResumedLast + h.shown(&shown[0])
	}
	return said, nil
}
