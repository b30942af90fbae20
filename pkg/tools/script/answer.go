package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"parley/pkg/sandbox"
	"parley/pkg/text"
	"parley/pkg/tools"
	"parley/pkg/tools/internal/program"
)

// result turns a program's output into the texts for the model and the person.
func (t *Tool) result(res sandbox.Result) *tools.ToolResult {
	errors := errorTail(res.Stderr)
	if res.TimedOut {
		return tools.TimedOut(t.timeout(), fmt.Sprintf("the program did not end within %v and was ended", t.timeout()), details(errors)).Result()
	}
	if res.Limit != "" {
		return tools.Fail(tools.ErrExecutionFailed, "the program was ended: "+program.Excess(res.Limit), details(errors)).Result()
	}
	answer, problem := parseAnswer(res.Stdout)
	switch {
	case res.ExitCode != 0:
		message := fmt.Sprintf("the program ended with exit code %d", res.ExitCode)
		if last := lastLine(errors); last != "" {
			message += ": " + last
		}
		if answer.isAnswer && answer.ForLLM != "" {
			message = answer.ForLLM
		}
		d := details(errors)
		d["exit_code"] = res.ExitCode
		return with(tools.Fail(tools.ErrExecutionFailed, message, d), answer)
	case problem != "":
		return tools.Fail(tools.ErrExecutionFailed, "the program's answer is not understood: "+problem, details(errors)).Result()
	case answer.IsError:
		return with(tools.Fail(tools.ErrExecutionFailed, answer.ForLLM, details("")), answer)
	case res.Truncated && !answer.isAnswer:
		answer.ForLLM += "\n[the program wrote more than is kept]"
	}
	return &tools.ToolResult{ForLLM: answer.ForLLM, ForUser: answer.ForUser, Silent: answer.Silent}
}

// with keeps a failed program's text for the person.
func with(fail *tools.Error, a answer) *tools.ToolResult {
	r := fail.Result()
	if a.isAnswer {
		r.ForUser, r.Silent = a.ForUser, a.Silent
	}
	return r
}

func details(errors string) map[string]any {
	d := map[string]any{}
	if errors != "" {
		d["stderr"] = errors
	}
	return d
}

// answer is a program's standard output.
type answer struct {
	ForLLM, ForUser string
	Silent, IsError bool
	// isAnswer: it was the JSON of an answer; else ForLLM is all of it.
	isAnswer bool
}

// parseAnswer takes an object with for_llm or for_user for an answer, anything else
// for text. A problem describes a malformed answer.
func parseAnswer(out []byte) (a answer, problem string) {
	printed := strings.ToValidUTF8(strings.TrimRight(string(out), " \t\r\n"), "\uFFFD")
	a.ForLLM = printed
	fields, ok := object(printed)
	if !ok || fields["for_llm"] == nil && fields["for_user"] == nil {
		return a, ""
	}
	a = answer{isAnswer: true}
	for _, name := range sorted(fields) {
		raw := fields[name]
		var err error
		switch name {
		case "for_llm":
			a.ForLLM = textOrJSON(raw)
		case "for_user":
			err = json.Unmarshal(raw, &a.ForUser)
		case "silent":
			err = json.Unmarshal(raw, &a.Silent)
		case "is_error":
			err = json.Unmarshal(raw, &a.IsError)
		default:
			return a, quote(name) + " is none of for_llm, for_user, silent, is_error"
		}
		if err != nil {
			return a, name + " has the wrong type: for_user is a text, silent and is_error are true or false"
		}
	}
	return a, ""
}

// object decodes text that is one JSON object, each key once.
func object(printed string) (map[string]json.RawMessage, bool) {
	if !strings.HasPrefix(printed, "{") {
		return nil, false
	}
	dec := json.NewDecoder(strings.NewReader(printed))
	if _, err := dec.Token(); err != nil {
		return nil, false
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		name, isText := key.(string)
		var raw json.RawMessage
		if err != nil || !isText || dec.Decode(&raw) != nil || fields[name] != nil {
			return nil, false
		}
		fields[name] = raw
	}
	_, err := dec.Token()
	rest := strings.TrimSpace(printed[min(int(dec.InputOffset()), len(printed)):])
	return fields, err == nil && rest == ""
}

// textOrJSON is a JSON text as it reads, any other value as compact JSON.
func textOrJSON(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil { // null is an empty text
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// errorTail is the end of standard error without the progress lines, as text.
func errorTail(raw []byte) string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(raw), "\uFFFD")) {
		if !strings.HasPrefix(line, progressPrefix) {
			lines = append(lines, line)
		}
	}
	said := strings.TrimSpace(strings.Join(lines, ""))
	if len(said) > maxErrors {
		said = "…" + strings.ToValidUTF8(said[len(said)-maxErrors:], "")
	}
	return said
}

func lastLine(s string) string {
	return text.ClipBytes(visible(s[strings.LastIndexByte(s, '\n')+1:]), maxProgressLine)
}
