package history

import (
	"context"
	"encoding/binary"
	"strings"

	"parley/pkg/index"
	"parley/pkg/index/passage"
	"parley/pkg/index/words"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
)

// The index has three kinds of scopes. That of a chat has a document for each entry, named by the
// session and the number; its data is the time of the entry, by which another entry of the same name
// is told apart. Beside it the marks of the chat say how far each conversation is indexed, and one scope
// lists the chats.
const chatsScope = "chats"

func wordsScope(chat string) string { return "words/" + chat }
func marksScope(chat string) string { return "marks/" + chat }

// How much is indexed in one write, in entries and bytes, and how many of them are read at once.
const (
	pageEntries = 512
	pageBytes   = 1 << 20
	readEntries = 32
	// How much of an entry is searched, in bytes.
	maxIndexed = 256 << 10
)

// SearchName is the name of the tool that searches; calls of it are not searched. FormerName is the
// name that older conversations have it by.
const (
	SearchName = "search_history"
	formerName = "search_conversation"
)

// mark is how far a conversation is indexed.
type mark struct {
	// through is the number of the newest entry that was looked at, seen that of the newest one that
	// could be read, with its time. bad counts those that could not.
	through, seen, bad uint64
	time               int64
}

func (m *mark) data() []byte {
	b := binary.AppendUvarint(nil, m.through)
	b = binary.AppendUvarint(b, m.seen)
	b = binary.AppendUvarint(b, m.bad)
	return binary.AppendVarint(b, m.time)
}

// readMark reads a mark; one that it cannot read is that of an entry that no conversation has.
func readMark(b []byte) (m mark) {
	for _, field := range []*uint64{&m.through, &m.seen, &m.bad} {
		value, n := binary.Uvarint(b)
		if n <= 0 {
			return mark{through: 1 << 62}
		}
		*field, b = value, b[n:]
	}
	m.time, _ = binary.Varint(b)
	return m
}

// drop removes a chat.
func drop(b *index.Batch, chat string) error {
	for _, scope := range []string{wordsScope(chat), marksScope(chat)} {
		if err := b.Drop(scope); err != nil {
			return err
		}
	}
	return b.Remove(chatsScope, chat)
}

// catchUp brings the index of a chat up to date. Behind says that the time was over before that, bad
// counts the entries that could not be read.
func (h *History) catchUp(ctx context.Context, ix *index.Index, chat string, sessions []session.Info) (behind bool, bad uint64, err error) {
	marks, err := h.marks(ctx, ix, chat, sessions)
	if err != nil {
		return false, 0, err
	}
	limit, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	for i := range sessions {
		of := &sessions[i]
		m := marks[of.Session]
		for m.through < of.Entries && limit.Err() == nil {
			if m, err = h.page(ctx, ix, chat, of, m); err != nil {
				return false, 0, err
			}
		}
		behind = behind || m.through < of.Entries
		bad += m.bad
	}
	return behind, bad, nil
}

// marks are those of a chat, by session. Where one does not fit the store, the chat begins anew.
func (h *History) marks(ctx context.Context, ix *index.Index, chat string, sessions []session.Info) (map[string]mark, error) {
	h.stable.RLock()
	defer h.stable.RUnlock()
	marks := map[string]mark{}
	for doc, err := range ix.Documents(ctx, marksScope(chat)) {
		if err != nil {
			return nil, err
		}
		marks[doc.ID] = readMark(doc.Data)
	}
	for i := range sessions {
		of := &sessions[i]
		m, known := marks[of.Session]
		if !known {
			continue
		}
		fits := m.through <= of.Entries
		if fits && m.seen > 0 {
			e, err := h.entry(ctx, of.Session, m.seen)
			if err != nil {
				return nil, err
			}
			fits = e != nil && e.Time.UnixNano() == m.time
		}
		if !fits {
			return map[string]mark{}, ix.Update(ctx, func(b *index.Batch) error { return drop(b, chat) })
		}
	}
	return marks, nil
}

// page indexes the next entries of a conversation.
func (h *History) page(ctx context.Context, ix *index.Index, chat string, of *session.Info, m mark) (mark, error) {
	h.stable.RLock()
	defer h.stable.RUnlock()
	var docs []index.Document
	size := 0
	for end := min(of.Entries, m.through+pageEntries); m.through < end && size < pageBytes; {
		entries, err := h.window(ctx, of.Session, &m, min(end, m.through+readEntries))
		if err != nil {
			return m, err
		}
		for i := range entries {
			if said := h.searched(&entries[i]); said != "" {
				docs = append(docs, document(of.Session, &entries[i], said))
				size += len(said)
			}
		}
	}
	err := ix.Update(ctx, func(b *index.Batch) error {
		for i := range docs {
			if err := b.Put(wordsScope(chat), docs[i]); err != nil {
				return err
			}
		}
		if err := b.Put(chatsScope, index.Document{ID: chat}); err != nil {
			return err
		}
		return b.Put(marksScope(chat), index.Document{ID: of.Session, Data: m.data()})
	})
	return m, err
}

// window reads the entries up to a number, and moves the mark there.
func (h *History) window(ctx context.Context, id string, m *mark, to uint64) (all []session.Entry, err error) {
	err = h.o.Store.Back(ctx, id, to+1, func(e session.Entry) bool {
		if e.Seq <= m.through {
			return false
		}
		all = append(all, e)
		return true
	})
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		m.seen, m.time = all[0].Seq, all[0].Time.UnixNano()
	}
	m.bad += to - m.through - uint64(len(all))
	m.through = to
	return all, nil
}

// searched is the text of an entry by which it is found, or "".
func (h *History) searched(e *session.Entry) string {
	if e.Undone || isSearch(e) {
		return ""
	}
	return text.ClipBytes(h.o.Redact(TextOf(e)), maxIndexed)
}

// document is an entry as the index has it.
func document(id string, e *session.Entry, said string) index.Document {
	d := index.Document{
		ID: Name(id, e.Seq), Data: binary.AppendVarint(nil, e.Time.UnixNano()), Language: words.Detect(said, words.None), Bare: true,
	}
	for p := range passage.Text(said) {
		d.Passages = append(d.Passages, p)
	}
	return d
}

// isSearch says that an entry has the words of an earlier search.
func isSearch(e *session.Entry) bool {
	return e.Message.Role == providers.RoleTool && searches(e.Message.Name)
}

func searches(tool string) bool { return tool == SearchName || tool == formerName }

// TextOf is the text of an entry: its words, and the calls that the model made, without searches: each
// would find the ones before.
func TextOf(e *session.Entry) string {
	m := &e.Message
	if len(m.ToolCalls) == 0 {
		return m.Content
	}
	var b strings.Builder
	b.WriteString(m.Content)
	for i := range m.ToolCalls {
		if c := &m.ToolCalls[i]; !searches(c.Name) {
			b.WriteString("\n[call of " + c.Name + ": " + c.RawArguments + "]")
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}
