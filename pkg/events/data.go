package events

import (
	"encoding/json"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/visible"
)

// The names of the events on the wire, with the size and the redaction of each.

// Name implements [Data].
func (TurnBegun) Name() string { return "turn" }

func (d TurnBegun) size() int {
	return len(d.Turn) + len(d.Chat) + len(d.Message) + len(d.Text) + sizeOf(d.Files)
}

func (d TurnBegun) redacted(redact func(string) string) Data {
	d.Text, d.Files = redact(d.Text), redactedFiles(d.Files, redact)
	return d
}

// Name implements [Data].
func (Joined) Name() string { return "joined" }

func (d Joined) size() int { return len(d.Message) + len(d.Text) + sizeOf(d.Files) }

func (d Joined) redacted(redact func(string) string) Data {
	d.Text, d.Files = redact(d.Text), redactedFiles(d.Files, redact)
	return d
}

// Name implements [Data].
func (Token) Name() string { return "token" }

func (d Token) size() int { return len(d.Text) }

func (d Token) redacted(redact func(string) string) Data {
	d.Text = redact(d.Text)
	return d
}

// Name implements [Data].
func (Reasoning) Name() string { return "reasoning" }

func (d Reasoning) size() int { return len(d.Text) }

func (d Reasoning) redacted(redact func(string) string) Data {
	d.Text = redact(d.Text)
	return d
}

// Name implements [Data].
func (Restart) Name() string { return "restart" }

func (Restart) size() int { return 0 }

func (d Restart) redacted(func(string) string) Data { return d }

// Name implements [Data].
func (CallDelta) Name() string { return "tool_call_delta" }

func (d CallDelta) size() int { return len(d.ID) + len(d.Called) + len(d.Arguments) }

func (d CallDelta) redacted(redact func(string) string) Data {
	d.Arguments = redact(d.Arguments)
	return d
}

// Name implements [Data].
func (Call) Name() string { return "tool_call" }

func (d Call) size() int { return len(d.ID) + len(d.Called) + len(d.Arguments) + len(d.Summary) }

func (d Call) redacted(redact func(string) string) Data {
	d.Arguments, d.Summary = arguments(string(d.Arguments), redact), redact(d.Summary)
	return d
}

// Name implements [Data].
func (Executing) Name() string { return "tool_executing" }

func (d Executing) size() int { return len(d.ID) + len(d.Called) }

func (d Executing) redacted(func(string) string) Data { return d }

// Name implements [Data].
func (Progress) Name() string { return "tool_progress" }

func (d Progress) size() int { return len(d.ID) + len(d.Text) }

func (d Progress) redacted(redact func(string) string) Data {
	d.Text = redact(d.Text)
	return d
}

// Name implements [Data].
func (Question) Name() string { return "confirmation_required" }

func (d Question) size() int { return len(d.ID) + len(d.Arguments) + len(d.Question) }

func (d Question) redacted(redact func(string) string) Data {
	shown := visible.JSON(string(arguments(string(d.Arguments), redact)))
	d.Arguments, d.Question = json.RawMessage(shown), redact(d.Question)
	return d
}

// Name implements [Data].
func (Resolved) Name() string { return "confirmation_resolved" }

func (d Resolved) size() int { return len(d.ID) + len(d.By) }

func (d Resolved) redacted(redact func(string) string) Data {
	d.By = redact(d.By)
	return d
}

// Name implements [Data].
func (Result) Name() string { return "tool_result" }

func (d Result) size() int { return len(d.ID) + len(d.Called) + len(d.Result) }

func (d Result) redacted(redact func(string) string) Data {
	d.Result = redact(d.Result)
	return d
}

// Name implements [Data].
func (Message) Name() string { return "message" }

func (d Message) size() int { return len(d.ID) + len(d.Text) + len(d.File) + sizeOf(d.Files) }

func (d Message) redacted(redact func(string) string) Data {
	d.Text, d.File, d.Files = redact(d.Text), redact(d.File), redactedFiles(d.Files, redact)
	return d
}

// Name implements [Data].
func (Notice) Name() string { return "notice" }

func (d Notice) size() int { return len(d.Text) }

func (d Notice) redacted(redact func(string) string) Data {
	d.Text = redact(d.Text)
	return d
}

// Name implements [Data].
func (Failure) Name() string { return "error" }

func (d Failure) size() int { return len(d.Message) }

func (d Failure) redacted(redact func(string) string) Data {
	d.Message = redact(d.Message)
	return d
}

// Name implements [Data].
func (Done) Name() string { return "done" }

func (d Done) size() int { return len(d.Turn) + len(d.Text) }

func (d Done) redacted(redact func(string) string) Data {
	d.Text = redact(d.Text)
	return d
}

// arguments are the arguments of a call as JSON: an object without secrets, or else their
// text as a JSON string.
func arguments(text string, redact func(string) string) json.RawMessage {
	text = redact(text)
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) == nil && object != nil {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return quoted
}

// redactedFiles are files whose names hold no secret.
func redactedFiles(all []channels.KeptFile, redact func(string) string) []channels.KeptFile {
	all = slices.Clone(all)
	for i := range all {
		all[i].Name = redact(all[i].Name)
	}
	return all
}

func sizeOf(all []channels.KeptFile) (n int) {
	for i := range all {
		n += overhead + len(all[i].Name)
	}
	return n
}
