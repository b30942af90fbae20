package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/job"
	"parley/pkg/agent/task"
	"parley/pkg/channels"
	gatewayfiles "parley/pkg/gateway/files"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
	"parley/pkg/tools/files"
	"parley/pkg/tools/schedule"
	"parley/pkg/tools/tasks"
)

// policyAuthorizer lets the ingress ask the policy.
type policyAuthorizer struct{ policy *policy.Policy }

// Authorize implements [channels.Authorizer].
func (g policyAuthorizer) Authorize(ctx context.Context, in channels.Inbound) channels.Decision {
	return decision(g.verdict(ctx, in))
}

func decision(v policy.Verdict) channels.Decision {
	return channels.Decision{Allow: v.Allow, Overheard: v.Overheard, Reason: v.Reason}
}

func (g policyAuthorizer) verdict(ctx context.Context, in channels.Inbound) policy.Verdict {
	return g.policy.Authorize(ctx, policy.Event{
		Kind: policy.Kind(in.Kind), Address: in.Address, Sender: in.Sender, Direct: in.Direct, Mentioned: in.Mentioned,
	})
}

// cronTimetable reads the specifications of jobs for the agent.
type cronTimetable struct{}

// Tick implements [job.Timetable].
func (cronTimetable) Tick(raw json.RawMessage, due, now time.Time) (job.Tick, error) {
	spec, err := schedule.ParseSpec(raw)
	if err != nil {
		return job.Tick{}, err
	}
	next, _ := spec.Following(due, now) // the zero time without a next one
	return job.Tick{Next: next, Pass: spec.CatchUp == schedule.CatchUpSkip}, nil
}

// Describe implements [job.Timetable].
func (cronTimetable) Describe(raw json.RawMessage) string {
	spec, err := schedule.ParseSpec(raw)
	if err != nil {
		return "a schedule that cannot be read"
	}
	return spec.String()
}

// jobStore keeps the jobs of the tool with the agent, which knows the chat of the call.
type jobStore struct{ agent *agent.Agent }

// List implements [schedule.Book].
func (b jobStore) List(ctx context.Context) ([]schedule.Job, error) {
	all, err := b.agent.Calls().ChatJobs(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]schedule.Job, 0, len(all))
	for i := range all {
		j := &all[i]
		spec, err := schedule.ParseSpec(j.Spec)
		if err != nil {
			spec = schedule.Spec{} // it is listed all the same, so that it can be removed
		}
		out = append(out, schedule.Job{
			ID: j.ID, Name: j.Name, Spec: spec, Text: j.Text, Prompt: j.Prompt, Outside: j.Tainted, Due: j.Due, Paused: j.Paused, Why: j.Why,
			Last: j.Runs.Last, Failures: j.Runs.Failures, LastReason: j.Runs.Reason,
		})
	}
	return out, nil
}

// Shows implements [schedule.Book].
func (b jobStore) Shows(ctx context.Context) { b.agent.Calls().ShowsOutside(ctx) }

// Put implements [schedule.Book].
func (b jobStore) Put(ctx context.Context, j schedule.Job) error {
	raw, err := json.Marshal(j.Spec)
	if err != nil {
		return err
	}
	return b.agent.Calls().KeepJob(ctx, session.Job{
		ID: j.ID, Name: j.Name, Spec: raw, Text: j.Text, Prompt: j.Prompt, Due: j.Due, Paused: j.Paused, Why: j.Why,
		Runs: session.JobRuns{Failures: j.Failures},
	})
}

// Delete implements [schedule.Book].
func (b jobStore) Delete(ctx context.Context, id string) error {
	return b.agent.Calls().DropJob(ctx, id)
}

// Zone implements [schedule.Book].
func (b jobStore) Zone(ctx context.Context) (string, error) { return b.agent.Calls().ChatZone(ctx) }

// SetZone implements [schedule.Book].
func (b jobStore) SetZone(ctx context.Context, zone string) error {
	return b.agent.Calls().KeepZone(ctx, zone)
}

// taskStore lets the tasks tool ask the agent.
type taskStore struct{ agent *agent.Agent }

// maxTaskResult bounds a result in the list, in code points.
const maxTaskResult = 200

// Tasks implements [tasks.Book].
func (b taskStore) Tasks(ctx context.Context) ([]tasks.Task, error) {
	running, recent, err := b.agent.Calls().Tasks(ctx)
	var out []tasks.Task
	for _, all := range [][]session.Task{running, recent} {
		for i := range all {
			out = append(out, toolTask(&all[i]))
		}
	}
	return out, err
}

func toolTask(t *session.Task) tasks.Task {
	v := tasks.Task{ID: t.Short(), Tool: t.Tool, Name: task.AgentName(t), State: string(t.State), Started: t.Started.Format(tasks.Clock)}
	if t.State == session.TaskRunning {
		v.Until = t.Deadline.Format(tasks.Clock)
		return v
	}
	v.Ended = t.Ended.Format(tasks.Clock)
	v.Result = text.Clip(t.Result, maxTaskResult)
	return v
}

// Cancel implements [tasks.Book].
func (b taskStore) Cancel(ctx context.Context, id string) (string, error) {
	return b.agent.Calls().CancelHere(ctx, id)
}

// fileSender lets the tool send_file send through the agent.
type fileSender struct {
	channels *Channels
	agent    *agent.Agent
	uploads  *gatewayfiles.Uploads
}

var _ files.Sender = fileSender{}

// Terms implements [files.Sender].
func (c fileSender) Terms(ctx context.Context) files.Terms {
	inv := tools.InvocationFrom(ctx)
	ch := c.channels.channel(channels.Address{Channel: inv.Channel, Account: inv.Account})
	if _, ok := ch.(channels.FileSender); !ok {
		return files.Terms{MaxFile: gatewayfiles.MaxUploads}
	}
	l := ch.Limits()
	return files.Terms{Files: true, MaxFile: cmp.Or(l.MaxFile, gatewayfiles.MaxUploads), MaxPhoto: l.MaxPhoto}
}

// SendFile implements [files.Sender].
func (c fileSender) SendFile(ctx context.Context, p files.Parcel) error {
	return c.agent.Calls().QueueFile(ctx, p.Caption, func(outboundID string) (channels.File, error) {
		n, err := c.uploads.Keep(outboundID, p.Content, p.Size)
		if err != nil {
			return channels.File{}, fmt.Errorf("keep a file to send: %w", err)
		}
		return channels.File{Name: p.Name, Path: p.Path, Size: n, Photo: p.Photo}, nil
	})
}
