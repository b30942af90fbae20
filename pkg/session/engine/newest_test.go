package engine_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/kv"
	"parley/pkg/session/kv/kvtest"
)

// counted counts the keys that views come to and look up.
type counted struct {
	kv.Store

	keys atomic.Int64
}

func (c *counted) View(f func(kv.Reader) error) error {
	return c.Store.View(func(r kv.Reader) error { return f(countedReader{r, &c.keys}) })
}

type countedReader struct {
	kv.Reader

	keys *atomic.Int64
}

func (r countedReader) Get(b kv.Bucket, key []byte) []byte {
	r.keys.Add(1)
	return r.Reader.Get(b, key)
}

func (r countedReader) Cursor(b kv.Bucket) kv.Cursor {
	return countedCursor{r.Reader.Cursor(b), r.keys}
}

type countedCursor struct {
	kv.Cursor

	keys *atomic.Int64
}

func (c countedCursor) Seek(key []byte) (k, v []byte) {
	c.keys.Add(1)
	return c.Cursor.Seek(key)
}

func (c countedCursor) Next() (k, v []byte) {
	c.keys.Add(1)
	return c.Cursor.Next()
}

// TestNewestLooksAtNoOthers: the list of a person's chats costs the same with the chats of many
// others, whose names have all lengths, and on other channels.
func TestNewestLooksAtNoOthers(t *testing.T) {
	t.Parallel()
	store := &counted{Store: kvtest.NewMemory()}
	e, err := engine.Open(t.Context(), store, engine.Options{Log: options(t, t.TempDir()).Log})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	add := func(channel, name string) {
		t.Helper()
		at := channels.Address{Channel: channel, Chat: name}
		in := channels.Inbound{ID: name, Kind: channels.KindMessage, Address: at, Text: "hello"}
		it := session.Item{ID: channel + name, Kind: session.ItemMessage, Address: at, Inbound: &in}
		if err := e.Inbox().Append(t.Context(), []session.Item{it}, nil); err != nil {
			t.Fatal(err)
		}
	}
	cost := func() int64 {
		t.Helper()
		before := store.keys.Load()
		all, err := engine.ReadingOf(e).Newest(t.Context(), channels.Address{Channel: "web", Chat: "web:ada."}, 200)
		if len(all) != 3 || err != nil {
			t.Fatal(all, err)
		}
		return store.keys.Load() - before
	}
	for _, name := range []string{"a", "main", "a-longer-name"} {
		add("web", "web:ada."+name)
	}
	for i := range 40 { // each length of a name that others have costs a step
		add("web", fmt.Sprintf("web:bo.%0*d", i, 0))
	}
	few := cost()
	for i := range 500 {
		add("web", fmt.Sprint("web:bo.", i))
		add("web", fmt.Sprint("web:zoe.", i))
		add("telegram", fmt.Sprint("web:ada.", i))
	}
	if many := cost(); many > few {
		t.Errorf("%d keys are read beside many chats, %d beside few", many, few)
	}
}
