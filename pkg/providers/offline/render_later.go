package offline

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// job is the tool schedule's description of a job, and of the chat's jobs.
type job struct {
	ID, Name, When, Due, Text, Why, Note string
	FromNow                              string `json:"from_now"`
	LastReason                           string `json:"last_reason"`
	Paused, Removed                      bool
	Jobs                                 []job
	Now                                  string
}

func renderSchedule(action any, result string) (string, bool) {
	var j job
	if json.Unmarshal([]byte(result), &j) != nil {
		return "", false
	}
	switch {
	case j.ID == "" && j.Now != "" && len(j.Jobs) == 0:
		return textNoneScheduled, true
	case j.ID == "" && j.Now != "":
		lines := []string{textScheduled}
		for i := range j.Jobs {
			lines = append(lines, "- "+j.Jobs[i].ID+": "+short(j.Jobs[i].Text, 100)+" ("+j.Jobs[i].state()+")")
		}
		return strings.Join(lines, "\n"), true
	case j.ID == "":
		return "", false
	case j.Removed:
		return fmt.Sprintf(textCancelled, j.ID), true
	}
	verb := map[any]string{"create": "scheduled", "pause": "paused", "resume": "on again"}[action]
	if verb == "" {
		verb = "changed"
	}
	text := fmt.Sprintf(textIsScheduled, j.ID, verb, j.state())
	if j.Note != "" {
		text += " " + j.Note
	}
	return text, true
}

// state says when a job is due, or why it is not.
func (j *job) state() string {
	text := j.When
	if at, err := time.Parse(time.RFC3339, j.Due); err == nil && !strings.HasPrefix(j.When, "once ") {
		text += ", next on " + at.Format("Monday, 2 January 2006, at 15:04")
	}
	if j.FromNow != "" {
		text += ", in " + j.FromNow
	}
	if j.Paused {
		text += ", paused"
		if j.Why != "" {
			text += ": " + j.Why
		}
	}
	return text
}

func renderSpawn(result string) (string, bool) {
	var r struct{ Task string }
	if json.Unmarshal([]byte(result), &r) != nil || r.Task == "" {
		return "", false
	}
	return fmt.Sprintf(textInBackground, r.Task), true
}
