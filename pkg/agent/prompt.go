package agent

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// maxFile bounds what of a file of the chat's space goes into the prompt, in bytes.
const maxFile = 8 << 10

// system is the instructions of a turn: the operator's, what the chat's files
// remember, and the few facts that the model cannot know. It changes once a
// day, so that model servers can cache it.
func (r *run) system() providers.Message {
	parts := make([]string, 0, 16) // joined at once: hundreds of turns hold one of these
	if s := strings.TrimSpace(r.a.o.AgentFile()); s != "" {
		parts = append(parts, cut(s, 4*maxFile), "\n\n")
	}
	for _, name := range []string{"USER.md", "MEMORY.md"} {
		if s := readHead(filepath.Join(r.space, name)); s != "" {
			parts = append(parts, "# ", name, "\n", s, "\n\n")
		}
	}
	parts = append(parts, "Today is ", r.today(), ". ")
	if r.task != nil {
		parts = append(parts, agentPrompt)
		return providers.Message{Role: providers.RoleSystem, Content: strings.Join(parts, "")}
	}
	parts = append(parts, "You are talking on the channel ", r.info.Address.Channel, ". ",
		"Answer "+noReply+" alone when there is nothing to say and either nobody asked or you have already sent a message.")
	return providers.Message{Role: providers.RoleSystem, Content: strings.Join(parts, "")}
}

// readHead reads the first bytes of a regular file; anything else reads as empty.
func readHead(path string) string {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
		return ""
	}
	f, err := os.Open(path) //nolint:gosec // one of two fixed names in the chat's own space
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
}

// userMessages are items as the model reads them, one message each, with what
// became of their files; nil where none was fetched. Late ones say how old they
// are, and the turn's answer will.
func (r *run) userMessages(items []session.Item, files [][]Fetched) []providers.Message {
	out := make([]providers.Message, 0, len(items))
	for i := range items {
		var own []Fetched
		if files != nil {
			own = files[i]
		}
		m := userMessage(items[i], own)
		if late := lateness(items[i], r.began); late > 0 {
			r.noteLate(late)
			m.Content = lateMark(items[i]) + channels.Ago(late) + "]\n" + m.Content
		}
		if late := overdue(items[i], r.wall); late > 0 {
			r.noteLate(late)
			m.Content = "[this was due " + channels.Ago(late) + "]\n" + m.Content
		}
		out = append(out, m)
	}
	return out
}

// lateMark begins what tells the model that an item is late.
func lateMark(it session.Item) string {
	if it.Inbound == nil {
		return "[this is from "
	}
	return "[this message was sent "
}

func userMessage(it session.Item, files []Fetched) providers.Message {
	if it.Inbound == nil {
		return providers.Message{Role: providers.RoleUser, Content: it.Text}
	}
	in := it.Inbound
	m := providers.Message{Role: providers.RoleUser}
	text := in.Text
	for i, a := range in.Attachments {
		about := a.About
		if i < len(files) && files[i].Outcome != "" {
			about += ", " + files[i].Outcome
		}
		text = strings.TrimPrefix(text+"\n["+about+"]", "\n")
		if i < len(files) && files[i].Picture != nil {
			m.Images = append(m.Images, *files[i].Picture)
		}
	}
	if in.Kind == channels.KindEdit && strings.TrimSpace(text) != "" && !isCommand(in.Text) {
		text = "(edited) " + text
	}
	if !in.Direct && in.Sender.Name != "" {
		text = in.Sender.Name + ": " + text
	}
	if in.Quote != "" {
		text = "> " + strings.ReplaceAll(in.Quote, "\n", "\n> ") + "\n\n" + text
	}
	if strings.TrimSpace(text) == "" {
		text = "(a message without text)"
	}
	m.Content = text
	return m
}

// window is the part of a session's history that a request carries.
type window struct {
	messages []providers.Message
	// from is the Seq of its first entry, tokens its estimated size.
	from   uint64
	tokens int
}

const (
	// How many entries a request carries at most, so that a turn costs no more in
	// a long conversation of short messages.
	maxHistory = 200
	// How many pictures from earlier turns a request carries, and how many bytes of
	// them.
	maxPictures     = 10
	maxPictureBytes = 8 << 20
)

// history reads the newest messages that fit into budget tokens, beginning with
// a person's message so that no call is cut from its result. One that would take
// more than a quarter of the budget is shortened. There is room for extra more
// messages where they are.
func (r *run) history(ctx context.Context, budget, extra int) (window, error) {
	var w window // its messages newest first, for now
	var seqs []uint64
	var pictures room
	err := r.a.o.Engine.Tail(ctx, r.info.Session, 0, func(e session.Entry) bool {
		if e.Message.Role == providers.RoleSystem {
			return true // instructions are never stored: no gateway wrote this
		}
		m := r.shortened(e.Message, budget, &pictures)
		n := providers.EstimateTokens(m)
		if w.tokens+n > budget || len(seqs) == maxHistory {
			return false
		}
		w.tokens += n
		if seqs == nil {
			most := int(min(e.Seq, maxHistory))
			w.messages, seqs = make([]providers.Message, 0, most+extra), make([]uint64, 0, most)
		}
		w.messages, seqs = append(w.messages, m), append(seqs, e.Seq)
		return true
	})
	if err != nil {
		return w, err
	}
	n := len(seqs)
	for n > 0 && w.messages[n-1].Role != providers.RoleUser {
		n--
	}
	w.messages = w.messages[:n]
	if n > 0 {
		w.from = seqs[n-1]
	}
	slices.Reverse(w.messages)
	return w, nil
}

// room is what a request carries of pictures from earlier turns.
type room struct {
	count int
	bytes int64
}

// takes says whether there is room for one more, and counts it then.
func (o *room) takes(img *providers.Image) bool {
	if o.count == maxPictures || o.bytes+img.Size > maxPictureBytes {
		return false
	}
	o.count++
	o.bytes += img.Size
	return true
}

// shortened is m as a later turn reads it: about limit bytes of text at most,
// and the pictures for which there is room.
func (r *run) shortened(m providers.Message, limit int, pictures *room) providers.Message {
	if len(m.Content) > limit {
		m.Content = cut(m.Content, limit) + " [the rest of this message is left out]"
	}
	if len(m.Images) == 0 {
		return m
	}
	kept := m.Images[:0:0]
	for _, img := range m.Images {
		if pictures.takes(&img) {
			img.Open = r.opener(img.Path)
			kept = append(kept, img)
		}
	}
	m.Content += strings.Repeat("\n[a picture that is no longer shown]", len(m.Images)-len(kept))
	m.Images = kept
	return m
}

func itoa(n int) string { return strconv.Itoa(n) }
