package turn

import (
	"fmt"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/text"
)

// ageOf is how old a message, or the end of background work, was at a moment, 0
// for one that is not late. A message's clock is the platform's and may be wrong: one
// without a time, or of the future, is of now. Commands are carried out whatever their age.
func ageOf(it *session.Item, command bool, at time.Time) time.Duration { //nolint:revive // flag-parameter: it is a property of the item
	in := it.Inbound
	if age := at.Sub(it.Time); it.Kind == session.ItemTask && age > channels.LateAfter {
		return age
	}
	if in == nil || in.Time.Unix() <= 0 || command {
		return 0
	}
	if age := at.Sub(in.Time); age > channels.LateAfter {
		return age
	}
	return 0
}

// staleness is the age of the oldest late message of a turn, or how late its job runs.
type staleness struct {
	mu  sync.Mutex
	age time.Duration // 0: all are in time
}

// add notes that the turn answers a late message, or is a late job's.
func (s *staleness) add(age time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.age = max(s.age, age)
}

// note lets an answer begin with the age, in the words of notice, whatever the model says
// of it. An empty answer stays empty.
func (s *staleness) note(notice, answer string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer == "" || s.age == 0 {
		return answer
	}
	return fmt.Sprintf(notice, text.Ago(s.age)) + answer
}
