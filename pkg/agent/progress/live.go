package progress

import (
	"context"
	"sync"

	"parley/pkg/session"
)

// LiveMessage is the message that a turn opened to show an answer while it grows. One
// at most is open: the turn's next message, whatever it is, finishes it, so that
// messages stand in the order in which they were finished.
type LiveMessage struct {
	mu    sync.Mutex
	count int
	open  string // the outbound id of the open one, or ""
}

// NewLiveMessage is the live message of a turn, after the steps of earlier attempts at
// it. A turn may begin with a message that was opened before, or "".
func NewLiveMessage(steps []session.Step, open string) *LiveMessage {
	m := &LiveMessage{open: open}
	for i := range steps {
		for j := range steps[i].Outbox {
			switch out := &steps[i].Outbox[j]; {
			case out.Preview:
				m.count++
				m.open = out.ID
			case out.Finishes != "" && out.Finishes == m.open:
				m.open = ""
			}
		}
	}
	return m
}

// Current is the id of the open message, or "".
func (m *LiveMessage) Current() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

// Take is Current for the message that finishes it.
func (m *LiveMessage) Take() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := m.open
	m.open = ""
	return id
}

// begin opens a message that shows text. It is in the ledger before the turn sends
// anything else, so that the next message finishes it; wanted is asked when no other
// message can come in between.
func (m *LiveMessage) begin(
	ctx context.Context, text string, wanted func() bool, open func(ctx context.Context, n int, text string) (string, error),
) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !wanted() {
		return nil
	}
	id, err := open(ctx, m.count, text)
	if err != nil {
		return err
	}
	m.count++
	m.open = id
	return nil
}
