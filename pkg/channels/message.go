package channels

import (
	"encoding/json"
	"time"
)

// Address says where a conversation takes place. It is comparable; two equal
// addresses are the same conversation.
type Address struct {
	// Channel is the adapter's name, such as "telegram".
	Channel string `json:"channel"`
	// Account is the bot's own identity on the platform; empty where there is only one.
	Account string `json:"account,omitempty"`
	// Chat is the platform's chat id.
	Chat string `json:"chat"`
	// Thread is a topic or thread within the chat, a conversation of its own; mostly empty.
	Thread string `json:"thread,omitempty"`
}

// Sender is the person who acted. Identity is (channel, account, ID); Name is for display only.
type Sender struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	Bot  bool   `json:"bot,omitempty"`
}

// Kind is the kind of an [Inbound].
type Kind string

// The kinds of [Inbound]. Every one of them passes the [Authorizer].
const (
	KindMessage Kind = "message"
	KindEdit    Kind = "edit"
	KindButton  Kind = "button"
	// KindDelete: the sender took a message back, the one with this MessageID.
	KindDelete Kind = "delete"
)

// Kinds lists every kind, for tests that must cover them all.
func Kinds() []Kind { return []Kind{KindMessage, KindEdit, KindButton, KindDelete} }

// Inbound is one thing that happened on a platform, in Parley's words.
type Inbound struct {
	// ID is unique within (channel, account) and the same when the platform
	// delivers the same thing again: it is the dedupe key.
	ID      string  `json:"id"`
	Kind    Kind    `json:"kind"`
	Address Address `json:"address"`
	Sender  Sender  `json:"sender"`
	// Text is valid UTF-8 without NUL once it passed [Ingress].
	Text string `json:"text"`
	// Direct means that only this sender and the bot are in the chat.
	Direct bool `json:"direct,omitempty"`
	// Mentioned means that a group's message speaks to the bot: a mention, a reply or a command.
	Mentioned bool `json:"mentioned,omitempty"`
	// MessageID is the platform's id of the message, for replies to it; of a button, of its message.
	MessageID string `json:"message_id,omitempty"`
	// Original is the ID of the Inbound that a KindEdit or a KindDelete is about, where the platform's
	// delivery tells it: the store swallows that one when it comes after all, however late. A /stop
	// with one ends the turn of that message alone. Empty for everything else, and where it is unknown.
	Original string `json:"original,omitempty"`
	// Quote is the text of the message that this one answers.
	Quote string `json:"quote,omitempty"`
	// Attachments are the files that came with it, which its turn fetches: see [AttachmentOpener].
	Attachments []Attachment `json:"attachments,omitempty"`
	// Forwarded means that the sender passes on words of somebody else, as text or quote.
	Forwarded bool `json:"forwarded,omitempty"`
	// Group is the platform's id of the album that a KindMessage is a part of, where
	// the adapter hands on each part as it comes: the store makes one message of the
	// parts. Mostly empty.
	Group string `json:"group,omitempty"`
	// Overheard, set by [Ingress], is a part of an album that counts only with one that speaks to the bot.
	Overheard bool `json:"-"`
	// Solo makes it a turn of its own: it is not joined with others.
	Solo bool `json:"solo,omitempty"`
	// Wish is what the message asks of its turn, which it makes one of its own; mostly nil.
	Wish *Wish     `json:"wish,omitempty"`
	Time time.Time `json:"time"`
	// Raw is the platform's own payload, where the adapter keeps it.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Words are what the person wrote: "" for a press of a button, whose text is data.
func (in *Inbound) Words() string {
	if in.Kind == KindButton {
		return ""
	}
	return in.Text
}

// Attachment is a file that came with a message, as its platform tells of it.
type Attachment struct {
	// About describes it in words: "document report.pdf, 12 kB".
	About string `json:"about"`
	// Ref is the reference by which the channel fetches it; it has no meaning elsewhere.
	Ref string `json:"ref"`
	// Name is the file name under which it is stored: one element of a path.
	Name string `json:"name"`
	// Size is its length in bytes as far as the platform tells; 0 where it does not.
	Size int64 `json:"size,omitempty"`
	// Voice marks a recording that its sender made in the chat, Seconds is its length or 0, and
	// Transcript its words as the platform itself has written them down, all of them, or "".
	Voice      bool   `json:"voice,omitempty"`
	Seconds    int    `json:"seconds,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	// ID and Type are those of a [KeptFile] that people may fetch again; ID is "" elsewhere.
	ID   string `json:"id,omitempty"`
	Type string `json:"type,omitempty"`
}

// KeptFile is a file of a chat that its channel keeps for those who read the chat.
type KeptFile struct {
	// ID is "" where the content is no longer kept.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	Size int64  `json:"size,omitempty"`
	// Type is the kind of its content, such as image/png, or "".
	Type string `json:"type,omitempty"`
}

// Kept are the files of a message that people may fetch again.
func (in *Inbound) Kept() []KeptFile {
	var all []KeptFile
	for i := range in.Attachments {
		if a := &in.Attachments[i]; a.ID != "" {
			all = append(all, KeptFile{ID: a.ID, Name: a.Name, Size: a.Size, Type: a.Type})
		}
	}
	return all
}

// Outbound is one message to a chat, as the agent writes it.
type Outbound struct {
	// ID is unique and deterministic (turn/call/n): putting it twice sends it once.
	ID      string  `json:"id"`
	Address Address `json:"address"`
	// Text is Markdown, of any length; [Egress] splits it into parts.
	Text string `json:"text"`
	// File makes it a file with Text as its caption; mostly nil.
	File *File `json:"file,omitempty"`
	// ReplyTo is the platform's id of the message that asked, where there is one.
	ReplyTo string `json:"reply_to,omitempty"`
	// Draft is the id of the draft that this message finishes, if one was shown.
	Draft string `json:"draft,omitempty"`
	// Preview opens a message that shows an answer while it grows, for an [Editor].
	// It leaves as one part, whatever its length: a later message finishes it.
	Preview bool `json:"preview,omitempty"`
	// Finishes is the ID of the preview, or of the message with buttons, that this
	// message takes over, so that its buttons are gone. Where that one was not
	// delivered, this is a message of its own.
	Finishes string `json:"finishes,omitempty"`
	// Buttons stand below the text, for a [Buttoner]; a press is an [Inbound] of kind
	// button with the button's Data as its Text and the receipt's MessageID as its own.
	// The message leaves as it was written and in one part, or is refused: see
	// [Egress.CanAsk].
	Buttons []Button `json:"buttons,omitempty"`
	// Aged lets it begin with its age where it leaves more than [LateAfter] after Time.
	Aged bool `json:"aged,omitempty"`
	// Unasked names the author of words for which no person waits; "" for an answer, to
	// which it gives way.
	Unasked Unasked `json:"unasked,omitempty"`
	// Asked is when the person wrote the message that it answers; zero where it answers
	// none or the time is unknown. Behind many other chats the newest ones have a
	// share.
	Asked time.Time `json:"asked,omitzero"`
	Time  time.Time `json:"time"`
}

// Unasked says of a message that no person waits for it, and why it is sent.
type Unasked string

// The reasons of [Unasked]; another one counts as ByTask.
const (
	// ByJob: a schedule says it.
	ByJob Unasked = "job"
	// ByTask: a background task has ended.
	ByTask Unasked = "task"
)

// Button is a button that a person may press below a message.
type Button struct {
	// Label is its text, in one line of at most [MaxButtonLabel] visible code points;
	// Data the text of a press: printable ASCII, at most [MaxButtonData] bytes.
	Label string `json:"label"`
	Data  string `json:"data"`
}

// File is a file that leaves with an [Outbound]. Its content, as it was when the
// message was written, is kept in [Files] until the message has its outcome.
type File struct {
	// Name is the name that the person sees: a plain name, without folders.
	Name string `json:"name"`
	// Path is where on this machine it was taken from, for the person at that machine.
	Path string `json:"path"`
	// Size is that of the content in bytes.
	Size int64 `json:"size"`
	// Photo asks for a picture in the chat. A file that the platform does not take as a
	// picture is sent as a document.
	Photo bool `json:"photo,omitempty"`
	// Kept is the file as people may fetch it again, where a channel keeps it as it sends it.
	Kept *KeptFile `json:"-"`
}

// Receipt is a platform's word that it accepted one part.
type Receipt struct {
	MessageID string    `json:"message_id"`
	Time      time.Time `json:"time"`
}
