package task_test

import (
	"encoding/json"
	"errors"
	"testing"

	"parley/pkg/agent/named"
	"parley/pkg/agent/task"
	"parley/pkg/session"
)

func TestATaskIsFoundByItsIDAndByItsNames(t *testing.T) {
	t.Parallel()
	agent := func(id, name string, state session.TaskState) session.Task {
		brief, err := json.Marshal(task.Brief{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return session.Task{ID: id, Chat: "1", Tool: "spawn", Agent: true, Arguments: brief, State: state}
	}
	_, _, tasks := started(t,
		agent("a", "Weekly  report", session.TaskDone),
		agent("b", "twins", session.TaskRunning), agent("c", "twins", session.TaskRunning),
		agent("d", "again", session.TaskDone), agent("e", "again", session.TaskRunning), agent("f", "again", session.TaskFailed),
		session.Task{ID: "g", Chat: "2", Tool: "crawl", State: session.TaskDone},
	)
	for said, want := range map[string]string{
		"a": "a", "“weekly report”": "a", "`Weekly report`": "a", "again": "e", "crawl": "g", " crawl ": "g",
	} {
		if got, err := tasks.Find(t.Context(), "", said); err != nil || got.ID != want {
			t.Errorf("%q: %s, %v; want %s", said, got.ID, err, want)
		}
	}
	for said, want := range map[string]error{"twins": named.ErrAmbiguous, "": session.ErrNotFound, "weekly": session.ErrNotFound} {
		if _, err := tasks.Find(t.Context(), "", said); !errors.Is(err, want) {
			t.Errorf("%q: %v; want %v", said, err, want)
		}
	}
	if _, err := tasks.Find(t.Context(), "1", "crawl"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("another chat's task: %v", err)
	}
}
