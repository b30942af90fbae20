package fakeslack

import (
	"fmt"
	"strings"
)

// Ids of the app. The bot's user id is that of the first user.
const (
	appID = "A0PARLEY01"
	botID = "B0PARLEY01"
)

// User is a person, or the bot.
type User struct {
	ID, Name string
	// Team is the workspace that the user belongs to.
	Team string
}

// newUser makes a user. The lock is held, or the server is still private.
func (s *Server) newUser(name, team string) *User {
	u := &User{ID: s.id("U"), Name: name, Team: team}
	s.users[u.ID] = u
	return u
}

// id makes an id of Slack's shape. The lock is held.
func (s *Server) id(prefix string) string {
	s.next++
	return fmt.Sprintf("%s0%09d", prefix, s.next)
}

// User makes a person of the workspace.
func (s *Server) User(name string) *User { return s.Stranger(name, s.opt.Team) }

// Stranger makes a person of another workspace, whom shared channels bring together with the bot.
func (s *Server) Stranger(name, team string) *User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newUser(name, team)
}

// Types of conversations, as channel_type has them.
const (
	kindIM      = "im"
	kindMPIM    = "mpim"
	kindChannel = "channel"
	kindGroup   = "group" // a private channel
)

// DM is the direct messages of a person with the bot. It is the same chat for the same person.
func (s *Server) DM(u *User) *Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rooms {
		if r.kind == kindIM && r.members[0] == u {
			return &Chat{srv: s, room: r, who: u}
		}
	}
	return s.open("D", kindIM, "", []*User{u})
}

// Channel is a public channel with the bot in it; the first of members writes, see [Chat.As].
func (s *Server) Channel(name string, members ...*User) *Chat {
	return s.meet("C", kindChannel, name, members)
}

// Private is a private channel with the bot in it.
func (s *Server) Private(name string, members ...*User) *Chat {
	return s.meet("C", kindGroup, name, members)
}

// Group is a group direct message with the bot in it.
func (s *Server) Group(name string, members ...*User) *Chat {
	return s.meet("G", kindMPIM, name, members)
}

func (s *Server) meet(prefix, kind, name string, members []*User) *Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open(prefix, kind, name, members)
}

// open makes a room. The lock is held.
func (s *Server) open(prefix, kind, name string, members []*User) *Chat {
	if len(members) == 0 {
		members = []*User{s.newUser("member", s.opt.Team)}
	}
	r := &room{id: s.id(prefix), kind: kind, name: name, members: members}
	s.rooms[r.id] = r
	return &Chat{srv: s, room: r, who: members[0]}
}

// display is how a user's name is shown. The lock is held.
func (s *Server) display(id string) string {
	if u := s.users[id]; u != nil {
		return u.Name
	}
	return strings.ToUpper(id)
}
