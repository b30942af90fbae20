package agent_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session/bolt/bolttest"
	"parley/pkg/session/engine/table"
	"parley/pkg/tools"
)

// TestConversationsOfAnEarlierBuild are shown, gone on with and left as those of this one, although
// the store of that build has no marks beside their entries.
func TestConversationsOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../session/engine/testdata/*.db.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no store: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, script(echo), nil, func(w *world) { unpackStore(t, file, filepath.Join(w.dir, "state")) })
			says := w.atBot()
			contains(t, says("talk", "1", "/history"), "You: hello\nAnswer: hi, Ada")
			if got := says("talk", "2", "more"); got != "hello|more" {
				t.Errorf("the model read %q", got)
			}
			says("talk", "3", "/new")
			contains(t, says("talk", "4", "/resume 1"), "Going on with “hello”", "You: more")
			contains(t, says("talk", "5", "/undo"), "“more”")
			contains(t, says("talk", "6", "/undo"), "“hello”")

			contains(t, says("renewed", "7", "/history"), "This conversation is empty")
			contains(t, says("renewed", "8", "/resume"), "1. “before” (until ")
			contains(t, says("renewed", "9", "/resume 1"), "Going on with “before”", "You: before")
			if got := says("renewed", "10", "again"); got != "before|again" {
				t.Errorf("the model read %q", got)
			}
			contains(t, says("renewed", "11", "/history"), "You: before", "You: again\nAnswer: before|again")
		})
	}
}

// TestReportsOfAnEarlierBuild have no mark that says that they belong to a question: each counts as an
// exchange of its own, and none is lost.
func TestReportsOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	begin := make(chan struct{})
	w := newParty(t, looks("work", "{}", begin, ""), []tools.Tool{until(begin, *tools.NewToolResult("found"))})
	w.says("1", "before")
	w.says("1", "look")
	close(begin)
	contains(t, w.expect().Text, "heard ")
	w.says("1", "/new")
	w.says("1", "other")
	w.settled()
	w.stop()
	if err := bolttest.DropBuckets(filepath.Join(w.dir, "state"), string(table.Marks), string(table.Undone)); err != nil {
		t.Fatal(err)
	}
	w.start()
	contains(t, w.says("1", "/resume 1"), "Going on with “before”")
	contains(t, w.says("1", "/history"), "You: before", "You: look\nAnswer: it has started\nTools: work", "Result: found")
	contains(t, w.says("1", "/undo"), "“[background task] work (")
	contains(t, w.says("1", "/undo"), "“look”")
	contains(t, w.says("1", "/undo"), "“before”")
	contains(t, w.says("1", "/resume 1"), "Going on with “other”")
	w.settled()
}

// unpackStore puts the store of an earlier build into a state folder.
func unpackStore(t *testing.T, packed, dir string) {
	t.Helper()
	f, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err := errors.Join(err, f.Close(), os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "parley.db"), content, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// atBot writes for the owner to a chat of the account "bot", and gives the answer.
func (w *world) atBot() func(chat, id, text string) string {
	ctx, cancel := context.WithCancel(w.t.Context())
	answers := make(chan channels.Outbound, 100)
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = w.eng.Outbox().RunOutbox(ctx, "test", "bot", func(ctx context.Context, d channels.Delivery) error {
			answers <- d.Info().Outbound
			return d.Settle(ctx, channels.Outcome{State: channels.Delivered, Receipt: channels.Receipt{MessageID: "m", Time: time.Now()}})
		})
	})
	w.t.Cleanup(func() { cancel(); wg.Wait() })
	return func(chat, id, text string) string {
		w.t.Helper()
		at := channels.Address{Channel: "test", Account: "bot", Chat: chat}
		w.accept(channels.Inbound{
			ID: "now" + id, Kind: channels.KindMessage, Address: at, Sender: channels.Sender{ID: "1"},
			Text: text, Direct: true, MessageID: "now" + id, Time: time.Now(),
		})
		for late := time.After(patience); ; {
			select {
			case o := <-answers:
				if o.Address.Chat == chat && !o.Asked.Before(time.Now().Add(-time.Hour)) {
					return o.Text
				}
			case <-late:
				w.t.Fatalf("no answer to %q", text)
			}
		}
	}
}
