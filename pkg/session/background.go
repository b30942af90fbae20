package session

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strings"
	"time"

	"parley/pkg/channels"
)

// TaskState is the state of a [Task].
type TaskState string

// The states of a task; all but TaskRunning are terminal.
const (
	TaskRunning     TaskState = "running"
	TaskDone        TaskState = "done"
	TaskFailed      TaskState = "failed"
	TaskInterrupted TaskState = "interrupted"
	TaskCancelled   TaskState = "cancelled"
	TaskTimedOut    TaskState = "timed_out"
)

// Task is a background work and where it came from.
type Task struct {
	// ID is deterministic: the turn and the call that started it.
	ID      string           `json:"id"`
	Chat    string           `json:"chat"`
	Session string           `json:"session"`
	Address channels.Address `json:"address"`
	Turn    string           `json:"turn"`
	Call    string           `json:"call"`
	Creator channels.Sender  `json:"creator"`
	// Direct says whether the creator was alone with the bot, Level what they had then,
	// in the words of policy: work in the background has no more than that, and no more
	// than they have when its result comes.
	Direct    bool            `json:"direct,omitempty"`
	Level     string          `json:"level,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Agent says that the work is a background agent's, in the conversation at
	// [AgentAddress]; Depth is how many agents deep it is, 1 for one that a chat started.
	Agent bool `json:"agent,omitempty"`
	Depth int  `json:"depth,omitempty"`
	// Waited says that the call itself waits for the result: nobody is told of the end.
	Waited bool `json:"waited,omitempty"`
	// Tainted says that its result brings in content from outside, or is made from some.
	Tainted  bool      `json:"tainted,omitempty"`
	State    TaskState `json:"state"`
	Started  time.Time `json:"started"`
	Deadline time.Time `json:"deadline"`
	Ended    time.Time `json:"ended,omitzero"`
	// Status is the id of the message that shows how far it is, as long as nothing has
	// finished that message; "" for none.
	Status string `json:"status,omitempty"`
	// Result is what the model is told, once the task has ended.
	Result string `json:"result,omitempty"`
}

// Short is the task's name for people: eight characters, the same each time.
func (t *Task) Short() string {
	sum := sha256.Sum256([]byte(t.ID))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// AgentChannel is the channel of the conversations of background agents. No adapter
// has this name, and nothing is sent there.
const AgentChannel = "agent"

// AgentAddress is where the background agent of a task has its conversation, which
// exists no longer than the task's record.
func AgentAddress(taskID string) channels.Address {
	return channels.Address{Channel: AgentChannel, Chat: taskID}
}

// Completion is how a task ends.
type Completion struct {
	State  TaskState
	Outbox []channels.Outbound
	// Item brings the result into the chat's loop; nil when there is nothing to say.
	Item *Item
	// Result is kept in the task.
	Result string
	// Tainted says that content from outside has entered the work; it is kept in the task.
	Tainted bool
	// Spent is what a background agent used; it counts against the chat that started it.
	Spent *Spent
}

// Job is a schedule.
type Job struct {
	// ID is unique over all chats, and short: people write it.
	ID      string           `json:"id"`
	Chat    string           `json:"chat"`
	Address channels.Address `json:"address"`
	// Name is what people call it.
	Name    string          `json:"name,omitempty"`
	Creator channels.Sender `json:"creator"`
	// Direct and Level are what the creator had when it was made, in the words of
	// policy; Tainted says that untrusted content had a hand in it.
	Direct  bool      `json:"direct,omitempty"`
	Level   string    `json:"level,omitempty"`
	Tainted bool      `json:"tainted,omitempty"`
	Created time.Time `json:"created,omitzero"`
	// Spec is for whoever computes the next time; the engine does not read it.
	Spec json.RawMessage `json:"spec"`
	// Text is what it says, or, where Prompt is set, what the agent is asked to do.
	Text   string `json:"text"`
	Prompt bool   `json:"prompt,omitempty"`
	// Due is when it fires next; a zero time never fires.
	Due time.Time `json:"due,omitzero"`
	// Leaps counts how often Due was put back because the clock had been ahead: what it
	// fires at that time is new then, also where it fired for it before.
	Leaps  int  `json:"leaps,omitempty"`
	Paused bool `json:"paused,omitempty"`
	// Why says in one line why it is paused.
	Why string `json:"why,omitempty"`
	// Failures counts the runs in a row that failed, Last is when it last ran, and
	// LastReason why that run failed, "" if it did not.
	Failures   int       `json:"failures,omitempty"`
	Last       time.Time `json:"last,omitzero"`
	LastReason string    `json:"last_reason,omitempty"`
	// Told is the level, lower than Level, of which the chat has been told that the
	// job runs with it.
	Told string `json:"told,omitempty"`
	// Runs are those of Day (YYYY-MM-DD), for a job whose runs a day are bounded.
	Day  string `json:"day,omitempty"`
	Runs int    `json:"runs,omitempty"`
}

// JobRun is one run of a job.
type JobRun struct {
	// ID is the job's; one that is gone by now stays gone.
	ID string
	// Time is when it ran, Reason why it failed, "" if it did not: [Job].Failures
	// counts on, or begins anew.
	Time   time.Time
	Reason string
	// Skipped says that it did not run at all, for Reason: [Job].Failures stays.
	Skipped bool
	// Pause, when not empty, pauses the job and says why.
	Pause string
}

// Purpose is for what a chat's budget is used.
type Purpose string

// The purposes.
const (
	ForPeople     Purpose = "people"
	ForJobs       Purpose = "jobs"
	ForBackground Purpose = "background"
)

// Usage is what was used. Money is in millionths of whatever the prices are in.
type Usage struct {
	Turns  int   `json:"turns,omitempty"`
	Input  int   `json:"input,omitempty"`  // tokens that the model read
	Output int   `json:"output,omitempty"` // tokens that it wrote
	Money  int64 `json:"money,omitempty"`
}

// Spent is a usage that is to be counted. Day is YYYY-MM-DD, in the chat's time zone.
type Spent struct {
	Day     string  `json:"day"`
	Purpose Purpose `json:"purpose"`
	Usage   Usage   `json:"usage"`
}
