package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// slate is a channel that shows a growing answer by editing a message.
type slate struct {
	mu    sync.Mutex
	said  []post
	edits []time.Time // the edits before a message was finished
	// send and edit are asked first; nil allows all.
	send func(channels.Part) error
	edit func() error
}

// post is a message as a person sees it, with its earlier texts.
type post struct {
	id       string
	versions []string
	sent     time.Time
	// opened and done: it began as a preview, and its text is final.
	opened, done bool
}

func (m *post) text() string { return m.versions[len(m.versions)-1] }

func (*slate) Name() string                                 { return "test" }
func (*slate) Account() string                              { return "" }
func (*slate) Limits() channels.Limits                      { return channels.Limits{MaxLen: 2000} }
func (*slate) Edits(channels.Address) bool                  { return true }
func (*slate) Run(context.Context, *channels.Ingress) error { return nil }

func (s *slate) Send(_ context.Context, part channels.Part) (channels.Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.send != nil {
		if err := s.send(part); err != nil {
			return channels.Receipt{}, err
		}
	}
	if m := s.find(part.Edits); m != nil {
		m.versions, m.done = append(m.versions, part.Text), true
		return channels.Receipt{MessageID: m.id, Time: time.Now()}, nil
	}
	m := post{id: strconv.Itoa(len(s.said) + 1), versions: []string{part.Text}, sent: time.Now(), opened: part.Preview, done: !part.Preview}
	s.said = append(s.said, m)
	return channels.Receipt{MessageID: m.id, Time: m.sent}, nil
}

func (s *slate) Edit(_ context.Context, _ channels.Address, id, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edits = append(s.edits, time.Now())
	if s.edit != nil {
		if err := s.edit(); err != nil {
			return err
		}
	}
	m := s.find(id)
	if m == nil || m.done {
		return fmt.Errorf("message %q is not open", id)
	}
	m.versions = append(m.versions, text)
	return nil
}

// find is a message by its id; the lock is held.
func (s *slate) find(id string) *post {
	for i := range s.said {
		if s.said[i].id == id {
			return &s.said[i]
		}
	}
	return nil
}

// all are the messages as they are now.
func (s *slate) all() []post {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.said)
	for i := range out {
		out[i].versions = slices.Clone(out[i].versions)
	}
	return out
}

func (s *slate) edited() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.edits)
}

// want checks the chat's messages in the end: these texts, all final.
func (s *slate) want(t *testing.T, texts ...string) {
	t.Helper()
	var got []string
	for _, m := range s.all() {
		got = append(got, m.text())
		if !m.done {
			t.Errorf("message %s is left unfinished: %q", m.id, m.versions)
		}
	}
	if diff := cmp.Diff(texts, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// tell is a model that speaks its words as time passes.
type tell func(ctx context.Context, msgs []providers.Message, emit func(string)) (*providers.LLMResponse, error)

func (f tell) Chat(
	ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	return f(ctx, msgs, func(string) {})
}

func (f tell) ChatStream(
	ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition,
	_ string, _ map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	return f(ctx, msgs, func(text string) { emit(providers.TextDelta{Text: text}) })
}

// wordEvery is how fast slowly speaks.
const wordEvery = 100 * time.Millisecond

// slowly emits a text word by word, until ctx ends.
func slowly(ctx context.Context, text string, emit func(string)) (*providers.LLMResponse, error) {
	for word := range strings.SplitAfterSeq(text, " ") {
		select {
		case <-time.After(wordEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		emit(word)
	}
	return say(text)
}

// words is a text of n words.
func words(n int) string {
	var all []string
	for i := range n {
		all = append(all, "word"+strconv.Itoa(i))
	}
	return strings.Join(all, " ")
}

// onSlate runs a test on fake time, in a world with answers that grow on a slate.
func onSlate(t *testing.T, model providers.LLMProvider, registry []tools.Tool, test func(w *world, s *slate), opts ...option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &slate{}
		w := newWorld(t, model, registry, append(opts, func(w *world) {
			w.channel = s
			w.opts.Limits.Grace = time.Millisecond
			w.opts.Log = zerolog.Nop()
		})...)
		test(w, s)
	})
}
