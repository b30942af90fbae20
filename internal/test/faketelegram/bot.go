package faketelegram

import (
	"fmt"
	"strings"
	"time"
)

// Bot is one bot of the server.
type Bot struct {
	srv   *Server
	token string
	user  User

	// The server's mutex guards the fields below.
	queue       []*queued
	nextUpdate  int64
	nextMessage int64 // in chats that do not count for themselves
	allowed     []string
	poll        chan struct{} // closed when something else ends the poll; nil without one
	pollEnd     string        // the words of that
	hook        webhook
	rooms       map[int64]*room
	commands    map[string][]Command
	all         bucket
	flood       time.Time // until when everything is refused
	callbacks   map[string]bool
}

// Command is one entry of a bot's menu.
type Command struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// AddBot makes one more bot. Its token is its id and a secret of the real shape.
func (s *Server) AddBot(username string) *Bot {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := int64(7_000_000_001 + len(s.bots))
	b := &Bot{
		srv: s, token: fmt.Sprintf("%d:AA%s", id, strings.Repeat("fake_", 6)+"bot"),
		user:       User{ID: id, IsBot: true, FirstName: "Parley", Username: username},
		nextUpdate: 1000 * int64(1+len(s.bots)), nextMessage: 10, rooms: map[int64]*room{},
		commands: map[string][]Command{}, callbacks: map[string]bool{},
	}
	s.bots = append(s.bots, b)
	return b
}

// Bot is the bot that the server has from the start.
func (s *Server) Bot() *Bot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bots[0]
}

// Token is the first bot's token.
func (s *Server) Token() string { return s.Bot().Token() }

// Token is the bot's token; it is part of every address.
func (b *Bot) Token() string { return b.token }

// ID is the bot's numeric id, the part of its token before the colon.
func (b *Bot) ID() int64 { return b.user.ID }

// User is the bot as others see it.
func (b *Bot) User() User { return b.user }

// Revoke makes the token unknown, as @BotFather does.
func (b *Bot) Revoke() {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	b.token = ""
}

// Flood refuses everything that is sent, edited or shown, in any chat, for d.
func (b *Bot) Flood(d time.Duration) {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	b.flood = time.Now().Add(d)
}

// Commands is the bot's menu in the default scope and language.
func (b *Bot) Commands() []Command {
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	return append([]Command(nil), b.commands[commandScope("", "")]...)
}

func (s *Server) botOf(token string) *Bot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bots {
		if b.token == token {
			return b
		}
	}
	return nil
}

// tokenShaped says whether token is digits, a colon and a secret.
func tokenShaped(token string) bool {
	id, secret, ok := strings.Cut(token, ":")
	return ok && id != "" && secret != "" && strings.Trim(id, "0123456789") == ""
}

// User makes a person.
func (s *Server) User(firstName string) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	u := User{ID: s.nextID, FirstName: firstName, Username: strings.ToLower(firstName) + fmt.Sprint(s.nextID), LanguageCode: "en"}
	s.users[u.ID] = u
	return u
}
