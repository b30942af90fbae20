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
	ID      string
	Chat    string
	Session string
	Address channels.Address
	Turn    string
	Call    string
	// Principal started it. Its result has no more rights than the principal has when it
	// comes.
	Principal Principal
	// Wish is the part that the wish of its turn hands on, or nil.
	Wish      *channels.Wish
	Tool      string
	Arguments json.RawMessage
	// Agent says that the work is a background agent's, in the conversation at
	// [AgentAddress]; Depth is how many agents deep it is, 1 for one that a chat started.
	Agent bool
	Depth int
	// Waited says that the call itself waits for the result: there is no notice of the
	// end.
	Waited bool
	// Tainted says that its result brings in content from outside, or is made from some.
	Tainted  bool
	State    TaskState
	Started  time.Time
	Deadline time.Time
	Ended    time.Time
	// Status is the id of the message with its progress, as long as that message is not
	// finished, or "".
	Status string
	// Result is the model's text, once the task has ended.
	Result string
}

// Short is the task's name for people: eight characters, the same each time.
func (t Task) Short() string {
	sum := sha256.Sum256([]byte(t.ID))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// AgentChannel is the channel of the conversations of background agents. No adapter has
// this name, and messages do not leave there.
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
	// Item brings the result into the chat's loop, or is nil.
	Item *Item
	// Result is kept in the task.
	Result string
	// Tainted says that content from outside has entered the work; it is kept in the task.
	Tainted bool
	// Spent is the use of a background agent; it counts against the chat that started
	// it. Turn is the turn of the agent that used it: its commit comes later.
	Spent *Spent
	Turn  string
}

// Job is a schedule.
type Job struct {
	// ID is unique over all chats, and short: people write it.
	ID      string
	Chat    string
	Address channels.Address
	// Name is the name that people gave it.
	Name string
	// Principal made it.
	Principal Principal
	// Wish is the part that the wish of its turn hands on, or nil.
	Wish *channels.Wish
	// Tainted says that untrusted content had a hand in it.
	Tainted bool
	Created time.Time
	// Spec is the rule that the next time is computed from; the engine does not read it.
	Spec json.RawMessage
	// Text is the message that it sends, or, where Prompt is set, the order to the agent.
	Text   string
	Prompt bool
	// Due is when it fires next; a job with a zero time does not fire.
	Due time.Time
	// Leaps counts how often Due was put back because the clock had been ahead. A firing
	// at the new Due is a new one, also where the job fired at that time before.
	Leaps  int
	Paused bool
	// Why says in one line why it is paused.
	Why string
	// Told is the level, lower than the principal's, of which the chat has been told that
	// the job runs with it.
	Told string
	Runs JobRuns
}

// JobRuns is the record of a job's earlier runs.
type JobRuns struct {
	// Last is when it last ran, Reason why that run failed, "" if it did not, and
	// Failures counts the runs in a row that failed.
	Last     time.Time
	Reason   string
	Failures int
	// Count are the runs of Day (YYYY-MM-DD), for a job with bounded runs a day.
	Day   string
	Count int
}

// JobRun is one run of a job.
type JobRun struct {
	// ID is the job's; one that is gone by now stays gone.
	ID string
	// Time is when it ran, Reason why it failed, "" if it did not: [JobRuns].Failures
	// counts on, or begins anew.
	Time   time.Time
	Reason string
	// Skipped says that it did not run, or not to its end, for Reason: [JobRuns].Failures stays.
	Skipped bool
	// Pause, when not empty, pauses the job and says why.
	Pause string
}
