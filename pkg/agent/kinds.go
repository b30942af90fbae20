package agent

import (
	"parley/pkg/agent/command"
	"parley/pkg/agent/job"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
)

// newKinds are the rows of the dispatcher: the first that fits is the turn's kind.
func newKinds(a *Agent) []turn.Kind {
	tasks := task.Commands{Tasks: a.tasks, Waits: a.agents.Waits}
	commands := command.Options{
		Sessions: a.o.Engine.Sessions(), Uses: a.o.Engine.Chats().TurnUses, TakeBack: a.approvals.TakeBack,
		Approvals: a.o.Engine.Approvals().ApprovalList, Granted: a.approvals.Granted, Status: a.o.Engine.Status,
		Schedule: a.jobs.Command, Tasks: tasks.List, Cancel: tasks.Cancel, Revoke: a.approvals.Revoke, Forget: a.approvals.AskForget,
		Memory: a.memory.Command, Has: a.o.Has, Indexed: a.o.Files.Indexed,
	}
	if a.o.Links != nil {
		commands.Link, commands.Unlink = a.o.Links.Link, a.o.Links.Unlink
	}
	return []turn.Kind{
		a.agents.Kind(a.approvals),
		a.approvals.Kind(),
		job.Kind(a.jobs, a.jobPlaces),
		a.tasks.ReportKind(a.reports),
		command.RetryKind(commands),
		command.Kind(commands),
		{
			Fits: func(*session.TurnInfo) bool { return true }, Handler: turn.NewMessage,
			Purpose: session.ForPeople, Late: turn.WrittenLate,
		},
	}
}

// kindOf is the kind of a turn.
func kindOf(kinds []turn.Kind, info *session.TurnInfo) turn.Kind {
	for i := range kinds {
		if kinds[i].Fits(info) {
			return kinds[i]
		}
	}
	return turn.Kind{}
}
