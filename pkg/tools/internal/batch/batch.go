package batch

import (
	"context"
	"errors"
	"sync"
)

// Batch is a number of calls in the order of the answer.
type Batch struct {
	// Count is how many calls there are, Parallel how many run at once at most.
	Count, Parallel int
	// Alone says whether a call may not run beside others.
	Alone func(call int) bool
	// Run runs one call.
	Run func(ctx context.Context, call int) error
}

// runner is one run of a batch.
type runner struct {
	Batch
	cancel context.CancelFunc

	mu     sync.Mutex
	failed error
}

// Do runs the calls in order; neighbours that may run beside others run side by side.
// The first error cancels the calls that are running, and no further one begins. Do
// returns after the last of them has ended, with all errors.
func (b Batch) Do(ctx context.Context) error {
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &runner{Batch: b, cancel: cancel}
	for from := 0; from < b.Count && work.Err() == nil; {
		to := from + 1
		for !b.Alone(from) && to < b.Count && !b.Alone(to) {
			to++
		}
		r.together(work, from, to)
		from = to
	}
	return r.failed
}

// together runs the calls from from up to to, without to, side by side.
func (r *runner) together(ctx context.Context, from, to int) {
	if to-from == 1 {
		r.one(ctx, from)
		return
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, r.Parallel)
	for i := from; i < to; i++ {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			r.one(ctx, i)
		})
	}
	wg.Wait()
}

func (r *runner) one(ctx context.Context, call int) {
	err := r.Run(ctx, call)
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = errors.Join(r.failed, err)
	r.cancel()
}
