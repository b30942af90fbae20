package schedule

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pkg/tools"
)

const description = "Say text here later, once or repeatedly; with prompt, act on it then. " +
	"create takes text and one of in, at, every, cron. Tell the person when it is due."

type input struct {
	Action   string `json:"action" enum:"create,list,change,pause,resume,remove"`
	ID       string `json:"id,omitempty"`
	Text     string `json:"text,omitempty"`
	Prompt   *bool  `json:"prompt,omitempty"`
	Name     string `json:"name,omitempty"`
	In       string `json:"in,omitempty" jsonschema:"20m, 2 days"`
	At       string `json:"at,omitempty" jsonschema:"monday 9:00, 2026-11-22 09:00"`
	Every    string `json:"every,omitempty" jsonschema:"90m, 6 hours; 60 seconds or more"`
	Cron     string `json:"cron,omitempty" jsonschema:"0 9 * * 1-5, @daily"`
	Timezone string `json:"timezone,omitempty"`
	CatchUp  string `json:"catch_up,omitempty" jsonschema:"missed runs: once or skip"`
}

// desk serves the calls.
type desk struct{ Options }

// New makes the tool schedule.
func New(o Options) tools.Tool {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.PerChat == 0 {
		o.PerChat = PerChat
	}
	d := desk{o}
	// Ordered, because one call after the other keeps to the cap. A call that is made
	// again finds its job by the key.
	return tools.New("schedule", description, tools.Annotations{Level: tools.LevelChat, Idempotent: true, Ordered: true}, d.serve)
}

func (d desk) serve(ctx context.Context, in input) (any, error) {
	in.ID = strings.ToLower(strings.TrimSpace(in.ID))
	var zone string
	if in.Timezone != "" {
		loc, err := location(in.Timezone)
		if err != nil {
			return nil, refuse("%s", err)
		}
		zone = loc.String()
	}
	out, err := d.act(ctx, in)
	if err != nil {
		return nil, told(err)
	}
	if zone != "" {
		if err := d.Book.SetZone(ctx, zone); err != nil {
			return nil, told(err)
		}
	}
	return out, nil
}

func (d desk) act(ctx context.Context, in input) (any, error) {
	switch in.Action {
	case "create":
		return d.create(ctx, in)
	case "list":
		return d.list(ctx, in)
	case "change":
		return d.change(ctx, in)
	}
	if given := in.given(); given != "" {
		return nil, refuse("%s takes an id alone, not %s; change takes that", in.Action, given)
	}
	switch in.Action {
	case "pause":
		return d.pause(ctx, in)
	case "resume":
		return d.resume(ctx, in)
	case "remove":
		return d.remove(ctx, in)
	default:
		return nil, refuse("there is no action %s; there are create, list, change, pause, resume and remove", quoted(in.Action))
	}
}

func (d desk) create(ctx context.Context, in input) (any, error) {
	if in.ID != "" {
		return nil, refuse("create takes no id: the job gets one. To alter a job use change")
	}
	jobs, err := d.Book.List(ctx)
	if err != nil {
		return nil, err
	}
	id := idOf(ctx, in)
	if i := slices.IndexFunc(jobs, func(j Job) bool { return j.ID == id }); i >= 0 {
		return d.tell(ctx, &jobs[i], ""), nil // the same call, made again
	}
	if len(jobs) >= d.PerChat {
		return nil, refuse("this chat has %d jobs, paused ones included, and may have %d; remove one that is not needed any more",
			len(jobs), d.PerChat)
	}
	if strings.TrimSpace(in.Text) == "" {
		return nil, refuse("text is needed: what is said, or with prompt what you are to do")
	}
	j := Job{ID: id}
	if err := in.write(&j); err != nil {
		return nil, err
	}
	var note string
	if j.Spec, note, err = d.spec(ctx, in); err != nil {
		return nil, err
	}
	if err := d.settle(&j); err != nil {
		return nil, err
	}
	if err := d.Book.Put(ctx, j); err != nil {
		return nil, err
	}
	return d.tell(ctx, &j, note), nil
}

func (d desk) change(ctx context.Context, in input) (any, error) {
	if in.given() == "" {
		return nil, refuse("there is nothing to change: give what is to be different")
	}
	j, err := d.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := in.write(&j); err != nil {
		return nil, err
	}
	var note string
	if in.In+in.At+in.Every+in.Cron != "" {
		if in.CatchUp == "" {
			in.CatchUp = j.Spec.CatchUp
		}
		if j.Spec, note, err = d.spec(ctx, in); err != nil {
			return nil, err
		}
		j.Failures = 0
		err = d.settle(&j)
	} else {
		err = d.alter(&j, in)
	}
	if err != nil {
		return nil, err
	}
	if err := d.Book.Put(ctx, j); err != nil {
		return nil, err
	}
	return d.tell(ctx, &j, note), nil
}

// alter gives a job another zone or another rule for missed times.
func (d desk) alter(j *Job, in input) error {
	if in.CatchUp != "" {
		j.Spec.CatchUp = in.CatchUp
	}
	if in.Timezone != "" {
		j.Spec.Zone = in.Timezone
	}
	if _, err := j.Spec.plan(); err != nil {
		return refuse("%s", err)
	}
	if in.Timezone != "" && j.Spec.Cron != "" {
		return d.settle(j)
	}
	return nil
}

// settle finds out when a job is due first.
func (d desk) settle(j *Job) error {
	now := d.Now()
	due, ok := j.Spec.Next(now)
	switch {
	case !ok:
		return refuse("%s never comes: no such day or time exists", j.Spec)
	case due.Sub(now) > MaxAhead:
		return refuse("%s is more than 10 years away, which is too far", due.Format(time.DateTime))
	}
	j.Due = due
	return nil
}

func (d desk) pause(ctx context.Context, in input) (any, error) {
	j, err := d.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !j.Paused {
		j.Paused, j.Why = true, "paused in the chat"
		if err := d.Book.Put(ctx, j); err != nil {
			return nil, err
		}
	}
	return d.tell(ctx, &j, ""), nil
}

func (d desk) resume(ctx context.Context, in input) (any, error) {
	j, err := d.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !j.Paused {
		return d.tell(ctx, &j, ""), nil
	}
	if now := d.Now(); !j.Due.After(now) {
		due, ok := j.Spec.Following(j.Due, now)
		if !ok {
			return nil, refuse("the time of job %s is over: %s. Change it to another time, or remove it", j.ID, j.Spec)
		}
		j.Due = due
	}
	j.Paused, j.Why, j.Failures = false, "", 0
	if err := d.Book.Put(ctx, j); err != nil {
		return nil, err
	}
	return d.tell(ctx, &j, ""), nil
}

func (d desk) remove(ctx context.Context, in input) (any, error) {
	j, err := d.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := d.Book.Delete(ctx, j.ID); err != nil {
		return nil, err
	}
	return map[string]any{"id": j.ID, "removed": true}, nil
}

// find looks among the chat's own jobs, by the id or else by the name: those of others
// are not found.
func (d desk) find(ctx context.Context, id string) (Job, error) {
	if id == "" {
		return Job{}, refuse("id is needed; list tells the ids of this chat's jobs")
	}
	jobs, err := d.Book.List(ctx)
	if err != nil {
		return Job{}, err
	}
	var named []Job
	for i := range jobs {
		switch {
		case jobs[i].ID == id:
			return jobs[i], nil
		case strings.EqualFold(jobs[i].Name, id):
			named = append(named, jobs[i])
		}
	}
	switch len(named) {
	case 0:
	case 1:
		return named[0], nil
	default:
		return Job{}, refuse("%d jobs of this chat are called %s; list tells their ids", len(named), quoted(id))
	}
	return Job{}, refuse("job %s was not found in this chat, or is over; list tells which there are", quoted(id))
}

// idOf makes an id of a call, by its key and its arguments, because the steps of a
// composed tool have one key: 8 characters that are easy to tell apart.
func idOf(ctx context.Context, in input) string {
	key := tools.InvocationFrom(ctx).Key
	if key == "" {
		key = rand.Text()
	}
	const bytes = 5
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", key, in.Text, []string{in.In, in.At, in.Every, in.Cron}))
	return base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").EncodeToString(sum[:bytes])
}

// refuse is an error that the model can do something about.
func refuse(format string, args ...any) error {
	return tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf(format, args...), nil)
}

// told is an error with the part that the model may read.
func told(err error) error {
	if own, ok := errors.AsType[*tools.Error](err); ok {
		return own
	}
	return tools.Fail(tools.ErrExecutionFailed,
		"the jobs of this chat cannot be read or kept at the moment; try again later", nil).Because(err)
}
