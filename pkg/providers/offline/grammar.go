package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/pkg/providers"
)

// maxUnderstood is how long a message may be to be looked at closely.
const maxUnderstood = 4000

// piece is a part of the answer to a message: a text, or a call to make.
type piece struct {
	text string
	call *call
	// introduces says that no introduction follows: the text describes the model, or the
	// person calls a tool and speaks to no model.
	introduces bool
	// unknown says that the message was not understood.
	unknown bool
}

func say(text string) []piece { return []piece{{text: text}} }

func use(name string, args map[string]any) []piece {
	return []piece{{call: &call{name: name, args: args}}}
}

// rule turns a sentence that matches into pieces; an empty list means that another
// rule may try.
type rule struct {
	pattern *regexp.Regexp
	make    func(groups []string) []piece
}

// grammar is everything the model understands. Its rules are tried in order:
// later.go, courtesy.go, expression.go, paths.go, place.go.
type grammar struct {
	about    about
	places   *places
	tool     *regexp.Regexp
	relayed  *regexp.Regexp
	task     *regexp.Regexp
	agent    *regexp.Regexp
	outcome  *regexp.Regexp
	sender   *regexp.Regexp
	quote    *regexp.Regexp
	prefix   *regexp.Regexp
	polite   *regexp.Regexp
	trailer  *regexp.Regexp
	joints   *regexp.Regexp
	later    []rule
	exact    []rule
	rules    []rule
	courtesy []rule
}

func newGrammar(a about) *grammar {
	g := &grammar{
		about:   a,
		places:  newPlaces(),
		tool:    regexp.MustCompile(`(?si)^/tool(?:@\S+)?(?:\s+(\S+))?\s*(.*)$`),
		relayed: regexp.MustCompile(`(?is)^(?:\[(?:background|task|scheduled?|reminder|system|approval|decision|event|notice)\b[^\]]*\]|(?:background |scheduled )?(?:task|job|reminder)\b[^\n]*\b(?:finished|ended|failed|done|due|completed|interrupted)\b)`),
		task:    regexp.MustCompile(`(?s)^\[background task\] (.+?) ended \((\w+)\)\. (.*?)\nResult:\n(.*)$`),
		agent:   regexp.MustCompile(`(?s)^\[background task\] The background agent (.+?) has ended \(\w+\)\. .*?\nReport:\n(.*)$`),
		outcome: regexp.MustCompile(`(?s)^\[approval .*? The outcome: ([^\n]*)`),
		sender:  regexp.MustCompile(`^[^\s:>/][^\n:]{0,80}:\s+`),
		quote:   regexp.MustCompile(`^(?:>[^\n]*\n)+\s*`),
		prefix:  regexp.MustCompile(`^(?:\[[^\]\n]{1,80}\]:?\s+|<?@[\w.-]{1,64}>?[,:]?\s+)+`),
		polite: regexp.MustCompile(`(?i)^(?:(?:hey|hi|hello|ok|okay|please|pls|now|and|then|so|also|well|parley|can you|could you|would you|will you|kindly|just|` +
			`i want you to|i would like you to|i'd like you to|i need you to|do you know|you know)[,:!.]?\s+)+`),
		trailer: regexp.MustCompile(`(?i)[\s,]*(?:please|pls|thanks|thank you|for me|right now)?[\s?!.]*$`),
		joints:  regexp.MustCompile(`(?i);\s+|[.?!]\s+|,?\s+(?:and then|and|then|also)\s+|,\s+`),
	}
	g.courtesy = courtesyRules(a)
	g.exact = []rule{arithmeticRule()}
	g.rules = append(pathRules(), g.places.rules()...)
	g.later = laterRules(func(text string) bool {
		parts, understood := g.parts(text)
		return understood > 0 && understood == len(parts) || g.sentence(text) != nil
	})
	return g
}

// understand turns a message into at least one piece.
func (g *grammar) understand(m providers.Message) []piece {
	text := strings.TrimSpace(m.Content)
	switch {
	case len(m.Images) > 0 && (text == "" || strings.HasSuffix(text, "(a message without text)")):
		return say(textPicture)
	case text == "":
		return say(textEmpty)
	case m.Role != providers.RoleUser:
		return say(text)
	case g.relayed.MatchString(text):
		if _, todo, ok := strings.Cut(text, orderMark); ok && strings.HasPrefix(text, "[schedule]") {
			text = todo
			break
		}
		return say(g.relay(text))
	}
	if out := g.request(text); out != nil {
		return out
	}
	if plain := g.unaddressed(text); plain != text {
		if out := g.request(plain); out != nil {
			return out
		}
	}
	return g.unknown()
}

// unaddressed is a text without its prefix in a group: the sender's name, and the
// quoted message.
func (g *grammar) unaddressed(text string) string {
	return g.quote.ReplaceAllString(g.sender.ReplaceAllString(text, ""), "")
}

// request understands a person's text, or returns no pieces.
func (g *grammar) request(text string) []piece {
	text = strings.TrimSpace(g.prefix.ReplaceAllString(text, ""))
	if groups := g.tool.FindStringSubmatch(text); groups != nil && (len(text) == 5 || strings.ContainsAny(text[5:6], " \t\n@")) {
		return directCall(groups[1], groups[2])
	}
	if len(text) > maxUnderstood {
		return nil
	}
	var out []piece
	understood := false
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		pieces, ok := g.line(line)
		out, understood = append(out, pieces...), understood || ok
	}
	if !understood {
		return nil
	}
	return out
}

func (g *grammar) unknown() []piece {
	return []piece{{text: g.about.unknown(), introduces: true, unknown: true}}
}

// orderMark stands before a job's task for the model.
const orderMark = "\nWhat is to be done:\n"

// noReply is the answer without a message.
const noReply = "NO_REPLY"

// relay gives the text of an item that the system made, without its mark. The
// result of a background task that the person has seen needs no second message.
func (g *grammar) relay(text string) string {
	if t := g.task.FindStringSubmatch(text); t != nil {
		if strings.HasPrefix(t[3], "The person has already been shown") {
			return noReply
		}
		return fmt.Sprintf(textTaskEnded, t[1], t[2], t[4])
	}
	if t := g.agent.FindStringSubmatch(text); t != nil {
		return fmt.Sprintf(textTaskDone, t[1], t[2])
	}
	if t := g.outcome.FindStringSubmatch(text); t != nil {
		return fmt.Sprintf(textWithoutCall, t[1])
	}
	if strings.HasPrefix(text, "[approval ") {
		return noReply // the result of the call says it
	}
	if strings.HasPrefix(text, "[") {
		if _, rest, _ := strings.Cut(text, "]"); strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// directCall is /tool NAME JSON. The arguments go out as they were written:
// where they are no JSON, the loop answers with the same error as for any model.
func directCall(name, raw string) []piece {
	if name == "" {
		return []piece{{text: `Write /tool NAME JSON, such as /tool calculator {"expression":"2^200"}.`, introduces: true}}
	}
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	return []piece{{call: &call{name: name, raw: raw}, introduces: true}}
}

// sentence understands one sentence, or returns no pieces.
func (g *grammar) sentence(text string) []piece {
	if out := try(g.courtesy, strings.TrimRight(text, " ?!.,")); out != nil {
		return out
	}
	plain := strings.TrimSpace(g.polite.ReplaceAllString(text, ""))
	if out := try(g.exact, plain); out != nil {
		return out
	}
	return try(g.rules, g.trailer.ReplaceAllString(plain, ""))
}

func try(rules []rule, text string) []piece {
	for _, r := range rules {
		if groups := r.pattern.FindStringSubmatch(text); groups != nil {
			if out := r.make(groups); out != nil {
				return out
			}
		}
	}
	return nil
}

// line understands one line: a whole line for another time, else its sentences for
// now. The second result says whether any part makes sense.
func (g *grammar) line(text string) ([]piece, bool) {
	if out := try(g.later, g.plain(text)); out != nil {
		return out, true
	}
	return g.now(text)
}

// plain is a sentence without the words that ask for it.
func (g *grammar) plain(text string) string {
	return g.trailer.ReplaceAllString(strings.TrimSpace(g.polite.ReplaceAllString(text, "")), "")
}

// now understands a line that may hold several requests: as such when every part
// makes sense by itself, else as one sentence, else whatever parts make sense.
func (g *grammar) now(text string) ([]piece, bool) {
	parts, understood := g.parts(text)
	if understood > 1 && understood == len(parts) && !strings.ContainsAny(text, "\"`“") {
		return slices.Concat(parts...), true
	}
	if out := g.sentence(text); out != nil {
		return out, true
	}
	return slices.Concat(parts...), understood > 0
}

// parts understands the parts of a line one by one and counts those that make
// sense; the others are named as not understood.
func (g *grammar) parts(text string) (parts [][]piece, understood int) {
	for _, part := range g.joints.Split(text, maxAsked) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		pieces := g.sentence(part)
		if pieces != nil {
			understood++
		} else {
			pieces = say(fmt.Sprintf(textUnknownPart, short(part, 100)))
		}
		parts = append(parts, pieces)
	}
	return parts, understood
}
