package session

import (
	"encoding/json"
	"time"

	"parley/pkg/channels"
)

// Tasks, jobs and approvals are stored in the forms of this file: earlier builds know
// these names, in this order. A new field is left out of the form where it is empty.

// MarshalJSON is the stored form.
func (t Task) MarshalJSON() ([]byte, error) {
	return json.Marshal(taskForm{
		ID: t.ID, Chat: t.Chat, Session: t.Session, Address: t.Address, Turn: t.Turn, Call: t.Call, creatorForm: t.Principal.creator(),
		Tool: t.Tool, Arguments: t.Arguments, Agent: t.Agent, Depth: t.Depth, Waited: t.Waited, Tainted: t.Tainted,
		State: t.State, Started: t.Started, Deadline: t.Deadline, Ended: t.Ended, Status: t.Status, Result: t.Result, Wish: t.Wish,
	})
}

// UnmarshalJSON reads the stored form.
func (t *Task) UnmarshalJSON(stored []byte) error {
	var f taskForm
	if err := json.Unmarshal(stored, &f); err != nil {
		return err
	}
	*t = Task{
		ID: f.ID, Chat: f.Chat, Session: f.Session, Address: f.Address, Turn: f.Turn, Call: f.Call, Principal: f.principal(),
		Tool: f.Tool, Arguments: f.Arguments, Agent: f.Agent, Depth: f.Depth, Waited: f.Waited, Tainted: f.Tainted,
		State: f.State, Started: f.Started, Deadline: f.Deadline, Ended: f.Ended, Status: f.Status, Result: f.Result, Wish: f.Wish,
	}
	return nil
}

type taskForm struct {
	ID      string           `json:"id"`
	Chat    string           `json:"chat"`
	Session string           `json:"session"`
	Address channels.Address `json:"address"`
	Turn    string           `json:"turn"`
	Call    string           `json:"call"`
	creatorForm
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Agent     bool            `json:"agent,omitempty"`
	Depth     int             `json:"depth,omitempty"`
	Waited    bool            `json:"waited,omitempty"`
	Tainted   bool            `json:"tainted,omitempty"`
	State     TaskState       `json:"state"`
	Started   time.Time       `json:"started"`
	Deadline  time.Time       `json:"deadline"`
	Ended     time.Time       `json:"ended,omitzero"`
	Status    string          `json:"status,omitempty"`
	Result    string          `json:"result,omitempty"`
	Wish      *channels.Wish  `json:"wish,omitempty"`
}

// creatorForm is the principal of a task or a job.
type creatorForm struct {
	Creator channels.Sender `json:"creator"`
	Direct  bool            `json:"direct,omitempty"`
	Level   string          `json:"level,omitempty"`
	Follows bool            `json:"follows,omitempty"`
	Several bool            `json:"several,omitempty"`
}

func (p *Principal) creator() creatorForm {
	return creatorForm{p.Sender, p.Direct, p.Level, p.Follows, p.Several}
}

func (f *creatorForm) principal() Principal {
	return Principal{f.Creator, f.Direct, f.Level, f.Follows, f.Several}
}

// MarshalJSON is the stored form.
func (j Job) MarshalJSON() ([]byte, error) {
	return json.Marshal(jobForm{
		ID: j.ID, Chat: j.Chat, Address: j.Address, Name: j.Name, creatorForm: j.Principal.creator(), Tainted: j.Tainted, Created: j.Created,
		Spec: j.Spec, Text: j.Text, Prompt: j.Prompt, Due: j.Due, Leaps: j.Leaps, Paused: j.Paused, Why: j.Why,
		lastRunForm: lastRunForm{j.Runs.Failures, j.Runs.Last, j.Runs.Reason}, Told: j.Told, Day: j.Runs.Day, Runs: j.Runs.Count,
		Wish: j.Wish,
	})
}

// UnmarshalJSON reads the stored form.
func (j *Job) UnmarshalJSON(stored []byte) error {
	var f jobForm
	if err := json.Unmarshal(stored, &f); err != nil {
		return err
	}
	*j = Job{
		ID: f.ID, Chat: f.Chat, Address: f.Address, Name: f.Name, Principal: f.principal(), Tainted: f.Tainted, Created: f.Created,
		Spec: f.Spec, Text: f.Text, Prompt: f.Prompt, Due: f.Due, Leaps: f.Leaps, Paused: f.Paused, Why: f.Why, Told: f.Told, Wish: f.Wish,
		Runs: JobRuns{Last: f.Last, Reason: f.LastReason, Failures: f.Failures, Day: f.Day, Count: f.Runs},
	}
	return nil
}

type jobForm struct {
	ID      string           `json:"id"`
	Chat    string           `json:"chat"`
	Address channels.Address `json:"address"`
	Name    string           `json:"name,omitempty"`
	creatorForm
	Tainted bool            `json:"tainted,omitempty"`
	Created time.Time       `json:"created,omitzero"`
	Spec    json.RawMessage `json:"spec"`
	Text    string          `json:"text"`
	Prompt  bool            `json:"prompt,omitempty"`
	Due     time.Time       `json:"due,omitzero"`
	Leaps   int             `json:"leaps,omitempty"`
	Paused  bool            `json:"paused,omitempty"`
	Why     string          `json:"why,omitempty"`
	lastRunForm
	Told string         `json:"told,omitempty"`
	Day  string         `json:"day,omitempty"`
	Runs int            `json:"runs,omitempty"`
	Wish *channels.Wish `json:"wish,omitempty"`
}

type lastRunForm struct {
	Failures   int       `json:"failures,omitempty"`
	Last       time.Time `json:"last,omitzero"`
	LastReason string    `json:"last_reason,omitempty"`
}

// MarshalJSON is the stored form.
func (a Approval) MarshalJSON() ([]byte, error) {
	c, p, w := &a.Call, &a.Principal, &a.Answer
	return json.Marshal(approvalForm{
		ID: a.ID, Chat: a.Chat, Session: a.Session, Address: a.Address, Turn: c.Turn, Task: a.Task,
		callForm: callForm{c.Round, c.Index, c.ID, c.Tool, c.Arguments}, Text: a.Text, Question: a.Question, Fingerprint: c.Fingerprint,
		requesterForm: requesterForm{p.Sender, p.Direct, p.Level, p.Follows, p.Several}, Tainted: a.Tainted, Grantable: a.Grantable,
		Asked: a.Asked, Expires: a.Expires, State: a.State, answerForm: answerForm{w.By, w.At, w.Turn, w.Reason}, Wish: a.Wish,
	})
}

// UnmarshalJSON reads the stored form.
func (a *Approval) UnmarshalJSON(stored []byte) error {
	var f approvalForm
	if err := json.Unmarshal(stored, &f); err != nil {
		return err
	}
	*a = Approval{
		ID: f.ID, Chat: f.Chat, Session: f.Session, Address: f.Address, Task: f.Task,
		Call: HeldCall{
			Turn: f.Turn, Round: f.Round, Index: f.Index, ID: f.Call, Tool: f.Tool, Arguments: f.Arguments, Fingerprint: f.Fingerprint,
		},
		Text: f.Text, Question: f.Question,
		Principal: Principal{f.Requester, f.Direct, f.Level, f.Follows, f.Several}, Tainted: f.Tainted, Grantable: f.Grantable,
		Asked: f.Asked, Expires: f.Expires, State: f.State, Wish: f.Wish,
		Answer: ApprovalAnswer{By: f.By, At: f.Decided, Turn: f.DecidedTurn, Reason: f.Reason},
	}
	return nil
}

type approvalForm struct {
	ID      string           `json:"id"`
	Chat    string           `json:"chat"`
	Session string           `json:"session"`
	Address channels.Address `json:"address"`
	Turn    string           `json:"turn"`
	Task    string           `json:"task,omitempty"`
	callForm
	Text        string `json:"text"`
	Question    string `json:"question"`
	Fingerprint string `json:"fingerprint,omitempty"`
	requesterForm
	Tainted   bool          `json:"tainted,omitempty"`
	Grantable bool          `json:"grantable,omitempty"`
	Asked     time.Time     `json:"asked"`
	Expires   time.Time     `json:"expires"`
	State     ApprovalState `json:"state"`
	answerForm
	Wish *channels.Wish `json:"wish,omitempty"`
}

type callForm struct {
	Round     int    `json:"round"`
	Index     int    `json:"index"`
	Call      string `json:"call"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

type requesterForm struct {
	Requester channels.Sender `json:"requester"`
	Direct    bool            `json:"direct,omitempty"`
	Level     string          `json:"level"`
	Follows   bool            `json:"follows,omitempty"`
	Several   bool            `json:"several,omitempty"`
}

type answerForm struct {
	By          channels.Sender `json:"by,omitzero"`
	Decided     time.Time       `json:"decided,omitzero"`
	DecidedTurn string          `json:"decided_turn,omitempty"`
	Reason      string          `json:"reason,omitempty"`
}
