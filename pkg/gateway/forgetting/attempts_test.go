package forgetting_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/gateway/forgetting"
	"parley/pkg/session"
	"parley/pkg/session/forgets"
	"parley/pkg/session/local"
)

// TestTwoForgetsOfOneChat: the operator's forget waits for work that does not end, and the person's is done
// meanwhile. The later attempt at the first one takes no file of the chat that began anew.
func TestTwoForgetsOfOneChat(t *testing.T) {
	t.Parallel()
	g := open(t, t.TempDir())
	defer func() { g.close() }()
	g.talk(1)
	of := g.info(1)
	busy := errors.New("a call goes on")
	g.endWork = func() error { return busy }
	if _, err := g.Forget(t.Context(), forgetting.Ask{Of: of}); !errors.Is(err, busy) {
		t.Fatalf("Forget: %v", err)
	}
	g.endWork = nil
	_, err := g.Forget(t.Context(), forgetting.Ask{Of: of, Question: "q"})
	g.must(err)
	fresh := g.write("new")
	if _, err := g.Finish(t.Context()); err != nil || len(g.UnderWay()) != 0 {
		t.Errorf("Finish: %v, %v", err, g.UnderWay())
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the file of the new chat: %v", err)
	}
	if _, err := g.store.Inbox().Waits(t.Context(), "new"); err != nil {
		t.Errorf("the message of the new chat: %v", err)
	}
}

// TestFilesBetweenTwoAttempts: a chat whose forget fails before its records go works on, and the files that it
// gets meanwhile go with it.
func TestFilesBetweenTwoAttempts(t *testing.T) {
	t.Parallel()
	g := open(t, t.TempDir())
	defer func() { g.close() }()
	g.talk(1)
	g.early = errors.New("a folder is held")
	id, err := g.Forget(t.Context(), forgetting.Ask{Of: g.info(1)})
	if !errors.Is(err, g.early) {
		t.Fatalf("Forget: %v", err)
	}
	g.must(local.ForgetterOf(g.store).Ledger().Did(id, forgets.StepFiles)) // as where the records could not be deleted
	between := g.write("between")
	g.early = nil
	if _, err := g.Finish(t.Context()); err != nil || len(g.UnderWay()) != 0 {
		t.Errorf("Finish: %v, %v", err, g.UnderWay())
	}
	if _, err := os.Stat(between); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file that came between: %v", err)
	}
}

// TestAFileOnItsWay: a channel keeps a file of the chat while that is forgotten. The forget waits for it, and the
// file goes with the chat.
func TestAFileOnItsWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := open(t, t.TempDir())
		defer func() { g.close() }()
		g.talk(1)
		g.converse("file", session.Commit{Outbox: []channels.Outbound{{ID: "out", Address: at(1), Text: "a file", Time: time.Now()}}})
		kept := filepath.Join(g.spaces.Of(at(1), false), "late")
		leaves := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- g.store.Outbox().RunOutbox(ctx, "telegram", "b", func(ctx context.Context, d channels.Delivery) error {
				close(leaves)
				<-time.After(5 * time.Second)
				return errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700), os.WriteFile(kept, []byte(canary(1)), 0o600),
					d.Settle(ctx, channels.Outcome{State: channels.Delivered}))
			})
		}()
		<-leaves
		_, err := g.Forget(t.Context(), forgetting.Ask{Of: g.info(1)})
		g.must(err)
		<-time.After(time.Minute)
		stop()
		g.must(<-ended)
		if _, err := os.Stat(kept); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file that was on its way: %v", err)
		}
	})
}
