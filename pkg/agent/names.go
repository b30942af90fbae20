package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/text"
)

// ErrAmbiguous says that several tasks, or several jobs, have a name. The error's text
// lists their ids.
var ErrAmbiguous = errors.New("several have this name")

// plainName is a name as people type it, without the quotation marks of a list.
func plainName(said string) string {
	return strings.Join(strings.Fields(strings.Trim(said, "\"'`“” ")), " ")
}

// called says whether a text is the name that lists show.
func called(name, said string) bool {
	return name != "" && strings.EqualFold(plainName(name), plainName(said))
}

// capital is a sentence of what an error says.
func capital(said string) string { return strings.ToUpper(said[:1]) + said[1:] + "." }

// ambiguous is an error that lists the ids of what has a name.
func ambiguous(name string, ids []string) error {
	return fmt.Errorf("%w: write one of %s instead of %s", ErrAmbiguous, strings.Join(ids, ", "), text.ClipBytes(channels.Visible(name), 64))
}

// pickTask finds a task by its id, by its name for people, by the name of its agent, or
// by its tool; a line of a list is taken as well. Of several with one name it is the one
// that runs, or else the newest.
func pickTask(all []session.Task, said string) (session.Task, error) {
	said = strings.TrimSpace(said)
	first, _, _ := strings.Cut(said, " ")
	for i := range all {
		if t := &all[i]; t.ID == said || t.Short() == strings.ToLower(first) {
			return *t, nil
		}
	}
	for _, name := range []func(*session.Task) string{NameOfTask, func(t *session.Task) string { return t.Tool }} {
		var fit, running []session.Task
		for i := range all {
			if !called(name(&all[i]), said) {
				continue
			}
			fit = append(fit, all[i])
			if all[i].State == session.TaskRunning {
				running = append(running, all[i])
			}
		}
		switch {
		case len(running) > 1:
			ids := make([]string, len(running))
			for i := range running {
				ids[i] = running[i].Short()
			}
			return session.Task{}, ambiguous(said, ids)
		case len(running) == 1:
			return running[0], nil
		case len(fit) > 0:
			return fit[len(fit)-1], nil
		}
	}
	return session.Task{}, fmt.Errorf("task %s: %w", text.ClipBytes(said, 64), session.ErrNotFound)
}

// PickJob finds a job by its id or its name.
func PickJob(all []session.Job, said string) (session.Job, error) {
	if i := slices.IndexFunc(all, func(j session.Job) bool { return strings.EqualFold(j.ID, strings.TrimSpace(said)) }); i >= 0 {
		return all[i], nil
	}
	var fit []session.Job
	var ids []string
	for i := range all {
		if called(all[i].Name, said) {
			fit, ids = append(fit, all[i]), append(ids, all[i].ID)
		}
	}
	switch len(fit) {
	case 0:
		return session.Job{}, fmt.Errorf("schedule %s: %w", text.ClipBytes(said, 64), session.ErrNotFound)
	case 1:
		return fit[0], nil
	default:
		return session.Job{}, ambiguous(said, ids)
	}
}
