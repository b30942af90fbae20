package web_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/pkg/channels"
	"parley/pkg/channels/channelstest"
	"parley/pkg/channels/web"
	"parley/pkg/shelf"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screens are the pages of several people, and programs that post for them.
type screens struct {
	t     *testing.T
	files *shelf.Shelf

	mu    sync.Mutex
	now   *web.Channel
	shown map[channels.Address][]channels.Part
	n     int
	acked int
	posts sync.WaitGroup
}

func (s *screens) show(_ context.Context, p channels.Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.shown[p.Address] {
		old := &s.shown[p.Address][i]
		if old.ID == p.ID && old.Index == p.Index || p.Finishes != "" && old.ID == p.Finishes {
			s.shown[p.Address][i] = p
			return
		}
	}
	s.shown[p.Address] = append(s.shown[p.Address], p)
}

func (s *screens) open() channels.Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = web.New(web.Options{Show: s.show, Files: s.files})
	return s.now
}

// say posts as a program does: again under the same id until it is taken.
func (s *screens) say(m channels.Inbound) {
	s.mu.Lock()
	s.n++
	m.ID, m.Sender, m.Direct = strconv.Itoa(s.n), channels.Sender{ID: "ada"}, true
	m.Wish = &channels.Wish{Level: "read"}
	before := s.n - 1
	s.mu.Unlock()
	s.posts.Go(func() {
		for s.t.Context().Err() == nil {
			s.mu.Lock()
			to, turn := s.now, s.acked == before
			s.mu.Unlock()
			if turn && to != nil && to.Post(s.t.Context(), m) == nil {
				s.mu.Lock()
				s.acked++
				s.mu.Unlock()
				return
			}
			<-time.After(time.Millisecond)
		}
	})
}

func (s *screens) press(at channels.Address, label string) bool {
	s.mu.Lock()
	parts := s.shown[at]
	s.mu.Unlock()
	if len(parts) == 0 {
		return false
	}
	p := &parts[len(parts)-1]
	i := slices.IndexFunc(p.Buttons, func(b channels.Button) bool { return b.Label == label })
	if i < 0 {
		return false
	}
	s.say(channels.Inbound{Kind: channels.KindButton, Address: at, Text: p.Buttons[i].Data, MessageID: p.ID})
	return true
}

func TestConformance(t *testing.T) {
	t.Parallel()
	channelstest.Run(t, func(t *testing.T) *channelstest.Rig {
		t.Helper()
		s := &screens{t: t, shown: map[channels.Address][]channels.Part{}, files: newShelf(t, 500e6)}
		t.Cleanup(s.posts.Wait)
		return &channelstest.Rig{
			New:   s.open,
			Chats: []channels.Address{{Channel: "web", Chat: "ada.1"}, {Channel: "web", Chat: "ada.2"}, {Channel: "web", Chat: "bob.1"}},
			Say: func(at channels.Address, text string) {
				s.say(channels.Inbound{Kind: channels.KindMessage, Address: at, Text: text})
			},
			Seen: func(at channels.Address) []string {
				s.mu.Lock()
				defer s.mu.Unlock()
				var all []string
				for i := range s.shown[at] {
					all = append(all, s.shown[at][i].Text)
				}
				return all
			},
			Files: s.fetched,
			Acked: func() int {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.acked
			},
			Press: s.press,
		}
	})
}

// TestNothingIsTakenInBeforeOrAfterRun: a client is told to come again.
func TestNothingIsTakenInBeforeOrAfterRun(t *testing.T) {
	t.Parallel()
	c := web.New(web.Options{Show: func(context.Context, channels.Part) {}})
	post := func() error {
		return c.Post(t.Context(), channels.Inbound{ID: "1", Text: "hi", Wish: &channels.Wish{Level: "read"}})
	}
	if err := post(); !errors.Is(err, web.ErrNotRunning) {
		t.Errorf("before: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Run(ctx, nil); err != nil {
		t.Error(err)
	}
	if err := post(); !errors.Is(err, web.ErrNotRunning) {
		t.Errorf("after: %v", err)
	}
}
