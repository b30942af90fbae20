package task

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// Store is the part of the engine that keeps tasks; [session.Tasks] implements it.
type Store interface {
	Complete(ctx context.Context, taskID string, c session.Completion) (bool, error)
	Task(ctx context.Context, taskID string) (session.Task, error)
	OpenTasks(ctx context.Context) ([]session.Task, error)
	TaskList(ctx context.Context, chat string) ([]session.Task, error)
}

// Options are the parts that [Tasks] work with.
type Options struct {
	Store Store
	// Back is that of [session.History].
	Back func(ctx context.Context, id string, before uint64, f func(session.Entry) bool) error
	// Work has the contexts of the tasks that run in this process.
	Work *Supervisor
	// Zone is the time zone of a chat, given its key and where it is.
	Zone func(ctx context.Context, chat string, at channels.Address) *time.Location
	// Redact removes secrets from results.
	Redact func(string) string
	Log    zerolog.Logger
}

// Tasks are the background tasks of the chats.
type Tasks struct {
	o    Options
	lost lost
}

// New returns the tasks of a store.
func New(o Options) *Tasks { return &Tasks{o: o, lost: lost{chats: map[string]*lostChat{}}} }

// maxRecent is how many tasks that have ended a list names.
const maxRecent = 10

// List is that of the store: the tasks of a chat, or of all for "", the oldest first.
// Their times are those of their chats' zones.
func (ts *Tasks) List(ctx context.Context, chat string) ([]session.Task, error) {
	all, err := ts.o.Store.TaskList(ctx, chat)
	zones := map[string]*time.Location{}
	for i := range all {
		t := &all[i]
		zone := zones[t.Chat]
		if zone == nil {
			zone = ts.o.Zone(ctx, t.Chat, t.Address)
			zones[t.Chat] = zone
		}
		t.Started, t.Deadline = t.Started.In(zone), t.Deadline.In(zone)
		if !t.Ended.IsZero() {
			t.Ended = t.Ended.In(zone)
		}
	}
	return all, err
}

// Of are the tasks of a chat that run, and the newest of those that have ended, each the
// newest first.
func (ts *Tasks) Of(ctx context.Context, chat string) (running, recent []session.Task, err error) {
	all, err := ts.List(ctx, chat)
	slices.Reverse(all)
	for i := range all {
		switch {
		case all[i].State == session.TaskRunning:
			running = append(running, all[i])
		case len(recent) < maxRecent:
			recent = append(recent, all[i])
		}
	}
	return running, recent, err
}

// Find finds a task of a chat, or of all for "", by its words in a list: its id, its
// name for people, or the name of its agent. [session.ErrNotFound]: it is missing;
// [named.ErrAmbiguous]: several with this name run.
func (ts *Tasks) Find(ctx context.Context, chat, id string) (session.Task, error) {
	all, err := ts.List(ctx, chat)
	if err != nil {
		return session.Task{}, err
	}
	return pick(all, id)
}
