package session

import (
	"context"
	"errors"
	"time"

	"parley/pkg/channels"
)

// The errors of an [Engine]; they are wrapped with the things that they are about.
var (
	// ErrFenced: another poller moved the cursor, or another attempt took the turn.
	ErrFenced = channels.ErrFenced
	// ErrNotFound: there is no such record.
	ErrNotFound = errors.New("not found")
	// ErrTaken: another record has this id.
	ErrTaken = errors.New("the id is taken")
	// ErrEnded: there was a record with this id, and it has had its end.
	ErrEnded = errors.New("it has ended")
	// ErrFull: there are as many records of the kind as there may be.
	ErrFull = errors.New("there are as many as there may be")
	// ErrStore: the store cannot write now (disk full, for instance). The call had no
	// effect.
	ErrStore = errors.New("the store cannot be written")
	// ErrCorrupt: a record failed its check and was set aside.
	ErrCorrupt = errors.New("a stored record is damaged")
	// ErrForgotten: the chat was forgotten, with the turn that says so.
	ErrForgotten = errors.New("the chat was forgotten")
	// ErrHeld: the store was restored from a snapshot and waits for the operator.
	ErrHeld = errors.New("the store is held")
)

// Engine is everything that is durable, one part behind each method. All methods,
// and those of the parts, may be called from many goroutines.
type Engine interface { //nolint:interfacebloat // each method leads to one part, and a caller takes the part that it needs
	// Inbox is the way in, and where turns come from.
	Inbox() Inbox
	// Outbox is the way out.
	Outbox() Outbox
	// Sessions are the conversations, with their history.
	Sessions() Sessions
	// Chats are the facts of a chat beside its conversations.
	Chats() Chats
	// Tasks are background works, Jobs are schedules.
	Tasks() Tasks
	Jobs() Jobs
	// Approvals are the questions that were put to people.
	Approvals() Approvals
	// Pairs are the people whom the operator let in by a code.
	Pairs() Pairs
	// Status counts the waiting work and the failures, cheaply.
	Status(ctx context.Context) (Status, error)
	// Close stops accepting work, waits for the writes under way and marks the store as
	// cleanly closed. A second call has no effect.
	Close() error
}

// Inbox is the way in.
type Inbox interface {
	// Append stores items in their chats' inboxes, in order, creating chats as needed;
	// it is durable when it returns nil. An item with an ID that was accepted before
	// (within 48 h at least) is swallowed; [ErrTaken], with no item stored, if the Sum of its
	// Wish tells that it is another one. With a cursor, items and cursor move in one
	// step, and ErrFenced means that both stay.
	//
	// An item with Edit set rewords the message, or the edit, that waits with the same
	// Inbound.MessageID, Address and Sender: that one takes over its text, images, Raw
	// and Solo, and keeps id, place and the rest. A message that a turn has, or that an
	// interrupted turn recorded, does not wait any more. Without such a waiting
	// message, Edit decides the fate of the item; but where no message with this id was
	// accepted at the address, nor its Original anywhere (within 48 h), it is that
	// message: a KindMessage of its own. Its Original counts as accepted from then on:
	// it is swallowed when it comes after all, since the edit has its words and newer
	// ones.
	//
	// An item with Delete set takes back the message that an edit would reword: that is
	// gone, and a running turn that looks at the inbox does not see it any more. An
	// item that a turn has, or has had, stays, and so do an album of several parts and
	// a pressed button. Where the message was not accepted yet, the Original is
	// swallowed when it comes after all. So is every edit of a message that was taken
	// back. A Delete is no item itself: it starts no turn and makes no chat.
	//
	// An item with a Group in its Inbound is a part of an album. It joins the newest
	// part of the same Group and Sender that waits in its chat: that one takes over its
	// text as further lines, its attachments, that it mentions the bot, Solo, and its
	// quote if it lacks one, and keeps the rest. An album has at most MaxAlbumParts
	// parts, and as much as one [channels.Inbound] may hold. A part without another to
	// join is an item of its own, and begins an album; an Overheard one is dropped. No
	// turn takes an album before AlbumWindow has passed since its latest part was
	// stored, unless its chat has gone on with something else; that and every other
	// chat does not wait for it.
	//
	// [ErrNotFound], with no item stored: an item is for the agent of a task that is
	// gone (see [AgentAddress]).
	Append(ctx context.Context, items []Item, cursor *channels.Cursor) error
	// Waits is the item with this id, as long as no turn has consumed it: [ErrNotFound]
	// afterwards, and before there was one.
	Waits(ctx context.Context, id string) (Item, error)
	// Position is a cursor's stored position, "" for a new one.
	Position(ctx context.Context, name string) (string, error)
	// Run hands each chat with work to h, on a goroutine of that chat: serial
	// within the chat, in Append order, parallel across chats, until ctx ends;
	// then it waits for every h. An h that returns without a commit leaves its
	// items waiting; they are handed over again after a pause.
	Run(ctx context.Context, h func(context.Context, Turn) error) error
	// Drained waits until the queues of a chat, or without its id of all chats of a channel, are
	// empty: no item of theirs waits or has a turn, no message to them waits or is being sent, and
	// no task of theirs runs that was started since the engine was opened, except those that a call
	// waits for. Failed says that an item of the channel that was accepted since then, other than a
	// job's, ended otherwise than answered, or that a message was not delivered.
	Drained(ctx context.Context, at channels.Address) (failed bool, err error)
}

// Turn is one run over the items at the head of a chat's inbox.
type Turn interface {
	// Info has the start of the turn and the work of earlier attempts. It stays the
	// same.
	Info() TurnInfo
	// Waiting looks at items behind the turn's own, without taking them: at the first 100, and at 100 of the
	// others that are Solo.
	Waiting(ctx context.Context) ([]Item, error)
	// Join takes waiting items, in order, as long as accept says yes, and records them
	// as a step of kind [StepJoined]. It stops before an item that is Solo, and once
	// the turn holds 20 items or 32 KiB.
	Join(ctx context.Context, accept func(Item) bool) ([]Item, error)
	// Record appends a step to the turn's ledger. With s.Await it returns when
	// the step and all before it are durable; else at once. The step's outgoing
	// messages and tasks are stored with it.
	Record(ctx context.Context, s Step) error
	// Commit ends the turn in one transaction and consumes its items, joined
	// ones included. It is durable when it returns nil. Only the first counts.
	Commit(ctx context.Context, c Commit) error
}

// TurnInfo describes a turn.
type TurnInfo struct {
	// ID is the same for every attempt at the same head item.
	ID string
	// Chat is the chat's opaque key, Session its present session.
	Chat    string
	Session string
	Address channels.Address
	// Zone is the chat's time zone as the turn begins, see [Chats].
	Zone string
	// Model is the name of the model that the chat has chosen, or "". The conversation of
	// a background agent has that of the chat where its task was started.
	Model string
	// Items start the turn: 1 to 20 of them, at most 32 KiB of text together
	// (a larger one comes alone); a Solo item comes alone.
	Items []Item
	// Steps are the records of an earlier attempt, in order.
	Steps []Step
	// Lost counts the processes that died while the turn may have run. At 3 the
	// turn must not run again: it is to be committed as [OutcomeQuarantined].
	Lost int
	// Arrivals is signalled, but not closed, when an item arrives behind the turn's
	// own.
	Arrivals <-chan struct{}
	// Awaited is closed from when a person waits for the turn: it answers one, or
	// something that a person wrote stands behind its items. Turns of background
	// results and of jobs begin without that. A nil channel does not close.
	Awaited <-chan struct{}
	// Newest says that the chat did not wait in order for its turn: its person wrote
	// last, of many that waited or alone. Where turns wait once more, a part of the
	// places there is for these, the last one first.
	Newest bool
}

// History is the conversation, oldest first, numbered from 1 within a session.
type History interface {
	// Tail calls f for the entries with Seq < before (0: from the end), newest
	// first, down to the session's compaction point or until f says no, without those that
	// are undone. f must be quick and must not use the engine. A damaged entry is left out and
	// counted in Status.
	Tail(ctx context.Context, sessionID string, before uint64, f func(Entry) bool) error
	// Back is Tail beyond the compaction point, down to the first entry, with those that are
	// undone.
	Back(ctx context.Context, sessionID string, before uint64, f func(Entry) bool) error
	// All calls f for every entry from the first on, compacted and undone ones included.
	All(ctx context.Context, sessionID string, f func(Entry) error) error
}

// Sessions are the conversations.
type Sessions interface {
	History
	Index
	// Forget deletes a session's history and everything waiting or kept for its chat:
	// the sessions that it left behind, jobs, zone, model, spending, and tasks with the
	// conversations of their agents. Of a session that was left behind it deletes only the
	// session's own data, its tasks too. Turns of deleted chats are fenced.
	Forget(ctx context.Context, sessionID string) error
	// Summarise stores a summary that was made after the turn that asked for it: it appends
	// the summary, moves the compaction point and counts the use, in one transaction. It
	// reports false, and only counts the use, where the summary comes too late: /new has
	// left the conversation, or its history begins at s.To or behind it already.
	// [ErrNotFound]: the chat was forgotten.
	Summarise(ctx context.Context, s LateSummary) (bool, error)
}

// Index finds conversations.
type Index interface {
	// Lookup finds the chat at an address; ErrNotFound at an address without words.
	Lookup(ctx context.Context, a channels.Address) (Info, error)
	// Latest is the time of the last event of the chat at an address: an item that was
	// accepted and waits, a turn that ended, a message that was put for it; ErrNotFound
	// at an address without words. It costs four records at most. Where they are
	// damaged the time is unknown, and it is now: the next item makes the chat anew.
	Latest(ctx context.Context, a channels.Address) (time.Time, error)
	// Get finds a session by id, also one that was left behind.
	Get(ctx context.Context, sessionID string) (Info, error)
	// Left returns up to limit sessions with entries that a chat left behind, the one that was
	// active last first. It looks at the records of all sessions.
	Left(ctx context.Context, chat string, limit int) ([]Info, error)
	// List returns up to limit sessions with id > after, by id.
	List(ctx context.Context, after string, limit int) ([]Info, error)
}

// Outbox is the way out.
type Outbox interface {
	channels.Outbox
	Receipts
}

// Receipts are the platforms' receipts for sent messages. A delivery with a message
// that finishes another (see [channels.Outbound]) is handed out with that one's message
// from here: the two are of one chat and leave in order, so it is known by then whether
// there is one.
type Receipts interface {
	// Receipt waits until the message with this outbound id is delivered, and returns
	// the receipt of its first part. ErrNotFound: no receipt will come, because no such
	// message was put, or, with ErrEnded too, the platform did not take it.
	Receipt(ctx context.Context, outboundID string) (channels.Receipt, error)
}

// Tasks are background works.
type Tasks interface {
	// Complete ends a task, queues c.Outbox, counts c.Spent and appends c.Item to the
	// inbox of the chat that started it, wherever that is now, in one transaction. The
	// first completion counts and reports true; a later one has no effect and reports
	// false. [ErrNotFound]: the chat was forgotten, or the task's time is over. A
	// message of c.Outbox that finishes the task's status takes it out of the record.
	Complete(ctx context.Context, taskID string, c Completion) (bool, error)
	// ShowTask queues the message that shows how far a task is and notes it as the
	// task's Status, in one transaction. It reports false and has no effect when the
	// task has ended or has had such a message.
	ShowTask(ctx context.Context, taskID string, o channels.Outbound) (bool, error)
	// Task finds one task.
	Task(ctx context.Context, taskID string) (Task, error)
	// OpenTasks returns the tasks without a terminal state, oldest first. Tasks other
	// than agents come without their arguments, which are not needed of all at once.
	OpenTasks(ctx context.Context) ([]Task, error)
	// TaskList returns the tasks of a chat, or of all chats for "", the oldest first.
	// Those that have ended are kept for 48 h at least, and their agents' conversations
	// with them. For one chat it costs as much as there are tasks of that chat.
	TaskList(ctx context.Context, chat string) ([]Task, error)
}

// Jobs are schedules.
type Jobs interface {
	Firing
	// PutJob creates or replaces a job. [ErrNotFound]: its chat does not exist; a job
	// without one fires to its Address. [ErrTaken]: another chat has a job with this ID.
	// [ErrEnded]: this job has fired for the last time, within 48 h at least; a call
	// that makes it again, because its own end was not stored, makes no second one.
	PutJob(ctx context.Context, j Job) error
	// DeleteJob removes a job; ErrNotFound when it is missing.
	DeleteJob(ctx context.Context, id string) error
	// Job finds one job.
	Job(ctx context.Context, id string) (Job, error)
	// JobList returns the jobs of a chat, or of all chats for "", by id. For one chat it
	// costs as much as there are jobs of that chat.
	JobList(ctx context.Context, chat string) ([]Job, error)
}

// Firing is how jobs come due.
type Firing interface {
	// DueJobs returns up to limit unpaused jobs that are due at or before now, the
	// earliest first. Jobs of a chat that is suspended wait: they are left out, and
	// free of cost, until somebody writes in it; then they are due at once. While the
	// store is held the list is empty.
	DueJobs(ctx context.Context, now time.Time, limit int) ([]Job, error)
	// NextJob is when the earliest of those is due that may come to be; false without
	// one.
	NextJob(ctx context.Context) (time.Time, bool, error)
	// Fire appends item (its ID is schedule/<job>/<due>) and puts the job with its due
	// time moved from due to next, in one transaction; a zero next ends the job. The
	// item goes to where the job's chat is now, and has that address. It reports false
	// and has no effect when the job is no longer due at due, paused, gone or waiting
	// for its chat.
	Fire(ctx context.Context, jobID string, due, next time.Time, item Item) (bool, error)
}

// Chats are the facts of a chat beside its conversations: its time zone, its spending
// and its address. The conversation of a background agent has the zone and the spending
// of the chat where its task was started.
type Chats interface {
	Uses

	// Zone is the time zone of a chat, an IANA name, or "".
	Zone(ctx context.Context, chat string) (string, error)
	// SetZone keeps it. [ErrNotFound]: there is no such chat.
	SetZone(ctx context.Context, chat, zone string) error
	// Move makes to an address of the chat at from; messages that are queued for from
	// leave to to. It is remembered also for a from without words. The chat's jobs and
	// tasks have the new address from then on; a chat that was at to becomes part of
	// it, with its conversations, jobs, tasks, questions, grants and spending.
	Move(ctx context.Context, from, to channels.Address) error
	// Former are the ids that a whole chat, which is no thread, had before it moved to
	// this one, the latest first. It answers from memory: it is asked for every event.
	// [Sessions].Forget does not touch it.
	Former(channel, account, chat string) []string
}
