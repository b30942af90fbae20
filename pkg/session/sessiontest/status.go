package sessiontest

import (
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func testShowTask(b *bench) {
	info := b.startTask("t1", time.Unix(1, 0))
	b.startTask("t2", time.Unix(2, 0))
	message := func(id, finishes string) channels.Outbound {
		return channels.Outbound{ID: id, Address: info.Address, Text: id, Finishes: finishes, Time: time.Unix(3, 0)}
	}
	show := func(task, id string, want bool) {
		b.Helper()
		shown, err := b.e.Tasks().ShowTask(b.Context(), task, message(id, ""))
		b.must(err)
		b.equal(want, shown)
	}
	status := func(task, want string) {
		b.Helper()
		t, err := b.e.Tasks().Task(b.Context(), task)
		b.must(err)
		b.equal(want, t.Status)
	}
	_, err := b.e.Tasks().ShowTask(b.Context(), "none", message("s0", ""))
	b.wantErr(err, session.ErrNotFound)
	show("t1", "s1", true)
	show("t1", "s1 again", false)
	show("t2", "s2", true)
	b.crash()
	status("t1", "s1")
	b.equal(2, b.status().Sending)

	_, err = b.e.Tasks().Complete(b.Context(), "t1", session.Completion{
		State: session.TaskDone, Outbox: []channels.Outbound{message("end", "s1")},
	})
	b.must(err)
	status("t1", "")
	_, err = b.e.Tasks().Complete(b.Context(), "t2", session.Completion{State: session.TaskDone})
	b.must(err)
	status("t2", "s2") // somebody else finishes it
	show("t1", "too late", false)
	b.equal(3, b.status().Sending)
}
