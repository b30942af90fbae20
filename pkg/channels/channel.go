package channels

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// Channel is one account on one platform.
type Channel interface {
	// Name is the channel's word in an [Address]; Account the account's.
	Name() string
	Account() string
	// Run receives the platform's events and delivers them to in, until ctx ends or the
	// platform ends it for good (the console: end of input). It is called once. It
	// recovers from outages by itself; an error means that it cannot recover.
	Run(ctx context.Context, in *Ingress) error
	// Send puts one part on the platform and returns its receipt. It is called
	// for one part of a chat at a time, and for many chats at once. part.Text is
	// within Limits; of a [Splitter] it is always one of the texts that Split
	// returned, for a message of one part too. The error is a [*SendError] or counts as [SendAmbiguous].
	Send(ctx context.Context, part Part) (Receipt, error)
	// Limits are the platform's, constant for a channel's life.
	Limits() Limits
}

// Limits are the limits of a platform. A zero rate means no limit.
type Limits struct {
	// MaxLen is the longest part, counted by Len; 0 means no limit.
	MaxLen int
	// Len counts a text in the platform's units (UTF-16 units on Telegram); nil counts code points.
	Len func(string) int
	// PerChat and PerAccount are parts a second; Burst is how many may go at once in a chat.
	PerChat, PerAccount float64
	Burst               int
	// MaxFile and MaxPhoto are the largest file and the largest picture of a
	// [FileSender], in bytes; 0 means no limit.
	MaxFile, MaxPhoto int64
	// ChatRate gives the rate and the burst of one chat, where they differ from
	// chat to chat (groups have less on Telegram); nil means PerChat and Burst for all.
	ChatRate func(chat string) (perSecond float64, burst int)
}

// rateOf is the rate and the burst of a chat.
func (l Limits) rateOf(chat string) (perSecond float64, burst int) {
	if l.ChatRate == nil {
		return l.PerChat, l.Burst
	}
	return l.ChatRate(chat)
}

// Part is one message on the platform: an [Outbound] cut to size.
type Part struct {
	Outbound
	// Index counts from 0; Count is how many parts the outbound has.
	Index, Count int
	// Again marks a part of which it is unknown whether the platform has it.
	Again bool
	// Edits is the platform's id of the message that the part is put in place of,
	// buttons and all: the preview, or the message with buttons, that the outbound
	// finishes. Mostly empty. Where that message is gone, or the platform has no edits,
	// the part is sent as a new one. The receipt is that of the message that holds the
	// part.
	Edits string
}

// Screen is a [Channel] without a memory of its own: people read the messages in the store, which
// keeps those that it delivered with their chats. A text is delivered by being stored.
type Screen interface {
	// Show shows a text that is stored to those who look at that moment. It must not block.
	Show(ctx context.Context, part Part)
}

// Splitter is a [Channel] that cuts text by its own rules (rendered blocks, say).
type Splitter interface {
	// Split returns at least one part, and parts that are not empty; it keeps all of
	// the text.
	Split(text string) []string
}

// FileSender is a [Channel] that can send files. On any other, a file is a text
// that names it.
type FileSender interface {
	// SendFile is Send for a file, with the same errors: the person is told of a
	// refusal in a text. One that cannot be opened is refused.
	SendFile(ctx context.Context, part FilePart) (Receipt, error)
}

// FilePart is one file on the platform, the only part of its message. File is set
// and Text is its caption: Markdown of any length, often empty, that went through
// no Split. The message that Edits names is to give way to the file.
type FilePart struct {
	Part

	// Open gives the content from its beginning. The caller closes it.
	Open func() (fs.File, error)
}

// Drafter is a [Channel] that can show an answer while it grows. Drafts are ephemeral:
// after a restart there are none, and the final message has the whole text.
type Drafter interface {
	// Draft shows text, the whole of it so far, as the draft called id. Calls
	// for one draft come one after another. An error only ends the preview; as of
	// everything that is shown in passing, a [*SendError] that is [SendRateLimited]
	// also holds the chat's messages back.
	Draft(ctx context.Context, to Address, id, text string) error
}

// Editor is a [Channel] that can show an answer while it grows by editing a message.
// The outbox opens that message and finishes it (see [Outbound]), so that both survive
// a restart; the edits between the two are ephemeral.
type Editor interface {
	// Edits says whether a growing answer to a chat is shown that way now.
	Edits(to Address) bool
	// Edit shows text, Markdown and the whole of it so far, in the message. Calls for
	// one message come one after another, and end before the message is finished; its
	// final text outlasts an edit that takes effect late: the channel sees to it. An
	// error only leaves this text out.
	Edit(ctx context.Context, to Address, messageID, text string) error
}

// Namer is a [Channel] on which a message may come before its sender's name is known.
type Namer interface {
	// PersonName is the name of the person with the id of a [Sender], in one line; it asks
	// the platform where it must. "" means that the platform did not tell it in time.
	PersonName(ctx context.Context, id string) string
}

// Typer is a [Channel] that can show that the bot is at work.
type Typer interface {
	Typing(ctx context.Context, to Address) error
}

// Commander is a [Channel] on which a command is not written as a slash and its name.
type Commander interface {
	// Command is the text that a person writes in a chat for the command called name.
	Command(in Address, name string) string
}

// StatusShower is a [Channel] with a place of its own for a passing note, such as
// which tool is in use. It is gone by nature: the next message replaces it. On other
// channels the note stands below the growing answer.
type StatusShower interface {
	Status(ctx context.Context, to Address, note string) error
}

// Buttoner is a [Channel] on which messages may have buttons. On any other a message
// with buttons is refused. Everybody who sees a message may press; the channel tells
// the person, and decides on nothing. A press comes as often as the platform takes it,
// also of a message that was finished meanwhile.
type Buttoner interface {
	// Buttons says whether somebody at this address can press one now. It is quick,
	// and true before Run began.
	Buttons(to Address) bool
}

// AttachmentOpener is a [Channel] with files in its messages.
type AttachmentOpener interface {
	// OpenAttachment fetches a file that came with a message, as long as ctx lets
	// it. The caller reads to the end, where an error means that the rest is
	// missing, and closes it. An error that is [ErrTooLarge], also while reading,
	// says that the file is larger than the platform gives.
	OpenAttachment(ctx context.Context, a Attachment) (io.ReadCloser, error)
}

// ErrTooLarge says that a file is too large to be fetched.
var ErrTooLarge = errors.New("too large to fetch")

// SendClass is the decision that a [*SendError] carries.
type SendClass string

// The classes of [*SendError].
const (
	// SendTransient: the platform surely does not have it; try again.
	SendTransient SendClass = "transient"
	// SendRateLimited: refused for now; try again after RetryAfter. Not a failed attempt.
	SendRateLimited SendClass = "rate_limited"
	// SendAmbiguous: bytes left and no answer came; it may or may not be there.
	SendAmbiguous SendClass = "ambiguous"
	// SendRefused: this message cannot be accepted; others may.
	SendRefused SendClass = "refused"
	// SendGone: this chat cannot be reached any more; it is suspended until it writes.
	SendGone SendClass = "gone"
	// SendAuth: the account may not send at all; the queue waits for the operator.
	SendAuth SendClass = "auth"
)

// SendError is why a part was not, or perhaps not, accepted.
type SendError struct {
	Class      SendClass
	RetryAfter time.Duration
	// Account means that a rate limit holds for the whole account, not for one chat.
	Account bool
	Err     error
}

// Error gives one line for logs.
func (e *SendError) Error() string { return fmt.Sprintf("send: %s: %v", e.Class, e.Err) }

// Unwrap gives the cause.
func (e *SendError) Unwrap() error { return e.Err }

// ClassOf is the meaning of an error of [Channel.Send]; an error without a class is
// ambiguous.
func ClassOf(err error) *SendError {
	if se, ok := errors.AsType[*SendError](err); ok {
		return se
	}
	return &SendError{Class: SendAmbiguous, Err: err}
}

// ErrFenced says that another poller of the same account moved the cursor.
var ErrFenced = errors.New("another poller moved the cursor")
