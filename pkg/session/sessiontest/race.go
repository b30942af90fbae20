package sessiontest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"parley/pkg/session"
)

// raceChats is how many chats a race has.
const raceChats = 8

// race lets a writer per chat put in the items of each of its messages while turns take
// them, and gives the texts as which each message was read, in order.
func (b *bench) race(each int, items func(chat, id string) []session.Item) map[string][]string {
	b.Helper()
	var mu sync.Mutex
	read := map[string][]string{} // by message
	done := make(chan struct{})
	stop := b.running(func(ctx context.Context, t session.Turn) error {
		joined, err := t.Join(ctx, func(session.Item) bool { return true })
		if err != nil {
			return err
		}
		if err := t.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered}); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		all := slices.Concat(t.Info().Items, joined)
		for i := range all {
			id := all[i].Inbound.MessageID
			read[id] = append(read[id], all[i].Inbound.Text)
			if id == "end" {
				done <- struct{}{}
			}
		}
		return nil
	})
	put := func(items ...session.Item) {
		for i := range items {
			if err := b.e.Inbox().Append(b.Context(), items[i:i+1], nil); err != nil {
				b.Error(err)
			}
		}
	}
	var wg sync.WaitGroup
	for c := range raceChats {
		chat := fmt.Sprint(c)
		wg.Go(func() {
			for m := range each {
				put(items(chat, fmt.Sprint(c, "-", m))...)
			}
			put(from("u", "end", textItem(chat, "end-"+chat, "")))
		})
	}
	for range raceChats {
		<-done
	}
	wg.Wait()
	stop()
	delete(read, "end")
	return read
}
