package task

import (
	"fmt"
	"strings"

	"parley/pkg/agent/named"
	"parley/pkg/session"
	"parley/pkg/text"
)

// pick finds a task by its id, by its name for people, by the name of its agent, or
// by its tool; a line of a list is taken as well. Of several with one name it is the one
// that runs, or else the newest.
func pick(all []session.Task, said string) (session.Task, error) {
	said = strings.TrimSpace(said)
	first, _, _ := strings.Cut(said, " ")
	for i := range all {
		if t := &all[i]; t.ID == said || t.Short() == strings.ToLower(first) {
			return *t, nil
		}
	}
	for _, name := range []func(*session.Task) string{AgentName, func(t *session.Task) string { return t.Tool }} {
		var fit, running []session.Task
		for i := range all {
			if !named.Fits(name(&all[i]), said) {
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
			return session.Task{}, named.Ambiguous(said, ids)
		case len(running) == 1:
			return running[0], nil
		case len(fit) > 0:
			return fit[len(fit)-1], nil
		}
	}
	return session.Task{}, fmt.Errorf("task %s: %w", text.ClipBytes(said, 64), session.ErrNotFound)
}
