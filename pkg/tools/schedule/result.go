package schedule

import (
	"context"
	"slices"
	"time"

	"parley/pkg/text"
)

// listed is how much of its text a list tells of each job, in characters.
const listed = 200

// view is the model's description of a job.
type view struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// When says it in words, Due is the next time with the offset of Timezone, and
	// FromNow how far away that is.
	When     string `json:"when"`
	Due      string `json:"due,omitempty"`
	Timezone string `json:"timezone"`
	FromNow  string `json:"from_now,omitempty"`
	Text     string `json:"text,omitempty"`
	Prompt   bool   `json:"prompt,omitempty"`
	CatchUp  string `json:"catch_up,omitempty"`
	Paused   bool   `json:"paused,omitempty"`
	Why      string `json:"why,omitempty"`
	Last     string `json:"last,omitempty"`
	Failures int    `json:"failures,omitempty"`
	// LastReason says why the last run failed.
	LastReason string `json:"last_reason,omitempty"`
	Note       string `json:"note,omitempty"`
}

// all is the result of list.
type all struct {
	Jobs []view `json:"jobs"`
	// Timezone is the chat's, where it is known; Now is the time there.
	Timezone string `json:"timezone,omitempty"`
	Now      string `json:"now"`
}

func (d desk) list(ctx context.Context, in input) (any, error) {
	jobs, err := d.Book.List(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(jobs, func(j Job) bool { return j.Outside }) {
		d.Book.Shows(ctx)
	}
	zone, err := d.zone(ctx, in)
	if err != nil {
		return nil, err
	}
	out := all{Jobs: []view{}, Timezone: zone, Now: d.Now().In(zoneOr(zone, time.UTC)).Format(time.RFC3339)}
	for i := range jobs {
		v := d.tell(ctx, &jobs[i], "")
		v.Text = text.Clip(jobs[i].Text, listed)
		out.Jobs = append(out.Jobs, v)
	}
	return out, nil
}

// tell describes a job in its own zone, else in the chat's.
func (d desk) tell(ctx context.Context, j *Job, note string) view {
	v := view{
		ID: j.ID, Name: j.Name, When: j.Spec.String(), Prompt: j.Prompt, CatchUp: j.Spec.CatchUp,
		Paused: j.Paused, Why: j.Why, Failures: j.Failures, LastReason: j.LastReason, Note: note,
	}
	loc := zoneOr(j.Spec.Zone, nil)
	if loc == nil {
		kept, _ := d.zone(ctx, input{}) // without one it is told in UTC
		loc = zoneOr(kept, time.UTC)
	}
	v.Timezone = loc.String()
	if !j.Last.IsZero() {
		v.Last = j.Last.In(loc).Format(time.RFC3339)
	}
	if !j.Paused && !j.Due.IsZero() {
		v.Due = j.Due.In(loc).Format(time.RFC3339)
		if left := j.Due.Sub(d.Now()); left >= time.Second {
			v.FromNow = away(left)
		}
	}
	return v
}

func zoneOr(name string, other *time.Location) *time.Location {
	if loc, err := location(name); err == nil {
		return loc
	}
	return other
}
