package fair_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/fair"
)

// queue is a number of places and the order in which they were given.
type queue struct {
	t      *testing.T
	places *fair.Places

	mu    sync.Mutex
	order []string
	held  map[string][]func()
}

// ask lets one call of an owner wait; the order tells when it was served.
func (q *queue) ask(owner string) {
	go func() {
		free, err := q.places.Take(q.t.Context(), owner, nil)
		q.mu.Lock()
		defer q.mu.Unlock()
		if err != nil {
			q.order = append(q.order, owner+": "+err.Error())
			return
		}
		q.order = append(q.order, owner)
		q.held[owner] = append(q.held[owner], free)
	}()
	synctest.Wait()
}

// end ends one call of an owner.
func (q *queue) end(owner string) {
	q.mu.Lock()
	if len(q.held[owner]) == 0 {
		q.mu.Unlock()
		q.t.Fatalf("%s has no place; the order is %q", owner, q.order)
	}
	free := q.held[owner][0]
	q.held[owner] = q.held[owner][1:]
	q.mu.Unlock()
	free()
	synctest.Wait()
}

// TestShares asks for places and ends calls, in the order of a script: "a" asks for
// a, "-a" ends one of a's.
func TestShares(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		places       int
		script, want string
	}{
		"one owner leaves half of them":          {8, "a a a a a a a a", "a a a a"},
		"each owner leaves half of the rest":     {8, "a a a a a a b b b b c c d d", "a a a a b b c d"},
		"a place that is free is given at once":  {8, "a a a a a b", "a a a a b"},
		"the owner's next call follows":          {8, "a a a a a -a", "a a a a a"},
		"the first of equals is the last served": {1, "a a a a b c b -a -b -c -a", "a b c a b"},
		"those that come later come later":       {1, "a a b -a c -b d -a e -c -d -e", "a b a c d e"},
		"the first of several is the first":      {1, "z b c d e f -z -b -c -d -e -f", "z b c d e f"},
		"fewest first":                           {4, "a a b c a a d -a -b -c", "a a b c d a"},
		"one place":                              {1, "a a -a -a a", "a a a"},
		"two places":                             {2, "a a b -a", "a b a"},
		"none is one":                            {0, "a b -a", "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := &queue{t: t, places: fair.New(c.places), held: map[string][]func(){}}
				for word := range strings.FieldsSeq(c.script) {
					if owner, ends := strings.CutPrefix(word, "-"); ends {
						q.end(owner)
					} else {
						q.ask(word)
					}
				}
				q.mu.Lock()
				defer q.mu.Unlock()
				if diff := cmp.Diff(strings.Fields(c.want), q.order); diff != "" {
					t.Errorf("the places were given in another order: -want +got\n%s", diff)
				}
			})
		})
	}
}

// TestGivesWay asks an owner with places whether to give one back: when another owner
// waits that has fewer, and would get it.
func TestGivesWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		places int
		script string
		want   bool
	}{
		"nobody waits":            {4, "a a", false},
		"only its own calls wait": {4, "a a a a", false},
		"another one waits":       {2, "a b c", true},
		"who waits has as many":   {3, "a b c b", false},
		"it has no place":         {1, "b a", false},
		"it is not known":         {1, "b c", false},
		"who waits gets none yet": {8, "a a a a b b b c d", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p := fair.NewWithQueues(c.places, 10)
				for owner := range strings.FieldsSeq(c.script) {
					go func() { _, _ = p.Take(ctx, owner, nil) }()
					synctest.Wait()
				}
				if got := p.Wanted("a"); got != c.want {
					t.Errorf("another owner wants its place: %v, want %v", got, c.want)
				}
			})
		})
	}
}

// TestWaitEnds gives a wait up, and finds the place free for the next one.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := fair.New(1)
		free, err := p.Take(t.Context(), "a", func() func() { t.Error("it waits for a free place"); return func() {} })
		if err != nil {
			t.Fatal(err)
		}
		why := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		var said []string
		go func() {
			synctest.Wait()
			cancel(why)
		}()
		_, err = p.Take(ctx, "b", func() func() {
			said = append(said, "waits")
			return func() { said = append(said, "over") }
		})
		if !errors.Is(err, why) || cmp.Diff([]string{"waits", "over"}, said) != "" {
			t.Errorf("the wait ended with %v, and told %q", err, said)
		}
		free()
		if free, err = p.Take(t.Context(), "c", nil); err != nil {
			t.Fatal(err)
		}
		free()
	})
}

// TestQueueIsBounded lets one owner ask for more than may wait, and another one ask then.
func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := fair.New(1)
		take := func(owner string) chan error {
			ended := make(chan error, 1)
			go func() {
				_, err := p.Take(ctx, owner, nil)
				ended <- err
			}()
			synctest.Wait()
			return ended
		}
		if err := <-take("a"); err != nil {
			t.Fatal(err)
		}
		for range fair.MostWaiting {
			take("a")
		}
		if err := <-take("a"); !errors.Is(err, fair.ErrFull) {
			t.Errorf("one more waits: %v", err)
		}
		select {
		case err := <-take("b"):
			t.Errorf("another owner does not wait: %v", err)
		default:
		}
	})
}
