package prompt

import (
	"context"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// NoReply is the answer of a model that sends no message.
const NoReply = session.Silence

// Store is where a [Reader] reads the history.
type Store interface {
	// Tail gives the entries of a session from its end, or from before a Seq that is
	// not 0, until take returns false.
	Tail(ctx context.Context, sessionID string, before uint64, take func(session.Entry) bool) error
}

// Options are the sources of a [Reader]. Store is required.
type Options struct {
	Store Store
	// AgentFile returns the operator's instructions, or is nil.
	AgentFile func() string
	// ChatFile returns the operator's instructions for one chat, or is nil.
	ChatFile func(a channels.Address) string
	// Folders names the folders of a chat beside its own files, in the same words in each turn, or
	// is nil.
	Folders func(a channels.Address) string
	// Fetch stores a file that came with a message in the chat's space, as long as ctx
	// lets it, and tells the outcome. It is called for several files at once, and again
	// for the same one where a turn goes on after a crash. Nil fetches no file.
	Fetch func(ctx context.Context, a channels.Address, space string, f channels.Attachment) Fetched
}

// Reader reads prompts for all chats.
type Reader struct {
	o Options

	mu sync.Mutex
	// reading ends, by space, with the work of the one that reads its files.
	reading map[string]chan struct{}
	// systems are recent instructions, the oldest first: hundreds of turns share them.
	systems []instructions
}

// instructions are those of a turn, and their parts.
type instructions struct{ agent, chat, folders, closing, whole string }

const (
	// How many instructions are kept, and how long their last sentences may be, in bytes.
	maxSystems  = 16
	longClosing = 1 << 10
)

// New returns a reader.
func New(o Options) *Reader {
	if o.AgentFile == nil {
		o.AgentFile = func() string { return "" }
	}
	if o.ChatFile == nil {
		o.ChatFile = func(channels.Address) string { return "" }
	}
	if o.Folders == nil {
		o.Folders = func(channels.Address) string { return "" }
	}
	return &Reader{o: o, reading: map[string]chan struct{}{}}
}

// System is the instructions of a turn: the operator's, those for the chat, its folders,
// and the closing sentences of the turn's kind. It stays the same from turn to turn, and the
// history follows it.
func (r *Reader) System(files Files, closing string) providers.Message {
	m := providers.Message{Role: providers.RoleSystem}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.systems {
		if s := &r.systems[i]; s.closing == closing && s.chat == files.Chat && s.folders == files.Folders && s.agent == files.Agent {
			m.Content = s.whole
			return m
		}
	}
	if m.Content = compose(files, closing); len(closing) > longClosing {
		return m // the order of one background agent
	}
	if len(r.systems) == maxSystems {
		r.systems = append(r.systems[:0], r.systems[1:]...)
	}
	r.systems = append(r.systems, instructions{files.Agent, files.Chat, files.Folders, closing, m.Content})
	return m
}

func compose(files Files, closing string) string {
	var parts []string
	if s := strings.TrimSpace(files.Agent); s != "" {
		parts = append(parts, text.ClipBytes(s, MaxRules), "\n\n")
	}
	if s := strings.TrimSpace(files.Chat); s != "" {
		parts = append(parts, "# This chat\n", text.ClipBytes(s, MaxRules), "\n\n")
	}
	if files.Folders != "" {
		parts = append(parts, "# Folders\nBeside its own files this chat has:\n", files.Folders, "\n\n")
	}
	return strings.Join(append(parts, closing), "")
}

// Setting is the facts that change between turns: the date with its zone, and the
// memory in the chat's files. It stands behind the history, before the messages of the
// turn, and is no part of the history: a change leaves the beginning of a request as it
// is, which model servers have cached.
func Setting(files Files, today string) providers.Message {
	parts := make([]string, 0, 8) // joined at once: hundreds of turns hold one of these
	parts = append(parts, settingHead, "Today is ", today, ".")
	if files.User != "" {
		parts = append(parts, "\n\n# USER.md\n", files.User)
	}
	if files.Memory != "" {
		parts = append(parts, "\n\n# MEMORY.md\n", files.Memory)
	}
	return providers.Message{Role: providers.RoleUser, Content: strings.Join(parts, ""), Aside: true}
}

// settingHead tells the model that no person wrote the message.
const settingHead = "[the gateway's notes for this turn; the messages of people follow]\n"

// Facts are the facts of an item that are not in its message's text.
type Facts struct {
	// Command says that the item is a command, which is shown as it is.
	Command bool
	// Age is how old the item is, and MissedBy how late a job's run is; 0: it is in time.
	Age, MissedBy time.Duration
}

// Message is an item as the model reads it, with the outcomes of its files, or nil.
func Message(it session.Item, files []Fetched, facts Facts) providers.Message {
	m := message(it, files, facts)
	if facts.Age > 0 {
		mark := "[this message was sent "
		if it.Inbound == nil {
			mark = "[this is from "
		}
		m.Content = mark + text.Ago(facts.Age) + "]\n" + m.Content
	}
	if facts.MissedBy > 0 {
		m.Content = "[this was due " + text.Ago(facts.MissedBy) + "]\n" + m.Content
	}
	return m
}

func message(it session.Item, files []Fetched, facts Facts) providers.Message {
	if it.Inbound == nil {
		return providers.Message{Role: providers.RoleUser, Content: it.Text}
	}
	in := it.Inbound
	m := providers.Message{Role: providers.RoleUser}
	said := shown(&m, in.Text, in.Attachments, files)
	if in.Kind == channels.KindEdit && strings.TrimSpace(said) != "" && !facts.Command {
		said = "(edited) " + said
	}
	if !in.Direct && in.Sender.Name != "" {
		said = in.Sender.Name + ": " + said
	}
	if in.Quote != "" {
		said = "> " + strings.ReplaceAll(in.Quote, "\n", "\n> ") + "\n\n" + said
	}
	if strings.TrimSpace(said) == "" {
		said = "(a message without text)"
	}
	m.Content, m.Original = said, original(in)
	return m
}

// shown adds the pictures among the files of a message to it, and gives its text with what became of each file.
func shown(m *providers.Message, said string, attachments []channels.Attachment, files []Fetched) string {
	for i, a := range attachments {
		about := a.About
		if i < len(files) && files[i].Outcome != "" {
			about += ", " + files[i].Outcome
		}
		said = strings.TrimPrefix(said+"\n["+about+"]", "\n")
		if i < len(files) && files[i].Words != "" {
			said += "\n" + files[i].Words
		}
		if i < len(files) && files[i].Picture != nil {
			m.Images = append(m.Images, *files[i].Picture)
		}
	}
	return said
}

// Show adds the pictures of a program's words to them: words are those of in, files the
// outcomes of its attachments, or nil.
func Show(words []providers.Message, in *channels.Inbound, files []Fetched) {
	from := 0
	for i := range in.Wish.Said {
		n := min(in.Wish.Said[i].Pictures, len(in.Attachments)-from)
		if n <= 0 {
			continue
		}
		own := files[min(from, len(files)):min(from+n, len(files))]
		words[i].Content = shown(&words[i], words[i].Content, in.Attachments[from:from+n], own)
		words[i].Original = &providers.Original{Text: in.Wish.Said[i].Text}
		part := channels.Inbound{Attachments: in.Attachments[from : from+n]}
		for _, f := range part.Kept() {
			words[i].Original.Files = append(words[i].Original.Files, providers.File(f))
		}
		from += n
	}
}

// original is a message whose files its channel keeps, as people see it; else nil.
func original(in *channels.Inbound) *providers.Original {
	kept := in.Kept()
	if len(kept) == 0 {
		return nil
	}
	o := &providers.Original{Text: in.Text, Files: make([]providers.File, len(kept))}
	for i := range kept {
		o.Files[i] = providers.File(kept[i])
	}
	return o
}
