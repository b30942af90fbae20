package wire

import (
	"sync"
	"time"
)

const (
	// So many chats, refused together, mean that the account is.
	floodChats = 3
	// How far apart the refusals, and the moments they name, may lie.
	floodWithin = time.Second
	floodMemory = 32
)

// Floods tell the limit of an account from that of a chat, for a platform that
// answers both alike. A chat has a moment of its own until which it must wait; if the
// account is limited, every chat is told the same moment. So a refusal is the
// account's when at least three chats got one within a second, for moments within a
// second. Taking it for the chat's is safe, only slower to learn. The zero value is
// ready, and safe for many goroutines.
type Floods struct {
	mu   sync.Mutex
	last []flood
}

type flood struct {
	chat      string
	at, until time.Time
}

// Global remembers a refusal and says whether it is the account's.
func (f *Floods) Global(chat string, after time.Duration) bool {
	if after <= floodWithin {
		return false // soon over, and too short to tell moments apart
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	until := now.Add(after)
	if len(f.last) == floodMemory {
		f.last = append(f.last[:0], f.last[1:]...)
	}
	f.last = append(f.last, flood{chat: chat, at: now, until: until})
	alike := map[string]bool{}
	for _, l := range f.last {
		if now.Sub(l.at) <= floodWithin && until.Sub(l.until).Abs() <= floodWithin {
			alike[l.chat] = true
		}
	}
	return len(alike) >= floodChats
}
