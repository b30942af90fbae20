package schedule

import (
	"context"
	"time"
)

const (
	// PerChat is the default limit of a chat's jobs.
	PerChat = 20
	// MaxText is how many characters the text of a job may have.
	MaxText = 4000
	// MaxName is how many its name may have.
	MaxName = 80
)

// Job is a job as the tool and the commands see it.
type Job struct {
	// ID is short, for people to write, and unique over all chats.
	ID   string
	Name string
	Spec Spec
	// Text is the message or, if Prompt is set, the task for the agent.
	Text   string
	Prompt bool
	// Outside says that content from outside may have had a hand in Text.
	Outside bool
	// Due is when it is due next.
	Due    time.Time
	Paused bool
	// Why says in one line why it is paused.
	Why string
	// Last is when it ran last, Failures how many runs in a row failed, LastReason why
	// the last one did, "" if it did not.
	Last       time.Time
	Failures   int
	LastReason string
}

// Book keeps the jobs of the chat that a call is made from; which that is, is in ctx
// (see [tools.InvocationFrom]). Its errors are shown to the model where they are a
// *[tools.Error]. It may be used from many goroutines; the calls of one answer come
// one after the other.
type Book interface {
	// List returns the jobs of the chat, paused ones too.
	List(ctx context.Context) ([]Job, error)
	// Shows is called before the running call shows the model texts in which content
	// from outside may have had a hand.
	Shows(ctx context.Context)
	// Put keeps a job, or replaces the one with its ID if that is of the same chat;
	// the ID of another chat's job is an error.
	Put(ctx context.Context, j Job) error
	// Delete removes a job of the chat.
	Delete(ctx context.Context, id string) error
	Zones
}

// Zones keeps the time zone of the chat that a call is made from.
type Zones interface {
	// Zone is the IANA name of the chat's time zone, or "" if unknown.
	Zone(ctx context.Context) (string, error)
	// SetZone keeps it.
	SetZone(ctx context.Context, zone string) error
}

// Options are the settings of the tool.
type Options struct {
	Book Book
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// PerChat is how many jobs a chat may have; 0: [PerChat].
	PerChat int
	// Zone is the zone of a chat without one of its own; "" or nil if unknown.
	Zone func(ctx context.Context) string
}
