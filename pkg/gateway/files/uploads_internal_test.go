package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

func content(t *testing.T, o *Uploads, id string) string {
	t.Helper()
	f, err := o.Open(id)
	if errors.Is(err, fs.ErrNotExist) {
		return "(nothing)"
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOutgoingKeepsWhole(t *testing.T) {
	t.Parallel()
	o := NewUploads(filepath.Join(t.TempDir(), "outgoing"))
	if n, err := o.Keep("c1-1/1/0/file", strings.NewReader("text"), 4); n != 4 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	for range 2 { // each attempt reads it from the beginning
		if got := content(t, o, "c1-1/1/0/file"); got != "text" {
			t.Errorf("kept %q", got)
		}
	}
	broken := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("the file broke")))
	if _, err := o.Keep("c1-1/1/1/file", broken, 8); err == nil {
		t.Error("a file that cannot be read was kept")
	}
	if _, err := o.Keep("c1-1/1/2/file", strings.NewReader("x"), MaxUploads); err == nil {
		t.Error("more was kept than may wait")
	} else if e, ok := errors.AsType[*tools.Error](err); !ok || e.Type != tools.ErrBusy {
		t.Errorf("too much: %v", err)
	}
	if entries, err := os.ReadDir(o.dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	for range 2 {
		if err := o.Drop("c1-1/1/0/file"); err != nil {
			t.Error(err)
		}
	}
	if got := content(t, o, "c1-1/1/0/file"); got != "(nothing)" {
		t.Errorf("dropped, and still %q", got)
	}
}

// TestSweepKeepsWhatMayStillLeave sweeps beside a real store that has a message in
// each state.
func TestSweepKeepsWhatMayStillLeave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Log: zerolog.Nop(), SnapshotEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	o := NewUploads(filepath.Join(dir, "outgoing"))
	if err := o.Sweep(t.Context(), e.Outbox()); err != nil {
		t.Errorf("without a folder: %v", err)
	}
	states := []string{"delivered", "refused", "unsettled", "waits", "waits/behind"}
	for _, id := range append(states, "never put") {
		if _, err := o.Keep(id, strings.NewReader(id), 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bm90.part", "not ours"} {
		if err := os.WriteFile(filepath.Join(o.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(t, e, states)
	settle(t, e, map[string]channels.OutcomeState{
		"delivered": channels.Delivered, "refused": channels.Refused, "unsettled": channels.Unsettled,
	})
	if err := o.Sweep(t.Context(), e.Outbox()); err != nil {
		t.Fatal(err)
	}
	for _, id := range append(states, "never put") {
		want := "(nothing)"
		if strings.HasPrefix(id, "waits") {
			want = id
		}
		if got := content(t, o, id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	entries, err := os.ReadDir(o.dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("left: %v, %v", entries, err)
	}
	// A store that cannot say keeps everything.
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := o.Sweep(t.Context(), e.Outbox()); err != nil {
		t.Error(err)
	}
	if got := content(t, o, "waits"); got != "waits" {
		t.Errorf("a closed store, and the file is %q", got)
	}
}

// put queues a message with each of the ids, in one chat.
func put(t *testing.T, e *local.Engine, ids []string) {
	t.Helper()
	at := channels.Address{Channel: "fake", Chat: "a"}
	in := channels.Inbound{ID: "in", Kind: channels.KindMessage, Address: at, Text: "hi", Time: time.Now()}
	if err := e.Inbox().Append(t.Context(), []session.Item{{
		ID: "in", Kind: session.ItemMessage, Address: at, Inbound: &in, Time: in.Time,
	}}, nil); err != nil {
		t.Fatal(err)
	}
	var all []channels.Outbound
	for _, id := range ids {
		all = append(all, channels.Outbound{ID: id, Address: at, File: &channels.File{Name: id}})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		defer cancel()
		return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Outbox: all})
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// settle gives messages an outcome, up to the first that is to stay open.
func settle(t *testing.T, e *local.Engine, outcomes map[string]channels.OutcomeState) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := e.Outbox().RunOutbox(ctx, "fake", "", func(ctx context.Context, d channels.Delivery) error {
		state, ok := outcomes[d.Info().Outbound.ID]
		if !ok {
			cancel()
			return ctx.Err()
		}
		return d.Settle(context.WithoutCancel(ctx), channels.Outcome{State: state, Receipt: channels.Receipt{MessageID: "1", Time: time.Now()}})
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
