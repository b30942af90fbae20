package counts

import (
	"sync/atomic"
	"time"
)

// Kinds is the number of kinds of failures; each is an index below it.
const Kinds = 10

// Counters are the numbers of one tool. They are safe for concurrent use.
type Counters struct {
	// Offered are the requests to the model that had the tool, Denied the calls that a person
	// did not allow.
	Offered, Denied atomic.Uint64
	// Picks are the calls that a model wrote, Runs those that ran, Memory those that
	// were answered from memory.
	Picks, Runs, Memory atomic.Uint64
	// failed are the runs and refused the other calls that failed, by kind.
	failed, refused [Kinds]atomic.Uint64

	total, longest atomic.Int64
}

// Ran counts a run that took so long.
func (c *Counters) Ran(took time.Duration) {
	c.Runs.Add(1)
	c.total.Add(int64(took))
	for {
		longest := c.longest.Load()
		if int64(took) <= longest || c.longest.CompareAndSwap(longest, int64(took)) {
			return
		}
	}
}

// Times are the sum of all runs and the longest one.
func (c *Counters) Times() (total, longest time.Duration) {
	return time.Duration(c.total.Load()), time.Duration(c.longest.Load())
}
