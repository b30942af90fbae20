package rules

import (
	"time"

	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/table"
)

// SignalQueue tells a scheduler of every chat that has records in a queue. A chat is as
// urgent as its most urgent record; a record that cannot be read counts as a person's.
func SignalQueue[R any](t *table.Tx, queue table.Bucket, s *lane.Scheduler, urgency func(*R) lane.Urgency) {
	t.Heads(queue, func(chat, _ uint64) {
		most := lane.ForResult
		t.Each(queue, table.NumKey(chat), func(k, v []byte) bool {
			rec, err := table.Read[R](queue, k, v)
			if err != nil {
				most = lane.ForPerson
			} else {
				most = min(most, urgency(rec))
			}
			return most > lane.ForPerson
		})
		s.Signal(chat, most, time.Time{})
	})
}
