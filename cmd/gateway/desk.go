package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// The operations of the operator's desk. Each is asked for over the admin socket
// of the running gateway, or of an App that the command constructed itself.
const (
	opStatus   = "status"
	opList     = "sessions list"
	opShow     = "sessions show"
	opExport   = "sessions export"
	opForget   = "sessions forget"
	opTools    = "tool list"
	opPages    = "tool show"
	opCall     = "tool call"
	opCheck    = "store check"
	opSnapshot = "store snapshot"
	opRelease  = "store release"
	opPairs    = "pair list"
	opApprove  = "pair approve"
	opRevoke   = "pair revoke"

	opApprovals = "approvals list"
	opAllow     = "approvals approve"
	opDeny      = "approvals deny"
	opGrants    = "approvals grants"
	opUngrant   = "approvals revoke"

	opUsage     = "usage"
	opJobs      = "jobs list"
	opJob       = "jobs show"
	opRunJob    = "jobs run"
	opPauseJob  = "jobs pause"
	opResumeJob = "jobs resume"
	opRemoveJob = "jobs remove"
)

// deskArgs are the arguments of all operations.
type deskArgs struct {
	// Session is an id, or a place such as console:local.
	Session string          `json:"session,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	// Chat is where a tool is called, as a Session; "" is the console.
	Chat string `json:"chat,omitempty"`
	// Yes allows a call without a question, Shown the one that this is the fingerprint of.
	Yes   bool   `json:"yes,omitempty"`
	Shown string `json:"shown,omitempty"`
	// Pair is a pairing code, or CHANNEL:[ACCOUNT/]ID.
	Pair string `json:"pair,omitempty"`
	// Owner gives the rights of an owner with a pairing.
	Owner bool `json:"owner,omitempty"`
	// Approval is the id of a question or of a grant.
	Approval string `json:"approval,omitempty"`
	// Day is YYYY-MM-DD; "" is today, wherever the chat is.
	Day string `json:"day,omitempty"`
	// Job is the id of a job.
	Job string `json:"job,omitempty"`
	// Task is a background task's name.
	Task string `json:"task,omitempty"`
}

// emitter takes one value of an operation's answer.
type emitter func(any) error

// looks says of an operation that it makes and changes nothing.
func looks(op string) bool {
	switch op {
	case opStatus, opList, opShow, opExport, opTools, opPages, opCheck, opPairs, opApprovals, opGrants, opUsage, opJobs, opJob, opTasks, opTask:
		return true
	default:
		return false
	}
}

// statusReport is the answer to opStatus. The part about the gateway's work is there
// only while one is running.
type statusReport struct {
	Version string `json:"version"`
	Running bool   `json:"running"`
	// PID is 0 where no gateway is running.
	PID      int             `json:"pid,omitempty"`
	Since    time.Time       `json:"since,omitzero"`
	Model    string          `json:"model,omitempty"`
	Why      string          `json:"why,omitempty"`
	Channels []channelReport `json:"channels"`
	// Empty says that there is no store yet. Store is nil where it cannot be read.
	Empty bool            `json:"empty,omitempty"`
	Store *session.Status `json:"store,omitempty"`
	// Audit says why the audit log cannot be written.
	Audit string `json:"audit,omitempty"`
	// Agent says why AGENT.md cannot be used.
	Agent string `json:"agent_file,omitempty"`
	// Trouble is what keeps messages from being answered as they should be: of the store,
	// the audit log and AGENT.md.
	Trouble []string `json:"trouble,omitempty"`
	// Slow are the turns that have not begun to ask the model for longer than
	// slowTurn, the oldest first, maxSlow of them at most.
	Slow []agent.SlowTurn `json:"slow_turns,omitempty"`
}

type channelReport struct {
	Name    string          `json:"name"`
	Account string          `json:"account,omitempty"`
	Health  channels.Health `json:"health"`
}

// toolReport is one value of the answers to opTools and opPages.
type toolReport struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Level       string `json:"level"`
	// Changes and Asked are one or two words each.
	Changes string `json:"changes"`
	Asked   string `json:"asked"`
	// Disabled says why the tool is not offered.
	Disabled string `json:"disabled,omitempty"`
	// Stats are its calls since the gateway was started.
	Stats *tools.Stats `json:"stats,omitempty"`
	// Page is all there is to know of it, as Markdown; for opPages only.
	Page string `json:"page,omitempty"`
}

// desk does one operation. What it emits is JSON without the secrets that this
// process knows.
func (a *App) desk(ctx context.Context, op string, args deskArgs, take emitter) (err error) {
	defer func() { a.notedOperator(op, args, err) }()
	emit := func(v any) error {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return take(json.RawMessage(a.redactor.Redact(string(raw))))
	}
	switch op {
	case opStatus:
		return a.report(ctx, emit)
	case opList:
		return a.listSessions(ctx, emit)
	case opShow, opExport, opForget:
		return a.oneSession(ctx, op, args.Session, emit)
	case opTools:
		return a.listTools(emit)
	case opPages:
		return a.showTools(args.Tool, emit)
	case opCall:
		return a.callTool(ctx, args, emit)
	case opCheck, opSnapshot, opRelease:
		return storeError(a.storeOp(ctx, op, emit))
	case opPairs, opApprove, opRevoke:
		return a.pairOp(ctx, op, &args, emit)
	case opApprovals, opAllow, opDeny, opGrants, opUngrant:
		return a.approvalOp(ctx, op, args.Approval, emit)
	case opUsage:
		return a.listUsage(ctx, args.Day, emit)
	case opJobs, opJob, opRunJob, opPauseJob, opResumeJob, opRemoveJob:
		return a.jobOp(ctx, op, args.Job, emit)
	case opTasks, opTask, opCancel:
		return a.taskOp(ctx, op, args.Task, emit)
	default:
		return fmt.Errorf("this gateway knows no %q: is it another version?", op)
	}
}

func (a *App) report(ctx context.Context, emit emitter) error {
	st, err := a.engine.Status(ctx)
	if err != nil {
		return err
	}
	r := statusReport{Version: version(), Running: a.running, Empty: a.store.None(), Store: &st, Channels: []channelReport{}}
	unwritable := ""
	if a.running {
		r.PID, r.Since, r.Model, r.Why = os.Getpid(), a.started, a.brain.model, a.brain.why
		if err := a.audit.Err(); err != nil {
			r.Audit = a.unaudited(err).Error()
		}
	} else {
		if err := a.store.Verify(ctx); err != nil {
			r.Trouble = append(r.Trouble, err.Error()+"; gateway store check lists what is wrong")
		}
		unwritable, r.Audit = a.unwritable()
	}
	r.Agent = a.agentFile.Trouble()
	for _, trouble := range []string{st.WriteError, unwritable, st.Held, r.Audit, r.Agent} {
		if trouble != "" {
			r.Trouble = append(r.Trouble, trouble)
		}
	}
	for _, l := range a.roster.all() {
		r.Channels = append(r.Channels, channelReport{Name: l.channel.Name(), Account: l.channel.Account(), Health: l.health()})
	}
	if h, waits := a.joiner.health(); waits {
		r.Channels = append(r.Channels, channelReport{Name: a.joiner.name, Health: h})
	}
	r.Slow = a.agent.SlowTurns(slowTurn)
	r.Slow = r.Slow[:min(len(r.Slow), maxSlow)]
	return emit(r)
}

// The status names turns that have not asked the model after slowTurn.
const (
	slowTurn = time.Minute
	maxSlow  = 20
)

// healthOf is how sending goes, or taking in where only that has trouble.
func healthOf(c channels.Channel, out *channels.Egress) channels.Health {
	health := out.Health()
	taking, ok := c.(interface{ Health() channels.Health })
	if !ok || health.State != channels.HealthOK {
		return health
	}
	if in := taking.Health(); in.State != channels.HealthOK {
		in.Reason = "taking in: " + in.Reason
		return in
	}
	return health
}

func (a *App) listSessions(ctx context.Context, emit emitter) error {
	return a.eachSession(ctx, func(i session.Info) error { return emit(i) })
}

// eachSession calls f for every session, by id.
func (a *App) eachSession(ctx context.Context, f func(session.Info) error) error {
	const page = 200
	after := ""
	for {
		list, err := a.engine.List(ctx, after, page)
		if err != nil {
			return err
		}
		for i := range list {
			if err := f(list[i]); err != nil {
				return err
			}
			after = list[i].Session
		}
		if len(list) < page {
			return nil
		}
	}
}

func (a *App) oneSession(ctx context.Context, op, name string, emit emitter) error {
	info, err := a.findSession(ctx, name)
	if err != nil {
		return err
	}
	switch op {
	case opForget:
		if err := a.engine.Forget(ctx, info.Session); err != nil {
			return err
		}
		return emit(info)
	case opExport:
		return a.engine.All(ctx, info.Session, func(e session.Entry) error {
			for i := range e.Message.ToolCalls {
				e.Message.ToolCalls[i].Settle() // the store keeps the text of arguments alone
			}
			return emit(e)
		})
	default:
		return emit(info)
	}
}

// findSession takes a session's id or the place of a chat; nothing is the console. A
// place without an account finds the one chat of that id, on whichever account it is.
func (a *App) findSession(ctx context.Context, name string) (session.Info, error) {
	if name == "" {
		name = consolePlace
	}
	info, err := a.engine.Get(ctx, name)
	if !errors.Is(err, session.ErrNotFound) {
		return info, err
	}
	at, bad := policy.ParsePlace(name)
	if bad == nil {
		info, err = a.engine.Lookup(ctx, channels.Address(at))
	}
	if bad == nil && errors.Is(err, session.ErrNotFound) {
		info, err = a.onlyChat(ctx, at)
	}
	if errors.Is(err, session.ErrNotFound) {
		return info, fmt.Errorf("there is no session %s: gateway sessions list shows them", name)
	}
	return info, err
}

// onlyChat finds the chat of a place that names no account.
func (a *App) onlyChat(ctx context.Context, at policy.Place) (session.Info, error) {
	var found []session.Info
	err := a.eachSession(ctx, func(i session.Info) error {
		if i.Current && at.Account == "" && at.Matches(i.Address) && i.Address.Thread == at.Thread {
			found = append(found, i)
		}
		return nil
	})
	switch {
	case err != nil:
		return session.Info{}, err
	case len(found) == 0:
		return session.Info{}, session.ErrNotFound
	case len(found) > 1:
		return session.Info{}, fmt.Errorf("several accounts have a chat %s: write %s or %s", at, place(found[0]), place(found[1]))
	}
	return found[0], nil
}
