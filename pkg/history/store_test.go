package history_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/pkg/history"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// conversation is a stored session. Damaged entries are nil.
type conversation struct {
	chat    string
	current bool
	all     []*session.Entry
}

// store is a store in memory.
type store struct {
	mu       sync.Mutex
	sessions map[string]*conversation
	slow     time.Duration
	read     int
}

func (s *store) Get(_ context.Context, id string) (session.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.sessions[id]
	if of == nil {
		return session.Info{}, session.ErrNotFound
	}
	return session.Info{Session: id, Chat: of.chat, Current: of.current, Entries: uint64(len(of.all))}, nil
}

func (s *store) Left(_ context.Context, chat string, _ int) (all []session.Info, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, of := range s.sessions {
		if of.chat == chat && !of.current && len(of.all) > 0 {
			all = append(all, session.Info{Session: id, Chat: chat, Entries: uint64(len(of.all))})
		}
	}
	return all, nil
}

func (s *store) Back(_ context.Context, id string, before uint64, f func(session.Entry) bool) error {
	if s.slow > 0 {
		<-time.After(s.slow)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.sessions[id]
	if of == nil {
		return session.ErrNotFound
	}
	for i := min(int(before)-1, len(of.all)) - 1; i >= 0; i-- {
		if of.all[i] == nil {
			continue
		}
		if s.read++; !f(*of.all[i]) {
			break
		}
	}
	return nil
}

// began is the time of the first entry.
var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// say adds what a person says to a conversation.
func (s *store) say(id string, texts ...string) {
	for _, t := range texts {
		s.add(id, &session.Entry{Message: providers.Message{Role: providers.RoleUser, Content: t}})
	}
}

func (s *store) add(id string, all ...*session.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.sessions[id]
	for _, e := range all {
		if e != nil {
			e.Seq, e.Time = uint64(len(of.all)+1), began.Add(time.Duration(len(of.all))*time.Minute)
		}
		of.all = append(of.all, e)
	}
}

// with is a store with conversations, each "CHAT/SESSION"; the first one of a chat is its present one.
func with(names ...string) *store {
	s := &store{sessions: map[string]*conversation{}}
	seen := map[string]bool{}
	for _, name := range names {
		chat, id, _ := strings.Cut(name, "/")
		s.sessions[id] = &conversation{chat: chat, current: !seen[chat]}
		seen[chat] = true
	}
	return s
}

// opened is a history over a store, with its file in a folder. It redacts hunter22.
func opened(t *testing.T, s history.Store, dir string) *history.History {
	t.Helper()
	h := history.New(history.Options{
		Path: filepath.Join(dir, "index", "history"), Store: s,
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter22", "[redacted]") },
	})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func search(t *testing.T, h *history.History, id, words string) history.Found {
	t.Helper()
	found, err := h.Search(t.Context(), history.Query{Session: id, Owner: id, Text: words, Limit: 10})
	if err != nil {
		t.Fatalf("%s for %q: %v", id, words, err)
	}
	return found
}

// names are the entries that a search finds.
func names(t *testing.T, h *history.History, id, words string) []string {
	t.Helper()
	out := []string{}
	hits := search(t, h, id, words).Hits
	for i := range hits {
		out = append(out, history.Name(hits[i].Session, hits[i].Entry.Seq))
	}
	return out
}
