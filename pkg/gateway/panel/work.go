package panel

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"parley/pkg/agent/task"
	"parley/pkg/session"
	"parley/pkg/text"
)

// work is what goes on in a chat beside its turns, and what it has used.
type work struct {
	Tasks    []shownTask `json:"tasks"`
	Jobs     []shownJob  `json:"jobs"`
	Today    string      `json:"today"`
	Days     []use       `json:"days"`
	Turns    []use       `json:"turns"`
	Currency string      `json:"currency"`
}

type shownTask struct {
	ID      string    `json:"id"`
	Tool    string    `json:"tool"`
	Name    string    `json:"name,omitempty"`
	State   string    `json:"state"`
	Started time.Time `json:"started"`
	Until   time.Time `json:"until"`
	Ended   time.Time `json:"ended,omitzero"`
	// Mine says that the person may end it.
	Mine bool `json:"mine,omitempty"`
}

type shownJob struct {
	ID     string    `json:"id"`
	Name   string    `json:"name,omitempty"`
	When   string    `json:"when"`
	Due    time.Time `json:"due"`
	Paused bool      `json:"paused,omitempty"`
	Why    string    `json:"why,omitempty"`
	Text   string    `json:"text"`
	Mine   bool      `json:"mine,omitempty"`
}

// use is that of a day, or of a turn.
type use struct {
	Day   string    `json:"day"`
	Ended time.Time `json:"ended,omitzero"`
	session.Usage
}

// The bounds of the panel.
const (
	maxDays  = 7
	maxTurns = 10
	maxText  = 200
)

func (p *Panels) work(r *request) (any, error) {
	v := work{Tasks: []shownTask{}, Jobs: []shownJob{}, Days: []use{}, Turns: []use{}, Currency: p.o.Currency}
	if r.chat.Chat == "" {
		return v, nil
	}
	running, recent, err := p.o.Tasks.Of(r.Context(), r.chat.Chat)
	if err != nil {
		return nil, err
	}
	who := r.principal()
	all := append(slices.Clip(running), recent...)
	for i := range all {
		t := &all[i]
		v.Tasks = append(v.Tasks, shownTask{
			ID: t.Short(), Tool: t.Tool, Name: p.o.Redact(task.AgentName(t)), State: string(t.State), Started: t.Started, Until: t.Deadline,
			Ended: t.Ended, Mine: t.State == session.TaskRunning && who.MayCancel(t),
		})
	}
	jobs, err := p.o.Store.JobList(r.Context(), r.chat.Chat)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		j := &jobs[i]
		about := text.Clip(strings.Join(strings.Fields(p.o.Redact(j.Text)), " "), maxText)
		v.Jobs = append(v.Jobs, shownJob{
			ID: j.ID, Name: p.o.Redact(j.Name), When: p.o.Describe(j.Spec), Due: j.Due, Paused: j.Paused, Why: j.Why, Text: about,
			Mine: mayEnd(r, j),
		})
	}
	err = p.uses(r, &v)
	return v, err
}

// uses adds the use of the last days and turns, the newest first.
func (p *Panels) uses(r *request, v *work) error {
	v.Today = p.o.Today(r.Context(), r.chat.Chat, r.chat.Address)
	now, err := time.Parse(time.DateOnly, v.Today)
	if err != nil {
		return err
	}
	days := map[string]*use{}
	from := now.AddDate(0, 0, 1-maxDays).Format(time.DateOnly)
	if err := p.o.Store.Shares(r.Context(), r.chat.Chat, from, v.Today, func(s session.Share) {
		if days[s.Day] == nil {
			days[s.Day] = &use{Day: s.Day}
		}
		days[s.Day].Add(s.Usage)
	}); err != nil {
		return err
	}
	for _, d := range days {
		v.Days = append(v.Days, *d)
	}
	slices.SortFunc(v.Days, func(a, b use) int { return cmp.Compare(b.Day, a.Day) })
	return p.o.Store.TurnUses(r.Context(), r.chat.Chat, func(t session.TurnUse) bool {
		v.Turns = append(v.Turns, use{Day: t.Spent.Day, Ended: t.Ended, Usage: t.Spent.Usage})
		return len(v.Turns) < maxTurns
	})
}

// mayEnd says whether a person may end a schedule of their chat: as its owner may, or as its creator.
func mayEnd(r *request, j *session.Job) bool {
	who := r.principal()
	return who.Owner || j.Principal.Sender.ID == who.Sender.ID
}

// cancel ends a task of the chat, which is told.
func (p *Panels) cancel(r *request) (any, error) {
	if r.chat.Chat == "" {
		return nil, session.ErrNotFound
	}
	t, err := p.o.Tasks.Find(r.Context(), r.chat.Chat, r.PathValue("id"))
	who := r.principal()
	switch {
	case err != nil:
		return nil, err
	case !who.MayCancel(&t):
		return nil, errNotYours
	}
	_, err = p.o.Tasks.Cancel(r.Context(), &t, r.caller.Person.String(), func(*session.Completion, *session.Task) {})
	return struct{}{}, err
}

// remove ends a schedule of the chat.
func (p *Panels) remove(r *request) (any, error) {
	if r.chat.Chat == "" {
		return nil, session.ErrNotFound
	}
	all, err := p.o.Store.JobList(r.Context(), r.chat.Chat)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(j session.Job) bool { return j.ID == r.PathValue("id") })
	switch {
	case i < 0:
		return nil, session.ErrNotFound
	case !mayEnd(r, &all[i]):
		return nil, errNotYours
	}
	return struct{}{}, p.o.RemoveJob(r.Context(), all[i].ID)
}
