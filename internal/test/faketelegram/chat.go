package faketelegram

import (
	"slices"
	"time"
)

// The states of a bot in a chat.
const (
	statusMember = "member"
	statusAdmin  = "administrator"
	statusLeft   = "left"
	statusKicked = "kicked" // in a private chat: blocked
	statusGone   = "gone"   // the person's account was deleted
)

// room is a chat as one bot has it. The server's mutex guards it.
type room struct {
	bot      *Bot
	info     chatInfo
	status   string
	people   []User
	next     int64 // the last message id, where the chat counts for itself
	messages map[int64]*entry
	order    []*entry
	topics   map[int64]*message // by thread: the service message that made it
	moved    *room              // where a group went that became a supergroup
	drafts   []Draft
	actions  []Action
	rate     bucket
	group    bucket
	flood    time.Time // until when everything is refused
}

// entry is one message in a room and its fate.
type entry struct {
	message
	own      bool // the bot's
	versions []string
	deleted  bool
	sent     time.Time
	edited   time.Time
	silent   bool
	preview  bool
	upload   *file
}

// Chat is a chat with a bot, or one topic of it, seen by one of its people.
// Make others with [Chat.As] and [Chat.Topic].
type Chat struct {
	srv    *Server
	room   *room
	thread int64
	who    User
}

// Private is the private chat of person with the first bot, which person has started.
func (s *Server) Private(person User) *Chat { return s.Bot().Private(person) }

// Group is a basic group with the first bot in it; the first of people writes.
func (s *Server) Group(title string, people ...User) *Chat { return s.Bot().Group(title, people...) }

// Supergroup is a supergroup without topics.
func (s *Server) Supergroup(title string, people ...User) *Chat {
	return s.Bot().Supergroup(title, people...)
}

// Forum is a supergroup with topics; the chat itself is its topic General.
func (s *Server) Forum(title string, people ...User) *Chat { return s.Bot().Forum(title, people...) }

// Channel is a channel that the first bot administrates.
func (s *Server) Channel(title string) *Chat { return s.Bot().Channel(title) }

// Private is the private chat of person with b, which person has started. It
// is the same chat for the same person.
func (b *Bot) Private(person User) *Chat {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	b.srv.users[person.ID] = person
	r := b.rooms[person.ID]
	if r == nil {
		r = b.open(chatInfo{
			ID: person.ID, Type: typePrivate, Username: person.Username,
			FirstName: person.FirstName, LastName: person.LastName,
		}, []User{person})
	}
	return &Chat{srv: b.srv, room: r, who: person}
}

// Group is a basic group with b in it; the first of people writes, see [Chat.As].
func (b *Bot) Group(title string, people ...User) *Chat {
	return b.meet(chatInfo{Type: typeGroup, Title: title}, -4_000_000_000, people)
}

// Supergroup is a supergroup without topics.
func (b *Bot) Supergroup(title string, people ...User) *Chat {
	return b.meet(chatInfo{Type: typeSupergroup, Title: title}, -1_002_000_000_000, people)
}

// Forum is a supergroup with topics; the chat itself is its topic General.
func (b *Bot) Forum(title string, people ...User) *Chat {
	return b.meet(chatInfo{Type: typeSupergroup, Title: title, IsForum: true}, -1_002_000_000_000, people)
}

// Channel is a channel that b administrates.
func (b *Bot) Channel(title string) *Chat {
	c := b.meet(chatInfo{Type: typeChannel, Title: title}, -1_001_000_000_000, nil)
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.room.status = statusAdmin
	return c
}

// meet makes a chat of several; ids go down from below.
func (b *Bot) meet(info chatInfo, below int64, people []User) *Chat {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	b.srv.nextID++
	info.ID = below - b.srv.nextID
	if len(people) == 0 {
		b.srv.nextID++
		people = []User{{ID: b.srv.nextID, FirstName: "Somebody"}}
	}
	for _, u := range people {
		b.srv.users[u.ID] = u
	}
	return &Chat{srv: b.srv, room: b.open(info, people), who: people[0]}
}

func (b *Bot) open(info chatInfo, people []User) *room {
	r := &room{
		bot: b, info: info, status: statusMember, people: slices.Clone(people),
		messages: map[int64]*entry{}, topics: map[int64]*message{},
	}
	b.rooms[info.ID] = r
	return r
}

// counts says whether a chat numbers its messages by itself.
func (r *room) counts() bool {
	return r.info.Type == typeSupergroup || r.info.Type == typeChannel
}

func (r *room) newID() int64 {
	if r.counts() {
		r.next++
		return r.next
	}
	r.bot.nextMessage++
	return r.bot.nextMessage
}

func (r *room) add(e *entry) {
	e.Chat = r.info
	if e.ID == 0 {
		e.ID = r.newID()
	}
	r.messages[e.ID] = e
	r.order = append(r.order, e)
}

// find is a message that is still there.
func (r *room) find(id int64) *entry {
	if e := r.messages[id]; e != nil && !e.deleted {
		return e
	}
	return nil
}

// ID is the chat's id.
func (c *Chat) ID() int64 { return c.room.info.ID }

// Thread is the topic's message_thread_id, 0 outside of topics.
func (c *Chat) Thread() int64 { return c.thread }

// Who gives the user who writes here.
func (c *Chat) Who() User { return c.who }

// As is the same chat or topic with person writing.
func (c *Chat) As(person User) *Chat {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.srv.users[person.ID] = person
	other := *c
	other.who = person
	return &other
}

// Flood refuses everything that is sent, edited or shown in the chat for d, with the
// seconds that are left as retry_after.
func (c *Chat) Flood(d time.Duration) {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.room.flood = time.Now().Add(d)
}
