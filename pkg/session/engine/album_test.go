package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// piece is a part of the album g.
func piece(chat, id, text string) session.Item {
	it := known(chat, id, text)
	it.Inbound.Group = "g"
	return it
}

// moment is a turn's items and how long after the start it took them.
type moment struct {
	After time.Duration
	Texts []string
}

// follow commits every turn as it comes and tells of it.
func follow(t *testing.T, e *local.Engine) (taken func() map[string][]moment) {
	t.Helper()
	began, all, ran := time.Now(), map[string][]moment{}, make(chan error, 1)
	one := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		ran <- e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			one <- struct{}{}
			defer func() { <-one }()
			m, info := moment{After: time.Since(began)}, turn.Info()
			for i := range info.Items {
				m.Texts = append(m.Texts, info.Items[i].Inbound.Text)
			}
			all[info.Address.Chat] = append(all[info.Address.Chat], m)
			return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		})
	}()
	return func() map[string][]moment {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		return all
	}
}

// TestAlbumIsWaitedFor: an album is handed out when no part has come for a while, or at
// once when its chat goes on; other chats do not wait, and no lane runs meanwhile.
func TestAlbumIsWaitedFor(t *testing.T) {
	t.Parallel()
	const window, tick = session.AlbumWindow, session.AlbumWindow / 5
	inTime(t, nil, func(t *testing.T, e *local.Engine, _ local.Options) {
		t.Helper()
		taken := follow(t, e)
		for _, chat := range []string{"a", "b", "c"} {
			put(t, e, message(chat, "first "+chat, "first")) // the next of it begins early
		}
		synctest.Wait()
		put(t, e, piece("a", "1", "one"), piece("b", "2", "two"))
		pass(tick)
		if !engine.NoTurns(e.Engine) {
			t.Error("a lane runs for an album that is waited for")
		}
		put(t, e, message("b", "3", "well?"), message("c", "4", "elsewhere"))
		pass(3 * tick)
		put(t, e, piece("a", "5", "more"))
		pass(4 * tick)
		put(t, e, piece("a", "6", "last"))
		pass(window)
		want := map[string][]moment{
			"a": {{0, []string{"first"}}, {8*tick + window, []string{"one\nmore\nlast"}}},
			"b": {{0, []string{"first"}}, {tick, []string{"two", "well?"}}},
			"c": {{0, []string{"first"}}, {tick, []string{"elsewhere"}}},
		}
		if d := cmp.Diff(want, taken()); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
	})
}

// TestAlbumBehindARunningTurn: it does not join before it is whole, and the items
// before it do not wait for it.
func TestAlbumBehindARunningTurn(t *testing.T) {
	t.Parallel()
	inTime(t, nil, func(t *testing.T, e *local.Engine, _ local.Options) {
		t.Helper()
		put(t, e, message("a", "1", "go"))
		run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
			join := func() (texts []string) {
				items, err := turn.Join(ctx, func(session.Item) bool { return true })
				if err != nil {
					t.Error(err)
				}
				for i := range items {
					texts = append(texts, items[i].Inbound.Text)
				}
				return texts
			}
			say := func(items ...session.Item) {
				if err := e.Inbox().Append(ctx, items, nil); err != nil {
					t.Error(err)
				}
			}
			say(message("a", "2", "before"), piece("a", "3", "one"))
			got := [][]string{join(), join()}
			pass(session.AlbumWindow / 2)
			say(piece("a", "4", "two"))
			pass(session.AlbumWindow - 1)
			got = append(got, join())
			pass(1)
			got = append(got, join())
			if d := cmp.Diff([][]string{{"before"}, nil, nil, {"one\ntwo"}}, got); d != "" {
				t.Errorf("joined (-want +got)\n%s", d)
			}
			return true, turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		})
	})
}

// TestAlbumAfterARestart: it goes on being waited for, and no longer than its
// window, whatever became of the clock.
func TestAlbumAfterARestart(t *testing.T) {
	t.Parallel()
	const down = session.AlbumWindow / 2
	for name, c := range map[string]struct {
		back time.Duration // the clock goes back by that much
		want time.Duration
	}{
		"in time":                {0, session.AlbumWindow - down},
		"the clock was set back": {24 * time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, nil, func(t *testing.T, e *local.Engine, o local.Options) {
				t.Helper()
				put(t, e, piece("a", "1", "one"))
				e.Crash()
				pass(down)
				o.Now = func() time.Time { return time.Now().Add(-c.back) }
				e, err := local.Open(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				taken := follow(t, e)
				pass(session.AlbumWindow)
				want := map[string][]moment{"a": {{c.want, []string{"one"}}}}
				if d := cmp.Diff(want, taken()); d != "" {
					t.Errorf("-want +got\n%s", d)
				}
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestAlbumInATransactionThatFails: a part that could not be stored is in no album.
func TestAlbumInATransactionThatFails(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	put(t, e, piece("a", "1", "one"))
	two := piece("a", "2", "two")
	fenced := &channels.Cursor{Name: "p", From: "elsewhere", To: "1"}
	if err := e.Inbox().Append(t.Context(), []session.Item{two}, fenced); err == nil {
		t.Fatal("the cursor moved")
	}
	stalled, release := engine.Stall(t.Context(), e.Engine)
	<-stalled
	stored := behind(t, e, two)
	engine.Spoil(t.Context(), e.Engine) // the part is written twice, in another transaction
	release()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if got := drain(t, e); len(got) != 1 || got[0].Inbound.Text != "one\ntwo" || got[0].Album.Parts != 2 {
		t.Errorf("%+v", got)
	}
}
