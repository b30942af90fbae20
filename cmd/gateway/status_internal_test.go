package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/corpus"
	"parley/pkg/gateway/admin"
)

// TestShowIndex tells what is left out of a corpus.
func TestShowIndex(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := showIndex(&out, admin.IndexReport{Corpora: []corpus.State{
		{Corpus: "laws", Files: 2, Unread: make([]corpus.Unread, 1), MoreUnread: 2},
		{Corpus: "many", Files: 20_000, Notes: []string{"80000 files are beyond the bounds", "2 links are not followed"}},
		{Corpus: "old", Trouble: "it is gone", Notes: []string{"a note"}},
	}})
	const want = "laws\t2 files\t3 not read\t\n" +
		"many\t20000 files\t0 not read\t80000 files are beyond the bounds; 2 links are not followed\n" +
		"old\t0 files\t0 not read\tit is gone; a note\n"
	if err != nil || out.String() != want {
		t.Errorf("%v: %q", err, out.String())
	}
}

// TestTheStatusNamesWhatDoesNotGetOn as a line for a person and as JSON.
func TestTheStatusNamesWhatDoesNotGetOn(t *testing.T) {
	t.Parallel()
	corpora := []corpus.Summary{
		{Corpus: "laws", Files: 120, Unread: 3, Waiting: 40, Looked: time.Now()},
		{Corpus: "news", Waiting: 7},
		{Corpus: "old", Trouble: "it is gone"},
	}
	raw, err := json.Marshal(admin.StatusReport{Trouble: []string{"AGENT.md is empty"}, Corpora: corpora, Slow: []turn.SlowTurn{{
		Turn: "t1", Address: channels.Address{Channel: "telegram", Account: "7", Chat: "9"}, Since: time.Now(), Stage: "reads the conversation",
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var r admin.StatusReport
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	text := statusText(&r)
	for _, want := range []string{
		"slow turn\ttelegram:7/9 has not asked the model since ",
		": it reads the conversation; /stop there ends it\n", "trouble\tAGENT.md is empty\n",
		"corpus laws\t120 files indexed, 3 not read, 40 waiting\n",
		"corpus news\t0 files indexed, 0 not read, 7 waiting; the first look goes on\n",
		"corpus old\t0 files indexed, 0 not read, 0 waiting: it is gone\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing: %s", want, text)
		}
	}
	if !strings.Contains(string(raw), `"slow_turns":[{"turn":"t1"`) || admin.SlowTurn != time.Minute {
		t.Errorf("a turn counts as slow after %v: %s", admin.SlowTurn, raw)
	}
}
