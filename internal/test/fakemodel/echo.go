package fakemodel

import (
	"strconv"
	"strings"
	"time"

	"parley/pkg/providers"
)

// maxEchoCalls bounds the command "tools".
const maxEchoCalls = 64

// Echo is the default script. It answers "echo: " and the newest user text,
// unless a line of that text begins with a command:
//
//	tool NAME JSON       call a tool, then answer with its result
//	tools N [NAME JSON]  call a tool (the first that is offered) N times at once
//	sleep DURATION       answer after a while
//	long N               answer with N words
//	fail STATUS          answer with an HTTP error
func Echo(r Request) Answer {
	if results := trailingResults(r.Messages); len(results) > 0 {
		return Say(strings.Join(results, "\n"))
	}
	text := r.LastUser()
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if a, ok := command(&r, word, strings.TrimSpace(rest)); ok {
			return a
		}
	}
	return Say("echo: " + text)
}

func command(r *Request, word, rest string) (Answer, bool) {
	switch word {
	case "tool":
		return toolCommand(r, 1, rest), rest != ""
	case "tools":
		count, call, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(count)
		return toolCommand(r, min(n, maxEchoCalls), call), err == nil && n > 0
	case "sleep":
		d, err := time.ParseDuration(rest)
		a := Say("slept " + rest)
		a.Fault.Latency = d
		return a, err == nil
	case "long":
		n, err := strconv.Atoi(rest)
		return Say(strings.TrimSpace(strings.Repeat("word ", max(n, 0)))), err == nil && n < 1<<20
	case "fail":
		status, err := strconv.Atoi(rest)
		return Fail(status, "server_error", "as asked for"), err == nil && status >= 400 && status < 600
	default:
		return Answer{}, false
	}
}

func toolCommand(r *Request, n int, call string) Answer {
	name, args, _ := strings.Cut(strings.TrimSpace(call), " ")
	if name == "" && len(r.Tools) > 0 {
		name = r.Tools[0].Function.Name
	}
	if args = strings.TrimSpace(args); args == "" {
		args = "{}"
	}
	calls := make([]providers.ToolCall, max(n, 0))
	for i := range calls {
		calls[i] = providers.ToolCall{Name: name, RawArguments: args}
	}
	return Calls(calls...)
}

// trailingResults are the tool results at the end of the messages.
func trailingResults(messages []providers.Message) []string {
	at := len(messages)
	for at > 0 && messages[at-1].Role == providers.RoleTool {
		at--
	}
	var results []string
	for i := at; i < len(messages); i++ {
		results = append(results, messages[i].Content)
	}
	return results
}
