package session

import (
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
)

// ItemKind is the kind of a turn's start.
type ItemKind string

// The kinds of [Item].
const (
	ItemMessage  ItemKind = "message"
	ItemTask     ItemKind = "task"
	ItemSchedule ItemKind = "schedule"
	ItemDecision ItemKind = "decision"
	// ItemSpawn begins the work of a background agent, in a conversation of its own.
	ItemSpawn ItemKind = "spawn"
)

// Item is one thing that starts a turn.
type Item struct {
	// ID is unique over all channels and the same on redelivery.
	ID      string           `json:"id"`
	Kind    ItemKind         `json:"kind"`
	Address channels.Address `json:"address"`
	// Inbound is set for [ItemMessage].
	Inbound *channels.Inbound `json:"inbound,omitempty"`
	// Text is the model's text, for the other kinds.
	Text string `json:"text,omitempty"`
	// TaskID is set for [ItemTask] and [ItemSpawn], Job for [ItemSchedule], Decision for
	// [ItemDecision].
	TaskID   string    `json:"task_id,omitempty"`
	Job      *Job      `json:"job,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
	// Shown says, for [ItemTask], that the person has been shown the result already.
	Shown bool `json:"shown,omitempty"`
	// Edit makes the item a new wording of an earlier message, Delete makes it take one
	// back; see [Inbox.Append]. Both are orders to Append and are not stored.
	Edit   EditRule `json:"-"`
	Delete bool     `json:"-"`
	// Original is the ID of the item that an Edit or a Delete is about, or "". It is
	// not stored with the item either.
	Original string `json:"-"`
	// Album is the engine's record of a message that may get more parts.
	Album *Album `json:"album,omitempty"`
	// Solo items are a turn of their own; a batch ends before one.
	Solo bool      `json:"solo,omitempty"`
	Time time.Time `json:"time"`
}

// Decision is the operator's word on an [Approval], given outside of the chats.
type Decision struct {
	Approval string `json:"approval"`
	Allow    bool   `json:"allow"`
	// Here allows the later calls of the tool too, as the button "Allow here" does. A build
	// that does not know it allows the call once.
	Here bool `json:"here,omitempty"`
}

// Album is a message that is made of parts, see [Inbox.Append].
type Album struct {
	// Parts is how many there are so far, Latest when the last of them was stored.
	Parts  int       `json:"parts"`
	Latest time.Time `json:"latest"`
}

// The limits of an album: how long its next part is waited for, and how many parts
// one message is made of.
const (
	AlbumWindow   = 500 * time.Millisecond
	MaxAlbumParts = 10
)

// EditRule decides the fate of an edit when its message was accepted and no turn is
// left that could read it in the place of the message.
type EditRule string

// The rules of [Item.Edit]; the zero value is no edit at all.
const (
	// EditDrop forgets it.
	EditDrop EditRule = "drop"
	// EditAnswer makes it an item of its own.
	EditAnswer EditRule = "answer"
)

// Size is the part of an item that counts towards the limit of a batch, in bytes of
// text.
func (i Item) Size() int {
	if i.Inbound != nil {
		n := len(i.Inbound.Text) + len(i.Inbound.Quote)
		for _, a := range i.Inbound.Attachments {
			n += len(a.About)
		}
		return n
	}
	return len(i.Text)
}

// The limits of one turn's items.
const (
	MaxTurnItems = 20
	MaxTurnBytes = 32 << 10
)

// StepKind is the kind of a [Step].
type StepKind string

// The kinds of [Step].
const (
	// StepJoined: Items arrived while the turn ran and belong to it. Written by Join.
	StepJoined StepKind = "joined"
	// StepAnswer: the model answered.
	StepAnswer StepKind = "answer"
	// StepBegun: a call is about to run.
	StepBegun StepKind = "begun"
	// StepEnded: a call ended with a result.
	StepEnded StepKind = "ended"
	// StepShown: the beginning of an answer was shown, by the message in Outbox.
	StepShown StepKind = "shown"
	// StepStarted: a call started the background agents in Tasks.
	StepStarted StepKind = "started"
	// StepSummary: an earlier build had the entries before CutTo summarised within the turn, in
	// Answer.
	StepSummary StepKind = "summary"
	// StepDecided: a question was answered with no, or became void, by Approvals, and
	// the turn goes on; or the chat may be forgotten.
	StepDecided StepKind = "decided"
	// StepSensed: a model for a single purpose gave Answer, under Key: it heard a recording,
	// looked at pictures or translated. Without an answer it failed, for the reason Failure.
	StepSensed StepKind = "sensed"
)

// Step is one entry of a turn's ledger.
type Step struct {
	Kind   StepKind               `json:"kind"`
	Round  int                    `json:"round,omitempty"`
	Items  []Item                 `json:"items,omitempty"`
	Answer *providers.LLMResponse `json:"answer,omitempty"`
	CutTo  uint64                 `json:"cut_to,omitempty"`
	Call   *CallRecord            `json:"call,omitempty"`
	// Outbox are messages that leave because of this step; put if absent.
	Outbox []channels.Outbound `json:"outbox,omitempty"`
	// Tasks are background works that this step starts; put if absent.
	Tasks []Task `json:"tasks,omitempty"`
	// Approvals and Grants are created or replaced.
	Approvals []Approval `json:"approvals,omitempty"`
	Grants    []Grant    `json:"grants,omitempty"`
	// Key names the work of a [StepSensed] within its turn. Failure is a sentence for people.
	Key     string `json:"key,omitempty"`
	Failure string `json:"failure,omitempty"`
	// Await makes Record return only when the step is durable.
	Await bool `json:"-"`
}

// CallRecord is a tool call in the ledger, by (Round, Index) within its turn.
type CallRecord struct {
	Index int    `json:"index"`
	ID    string `json:"id"`
	Tool  string `json:"tool"`
	// Rerunnable calls are read-only or idempotent: begun and not ended, they run again.
	Rerunnable bool `json:"rerunnable,omitempty"`
	// Result is the model's text; set for [StepEnded].
	Result  string `json:"result,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
	TaskID  string `json:"task_id,omitempty"`
	// Approval is the question that was put instead of running the call.
	Approval string `json:"approval,omitempty"`
	// Outside says that its result brought in content from outside.
	Outside bool `json:"outside,omitempty"`
}

// Commit is how a turn ends.
type Commit struct {
	// Outcome is kept with the consumed items.
	Outcome Outcome
	// Reason says in one line why the outcome is not [OutcomeAnswered].
	Reason string
	// Messages are appended to the session's history, in order. Outside says that content
	// from outside has entered the turn that wrote them, Start what started it.
	Messages []providers.Message
	Outside  bool
	Start    Start
	// Outbox are the messages that leave; put if absent.
	Outbox []channels.Outbound
	// Approvals are created or replaced.
	Approvals []Approval
	// Revoked are the ids of grants of the chat that end.
	Revoked []string
	// Ran is the outcome of the job of the item that the turn consumes.
	Ran *JobRun
	// Spent is the use of the turn; it counts against its chat, see [Chats]. Counted says
	// that it did already, at the end of the turn's task.
	Spent   *Spent
	Counted bool
	// Program, when not nil, is the program that asked for the turn.
	Program *Program
	// Model, when not nil, is the name of the model that the chat chooses; "" takes its
	// choice back.
	Model *string
	// CompactTo, when not 0, makes the entry of that Seq the oldest that Tail shows. Summary,
	// when not nil, stands for those before it, and is appended before Messages.
	CompactTo uint64
	Summary   *Summary
	// Undo, when not nil, takes these entries out of what Tail shows. Summaries among them stay.
	Undo *Span
	// NewSession gives the chat a fresh session after Messages were appended to the old one. Resume,
	// when not "", gives it this one, which it left behind: [ErrNotFound] where it left no such.
	NewSession bool
	Resume     string
}

// Span are entries of a history, by the Seq of the first and of the last one.
type Span struct{ From, To uint64 }

// Start is what started the turn of an [Entry].
type Start string

// The starts of turns.
const (
	// StartMessage is that of a turn which a message of a person started.
	StartMessage Start = ""
	// StartSchedule is that of a turn which a job started.
	StartSchedule Start = "schedule"
	// StartSequel is that of a turn which goes on with what was asked before: it brings a decision,
	// or the end of background work.
	StartSequel Start = "sequel"
)

// Summary is a message that stands for older entries of a history.
type Summary struct {
	Message providers.Message
	// Outside says that one of those entries is marked so.
	Outside bool
}

// LateSummary is a summary that comes after the commit of the turn that asked for it.
type LateSummary struct {
	Chat, Session, Turn string
	// To is the Seq of the oldest entry that stays.
	To uint64
	// Summary stands for the entries before To; nil: only the use counts.
	Summary *Summary
	// Spent is the use of the model, or nil. It counts for the turn too.
	Spent *Spent
}

// Outcome is the terminal state of an inbox item.
type Outcome string

// The outcomes.
const (
	OutcomeAnswered    Outcome = "answered"
	OutcomeFailed      Outcome = "failed"
	OutcomeStopped     Outcome = "stopped"
	OutcomeQuarantined Outcome = "quarantined"
)

// Entry is one message of a session's history.
type Entry struct {
	Seq     uint64            `json:"seq"`
	Turn    string            `json:"turn"`
	Time    time.Time         `json:"time"`
	Message providers.Message `json:"message"`
	// Outside says that content from outside had entered the turn that wrote it. Entries of
	// builds without the mark lack it.
	Outside bool `json:"outside,omitempty"`
	// Summary says that it is a [Summary].
	Summary bool `json:"summary,omitempty"`
	// Start is what started the turn; the turn's first entry has it. Entries of builds without
	// the mark lack it.
	Start Start `json:"start,omitempty"`
	// Undone says that it was taken out of what Tail shows.
	Undone bool `json:"undone,omitempty"`
}

// Silence is the answer of a model that sends no message.
const Silence = "NO_REPLY"

// Silent says that an entry is such an answer: people are not shown it.
func (e *Entry) Silent() bool {
	m := &e.Message
	return m.Role == providers.RoleAssistant && len(m.ToolCalls) == 0 && strings.TrimSpace(m.Content) == Silence
}

// Said is what an entry says to people: the word for silence is left out, also beside calls.
func (e *Entry) Said() string {
	if e.Message.Role == providers.RoleAssistant && strings.TrimSpace(e.Message.Content) == Silence {
		return ""
	}
	return e.Message.Content
}

// Shown is a message that was delivered by a channel without a memory of its own, see
// [channels.Outcome].
type Shown struct {
	// ID is the outbound id, After the Seq of the newest history entry before it.
	ID    string
	After uint64
	Text  string
	// File is the name of the file that came with it, or "".
	File string
	// Finishes is the outbound id of the message that it took over, or "".
	Finishes string
	Unasked  channels.Unasked
	Time     time.Time
	// Seen says that [Reading] has it marked.
	Seen bool
}

// Info describes a session.
type Info struct {
	Session string           `json:"session"`
	Chat    string           `json:"chat"`
	Address channels.Address `json:"address"`
	// Current is false for a session that the chat left behind, by /new or for another one.
	Current bool `json:"current"`
	// Entries is the Seq of the newest history entry; CompactedTo the oldest that Tail shows (0: all).
	Entries     uint64    `json:"entries"`
	CompactedTo uint64    `json:"compacted_to,omitempty"`
	Created     time.Time `json:"created"`
	Active      time.Time `json:"active"`
	// Model is the name of the model that the chat has chosen, or "".
	Model string `json:"model,omitempty"`
	// Suspended means that the platform says the chat cannot be reached.
	Suspended bool `json:"suspended,omitempty"`
	// Failed are the newest items that ended otherwise than answered, at most 20.
	Failed []FailedItem `json:"failed,omitempty"`
}

// FailedItem is an item that ended otherwise than answered.
type FailedItem struct {
	ID      string    `json:"id"`
	Outcome Outcome   `json:"outcome"`
	Reason  string    `json:"reason"`
	Time    time.Time `json:"time"`
}

// Status counts the things that an operator asks about.
type Status struct {
	// Waiting are inbox items without a terminal state, Sending queued outgoing messages.
	Waiting int `json:"waiting"`
	Sending int `json:"sending"`
	// OpenTasks have no terminal state.
	OpenTasks int `json:"open_tasks"`
	// Ambiguous counts attempts to send of which it is unknown whether they took
	// effect, Unsettled those messages that were sent once more and stayed unknown.
	Ambiguous uint64 `json:"ambiguous"`
	Unsettled uint64 `json:"unsettled"`
	// Refused counts messages that a platform refused for good.
	Refused uint64 `json:"refused"`
	// Quarantined counts items set aside after three crashes, Corrupt damaged records.
	Quarantined uint64 `json:"quarantined"`
	Corrupt     uint64 `json:"corrupt"`
	// Suspects are the chats that were at work when the process last died.
	Suspects int `json:"suspects"`
	// Commits counts transactions since the start.
	Commits uint64 `json:"commits"`
	// WriteError is the last write's error, empty when writing works.
	WriteError string `json:"write_error,omitempty"`
	// Held is the reason for which the store rests, empty when it is in use.
	Held string `json:"held,omitempty"`
}
