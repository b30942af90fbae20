package turn

import (
	"sync"

	"parley/pkg/agent/trust"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// Questions are the questions that a turn puts to people: each leaves when the result of
// its call is recorded.
type Questions struct {
	mu      sync.Mutex
	pending map[string]pendingApproval // those of calls that have not ended, by call key
	put     []session.Approval         // those of calls that have ended: they wait
}

// pendingApproval is a question that is recorded with its call's result.
type pendingApproval struct {
	approval *session.Approval
	question channels.Outbound
}

func newQuestions() *Questions { return &Questions{pending: map[string]pendingApproval{}} }

// Add takes the question of a call, given how many others are open in the chat. It
// stops at most, and returns how many there are.
func (q *Questions) Add(key string, a *session.Approval, question channels.Outbound, others, most int) (open int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if open = others + len(q.put) + len(q.pending); open >= most {
		return open, false
	}
	q.pending[key] = pendingApproval{approval: a, question: question}
	return open, true
}

// Put are the questions of calls that have ended.
func (q *Questions) Put() []session.Approval {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]session.Approval(nil), q.put...)
}

// note takes a question that an earlier attempt at the turn put.
func (q *Questions) note(a *session.Approval) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put = append(q.put, *a)
}

// take gives the question of a call that has ended, or nil.
func (q *Questions) take(key string) *pendingApproval {
	q.mu.Lock()
	defer q.mu.Unlock()
	a, ok := q.pending[key]
	if !ok {
		return nil
	}
	delete(q.pending, key)
	q.put = append(q.put, *a.approval)
	return &a
}

// Tainted are the questions that were put before content from outside came in: the
// decision continues with that content in the conversation.
func (q *Questions) Tainted(p *trust.Provenance) []session.Approval {
	if !p.Tainted() {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []session.Approval
	for i := range q.put {
		if a := &q.put[i]; !a.Tainted {
			a.Tainted = true
			out = append(out, *a)
		}
	}
	return out
}
