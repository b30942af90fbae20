package offline

import (
	"regexp"
	"strings"
)

const (
	scheduleTool = "schedule"
	spawnTool    = "spawn"
)

// later understands work for another time, or for the background.
type later struct {
	*times
	// known says whether a text is something that the model can do: else "every day
	// is a gift" would be a job.
	known func(text string) bool
}

// laterRules are tried on whole lines: the rest of the line is the text of a reminder
// or a task, whatever it holds.
func laterRules(known func(text string) bool) []rule {
	l := later{newTimes(), known}
	const (
		remind = `(?:remind|notify|alert)\s+(?:me|us)`
		bid    = `tell\s+(?:me|us)\s+to\s+`
		to     = `(?:\s*:\s+|\s*,?\s+(?:to|that|about|of)\s+)`
		of     = `(?:\s*:\s+|\s*,?\s+(?:to|that|about|of|for)\s+)`
		when   = `(` + onceWord + `|` + everyWord + `)`
		set    = `(?:set|create|add|make|schedule|put)(?:\s+(?:me|up))?\s+(?:an?|the)\s+reminder`
		speak  = `(?:say|tell\s+(?:me|us)|write|send(?:\s+(?:me|us))?(?:\s+the\s+message)?|wish\s+(?:me|us))`
		behind = `\s+in\s+the\s+background`
		tell   = `(?:[\s,]+(?:and|then|and\s+then)\s+(?:tell|report|let|inform|notify|message)\b.*)?`
		job    = `(?:the\s+|my\s+|a\s+)?(?:reminder|job|schedule)s?\s+(?:number\s+|no\.?\s+|id\s+|#)?`
	)
	two := func(pattern string, f func(a, b string) []piece) rule {
		return rule{regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), func(g []string) []piece { return f(g[1], g[2]) }}
	}
	one := func(pattern string, f func(a string) []piece) rule {
		return rule{regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), func(g []string) []piece { return f(g[1]) }}
	}
	swapped := func(f func(a, b string) []piece) func(a, b string) []piece {
		return func(a, b string) []piece { return f(b, a) }
	}
	named := func(action string) func(string) []piece {
		return func(id string) []piece { return use(scheduleTool, map[string]any{"action": action, "id": id}) }
	}
	return []rule{
		two(remind+`\s+`+when+to+`(.+)`, l.remind),
		two(remind+to+`(.+?)\s*,?\s+`+when, swapped(l.remind)),
		two(when+`\s*,?\s+`+remind+to+`(.+)`, l.remind),
		two(when+`\s*,?\s+`+bid+`(.+)`, l.remind),
		two(bid+`(.+?)\s*,?\s+`+when, swapped(l.remind)),
		one(remind+`\s+`+when, func(w string) []piece { return l.remind(w, "this is what you wanted to be reminded of") }),
		two(set+`\s+(?:for\s+)?`+when+of+`(.+)`, l.remind),
		two(set+of+`(.+?)\s*,?\s+(?:for\s+)?`+when, swapped(l.remind)),
		two(`(`+everyWord+`)\s*[,:]?\s+`+speak+`\s+(.+)`, l.say),
		two(speak+`\s+(.+?)\s+(`+everyWord+`)`, swapped(l.say)),
		two(`(`+everyWord+`)\s*[,:]?\s+(.+)`, l.prompt),
		one(`(?:what(?:'s|’s|s|\s+is|\s+(?:do|have)\s+(?:i|we|you)(?:\s+have|\s+got)?|\s+are)\s+(?:(?:my|our|the)\s+)?(scheduled|schedules?|reminders?|planned|jobs)(?:\s+for\s+(?:me|us))?|`+
			`(?:list|show|show\s+me|which|what)\s+(?:(?:are\s+)?(?:the|my|our|all|your)\s+)*(?:schedules?|reminders?|scheduled\s+jobs|jobs)(?:\s+(?:are\s+there|do\s+(?:i|we)\s+have))?)`,
			func(string) []piece { return use(scheduleTool, map[string]any{"action": "list"}) }),
		one(`(?:cancel|remove|delete|drop)\s+`+job+`([a-z0-9_-]{1,32})`, named("remove")),
		one(`(?:pause|suspend|hold)\s+`+job+`([a-z0-9_-]{1,32})`, named("pause")),
		one(`(?:resume|continue|unpause)\s+`+job+`([a-z0-9_-]{1,32})`, named("resume")),
		one(`in\s+the\s+background\s*:\s*(.+?)`+tell, task),
		one(`in\s+the\s+background\s*,?\s+(.+?)`+tell, l.task),
		one(`(?:(?:work\s+on|do)\s+)?(.+?)`+behind+tell, l.task),
	}
}

func (l later) remind(when, text string) []piece { return l.create(when, "Reminder: "+text, false) }

func (l later) say(when, text string) []piece {
	text, _ = unquote(text)
	return l.create(when, text, false)
}

func (l later) prompt(when, text string) []piece {
	if !l.known(text) {
		return nil
	}
	return l.create(when, text, true)
}

func (l later) create(when, text string, prompt bool) []piece { //nolint:revive // flag-parameter: it is an argument of the tool
	args := l.read(when)
	if args == nil {
		return nil
	}
	args["action"], args["text"] = "create", strings.TrimSpace(text)
	if prompt {
		args["prompt"] = true
	}
	return use(scheduleTool, args)
}

// task hands a text to an agent in the background.
func task(text string) []piece {
	return use(spawnTool, map[string]any{"task": strings.TrimSpace(text)})
}

func (l later) task(text string) []piece {
	if !l.known(text) {
		return nil
	}
	return task(text)
}
