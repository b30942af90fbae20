package engine_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt/bolttest"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
	"parley/pkg/session/local"
)

// A store that an earlier build wrote is in testdata, compressed: every later build
// opens it and answers its waiting items. A build that changes a stored form adds a
// file of its own, written with
//
//	go test ./pkg/session/engine -run TestWriteOldStore -write-store PATH/testdata/NAME.db.gz
//
// and keeps the earlier ones.

var writeStore = flag.String("write-store", "", "write the store of this build to a file")

func oldOptions(tb testing.TB, dir string, now time.Time) local.Options {
	tb.Helper()
	o := options(tb, dir)
	o.Now = func() time.Time { return now }
	return o
}

// unpacked is the store of a file in testdata, in a directory of its own.
func unpacked(tb testing.TB, path string) (dir string) {
	tb.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		tb.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		tb.Fatal(err)
	}
	dir = tb.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "parley.db"), content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// TestOldStore: a store of an earlier build opens, is sound, and has all that it had;
// its waiting items are answered and its waiting messages sent, each once.
func TestOldStore(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.db.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no store: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			dir := unpacked(t, file)
			checkStore(t, dir)
			e, err := local.Open(t.Context(), oldOptions(t, dir, oldNow().Add(time.Minute)))
			if err != nil {
				t.Fatal(err)
			}
			o := oldStore{t: t, e: e, file: filepath.Base(file)}
			o.counts()
			o.records()
			o.conversations()
			o.undone()
			o.facts()
			o.pairs()
			o.answers()
			o.sends()
			o.none(e.Status(t.Context()))
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			checkStore(t, dir)
		})
	}
}

// oldStore is a store of an earlier build that was opened.
type oldStore struct {
	t    *testing.T
	e    *local.Engine
	file string
}

func (o oldStore) equal(want, got any) {
	o.t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		o.t.Errorf("(-want +got)\n%s", d)
	}
}

func (o oldStore) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

func (o oldStore) counts() {
	o.t.Helper()
	st, err := o.e.Status(o.t.Context())
	o.must(err)
	o.equal([]int{8, 5, 1}, []int{st.Waiting, st.Sending, st.OpenTasks})
}

func (o oldStore) chat(name string) session.Info {
	o.t.Helper()
	info, err := o.e.Sessions().Lookup(o.t.Context(), oldAddr(name))
	o.must(err)
	return info
}

// records compares tasks, jobs, approvals and grants.
func (o oldStore) records() {
	o.t.Helper()
	ctx := o.t.Context()
	tasks, err := o.e.Tasks().TaskList(ctx, o.chat("tasks").Chat)
	o.must(err)
	states := map[string]session.TaskState{}
	for i := range tasks {
		states[tasks[i].ID] = tasks[i].State
		o.equal(ada(), tasks[i].Principal.Sender)
		o.equal("owner", tasks[i].Principal.Level)
	}
	o.equal(map[string]session.TaskState{"running": session.TaskRunning, "done": session.TaskDone}, states)

	jobs, err := o.e.Jobs().JobList(ctx, o.chat("jobs").Chat)
	o.must(err)
	want := oldJob("daily")
	want.Chat = o.chat("jobs").Chat
	paused := oldJob("paused")
	paused.Chat, paused.Paused, paused.Why = want.Chat, true, "it failed"
	o.equal([]session.Job{want, paused}, jobs)
	due, err := o.e.Jobs().DueJobs(ctx, oldNow().Add(2*time.Hour), 10)
	o.must(err)
	o.equal([]session.Job{want}, due)

	asked, err := o.e.Approvals().ApprovalList(ctx, o.chat("approvals").Chat)
	o.must(err)
	o.equal([]session.Approval{o.approval("allowed"), o.approval("open")}, asked)
	grants, err := o.e.Approvals().Grants(ctx, "")
	o.must(err)
	o.equal([]session.Grant{o.grant()}, grants)
}

func (o oldStore) approval(id string) session.Approval {
	o.t.Helper()
	info := o.chat("approvals")
	return oldApprovalOf(id, info.Chat, info.Session)
}

func (o oldStore) grant() session.Grant {
	o.t.Helper()
	return oldGrantOf(o.chat("approvals").Chat)
}

// conversations compares history, receipts, the use of a chat, and where it is.
func (o oldStore) conversations() {
	o.t.Helper()
	ctx := o.t.Context()
	info := o.chat("talk")
	var said []string
	o.must(o.e.Sessions().All(ctx, info.Session, func(e session.Entry) error {
		said = append(said, e.Message.Role+": "+e.Message.Content)
		return nil
	}))
	o.equal([]string{"user: hello", "assistant: hi, Ada"}, said)
	zone, err := o.e.Chats().Zone(ctx, info.Chat)
	o.must(err)
	o.equal("Europe/Berlin", zone)
	used, err := o.e.Chats().Spending(ctx, info.Chat, "2026-11-22")
	o.must(err)
	o.equal(map[session.Purpose]session.Usage{session.ForPeople: {Turns: 1, Input: 10, Output: 5, Money: 42}}, used)
	o.uses(info.Chat)
	receipt, err := o.e.Outbox().Receipt(ctx, "talk/answer")
	o.must(err)
	o.equal(channels.Receipt{MessageID: "p1"}, receipt)
	at, err := o.e.Inbox().Position(ctx, "test/bot/updates")
	o.must(err)
	o.equal("17", at)

	all, err := o.e.Sessions().List(ctx, "", 100)
	o.must(err)
	left := slices.DeleteFunc(all, func(i session.Info) bool { return i.Current || i.Address == oldAddr("undone") })
	o.equal(1, len(left))
	o.equal(oldAddr("renewed"), left[0].Address)
	o.equal([]string{"old"}, o.e.Chats().Former("test", "bot", "moved"))
	o.equal(oldAddr("moved"), o.chat("old").Address)
}

// undone compares the conversation that was taken up again. Earlier builds knew no such.
func (o oldStore) undone() {
	o.t.Helper()
	if o.file < "2026-11-26-undone.db.gz" {
		return
	}
	info := o.chat("undone")
	var read, kept []string
	o.must(o.e.Sessions().Tail(o.t.Context(), info.Session, 0, func(e session.Entry) bool {
		read = append(read, e.Message.Content)
		return true
	}))
	o.equal([]string{"5", "2", "1"}, read)
	o.must(o.e.Sessions().All(o.t.Context(), info.Session, func(e session.Entry) error {
		kept = append(kept, fmt.Sprint(e.Message.Content, " ", e.Start, e.Undone))
		return nil
	}))
	o.equal([]string{"1 schedulefalse", "2 false", "3 sequeltrue", "4 true", "5 false"}, kept)
	left, err := o.e.Sessions().Left(o.t.Context(), info.Chat, 9)
	o.must(err)
	o.equal(1, len(left))
	o.equal(uint64(1), left[0].Entries)
}

// facts compares those that a chat was told. Earlier builds knew none.
func (o oldStore) facts() {
	o.t.Helper()
	chat := o.chat("talk").Chat
	all, err := local.Facts(o.e).Facts(o.t.Context(), session.FactScope{Chat: chat, Person: "test:bot:ada"})
	o.must(err)
	want := oldFacts(chat)
	if o.file < "2026-11-27-facts.db.gz" {
		want = nil
	}
	for i := range all {
		if all[i].ID == "" || !all[i].Time.Equal(oldNow()) {
			o.t.Errorf("a fact is %+v", all[i])
		}
		all[i].ID, all[i].Number, all[i].Time = "", 0, time.Time{}
	}
	o.equal(want, all)
}

// uses compares the shares of a chat's use. The build of the first store knew of none, and
// that of the second one put them where other builds do not look for them.
func (o oldStore) uses(chat string) {
	o.t.Helper()
	var shares []session.Share
	o.must(o.e.Chats().Shares(o.t.Context(), chat, "2026-11-22", "2026-11-22", func(s session.Share) { shares = append(shares, s) }))
	var turns []session.Spent
	o.must(o.e.Chats().TurnUses(o.t.Context(), chat, func(u session.TurnUse) bool { turns = append(turns, u.Spent); return true }))
	share := session.Share{Day: "2026-11-22", Purpose: session.ForPeople, Usage: session.Usage{Turns: 1, Input: 10, Output: 5, Money: 42}}
	if o.file < "2026-11-23-uses.db.gz" || o.file == "2026-11-23.db.gz" {
		o.equal([]session.Share{share}, shares)
		o.equal(0, len(turns))
		return
	}
	turn, model := share, share
	turn.Person, model.Person, model.Model = ada().ID, ada().ID, "main"
	turn.Usage, model.Usage = session.Usage{Turns: 1}, oldSpent().Models[0].Usage
	o.equal([]session.Share{turn, model}, shares)
	o.equal([]session.Spent{*oldSpent()}, turns)
}

func (o oldStore) pairs() {
	o.t.Helper()
	paired, owner := o.e.Pairs().Paired("test", "bot", "guest")
	o.equal([]bool{true, true}, []bool{paired, owner})
	_, asks, err := o.e.Pairs().PairList(o.t.Context())
	o.must(err)
	o.equal(1, len(asks))
	o.equal("CODE2", asks[0].Code)
}

// answers hands out all that waits.
func (o oldStore) answers() {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), time.Minute)
	defer cancel()
	waits := map[string]string{ // the item and its text
		"w1": "first", "w2": "second, reworded", "i1": "interrupted", "b1": "one\ntwo", "task/done": "it is done", "schedule/daily/1": "stretch",
		"decision": "", "old1": "before the move",
	}
	got := map[string]string{}
	more := make(chan session.TurnInfo)
	ended := make(chan error, 1)
	go func() {
		ended <- o.e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			info := turn.Info()
			if err := turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered}); err != nil {
				return err
			}
			more <- info
			return nil
		})
	}()
	for len(got) < len(waits) {
		select {
		case info := <-more:
			for i := range info.Items {
				o.item(&info, &info.Items[i], got)
			}
		case <-ctx.Done():
			o.t.Fatalf("only %v", got)
		}
	}
	cancel()
	o.must(<-ended)
	o.equal(waits, got)
}

// item takes one into got, and looks at the ledger of the interrupted one's turn.
func (o oldStore) item(info *session.TurnInfo, it *session.Item, got map[string]string) {
	o.t.Helper()
	text := it.Text
	if it.Inbound != nil {
		text = it.Inbound.Text
	}
	if _, twice := got[it.ID]; twice {
		o.t.Errorf("%s is handed out twice", it.ID)
	}
	got[it.ID] = text
	switch it.ID {
	case "i1":
		o.equal(oldSteps(), info.Steps)
		o.equal(1, info.Lost)
	case "b1":
		o.equal(2, len(it.Inbound.Attachments))
	case "decision":
		o.equal(&session.Decision{Approval: "open", Allow: true}, it.Decision)
	}
}

// sends delivers all that waits in the outbox.
func (o oldStore) sends() {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), time.Minute)
	defer cancel()
	out := make(chan channels.DeliveryInfo)
	ended := make(chan error, 1)
	go func() {
		ended <- o.e.Outbox().RunOutbox(ctx, "test", "bot", func(ctx context.Context, d channels.Delivery) error {
			info := d.Info()
			if err := d.Settle(ctx, channels.Outcome{State: channels.Delivered, Receipt: channels.Receipt{MessageID: "p"}}); err != nil {
				return err
			}
			out <- info
			return nil
		})
	}()
	got := map[string]string{}
	for len(got) < 5 {
		select {
		case info := <-out:
			got[info.Outbound.ID] = info.Outbound.Text
			if info.Outbound.ID == "long" {
				o.equal([]string{"part 1", "part 2"}, info.Parts)
				o.equal([]channels.Receipt{{MessageID: "p2"}}, info.Receipts)
				o.equal([]any{true, 1}, []any{info.Unknown, info.Ambiguities})
			}
		case <-ctx.Done():
			o.t.Fatalf("only %v", got)
		}
	}
	cancel()
	o.must(<-ended)
	o.equal(
		map[string]string{"long": "part 1 part 2", "queued": "behind it", "ask/CODE1": "CODE1", "ask/CODE2": "CODE2", "welcome/CODE1": "welcome"},
		got,
	)
}

func (o oldStore) none(st session.Status, err error) {
	o.t.Helper()
	o.must(err)
	o.equal([]int{0, 0, 1}, []int{st.Waiting, st.Sending, st.OpenTasks})
}

// TestNumbersGoOn: each number is given out once, where an earlier build wrote the
// store before, in between, or after.
func TestNumbersGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var highest uint64
	for round, given := range []uint64{0, 1000, 0, 5} {
		e := open(t, dir)
		if err := e.Inbox().Append(t.Context(), []session.Item{message("chat", string(rune('a'+round)), "text")}, nil); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		var key uint64
		withStore(t, dir, func(s kv.Store) error {
			return s.View(func(k kv.Reader) (err error) {
				key, err = table.LastNumber(k)
				return err
			})
		})
		sequence, err := bolttest.CountOn(dir, given)
		if err != nil {
			t.Fatal(err)
		}
		if key <= highest || sequence != key+given {
			t.Errorf("round %d: %d after %d, and the sequence is %d", round, key, highest, sequence)
		}
		highest = sequence
	}
}
