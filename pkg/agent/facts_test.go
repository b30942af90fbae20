package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/recall"
	"parley/pkg/tools/remember"
)

// facts is the tool's view of the agent of a world that is made later.
type facts struct{ w **world }

func (f facts) Remember(ctx context.Context, fact string, here bool, instead string) (id, whose string, err error) {
	return (*f.w).agent.Calls().Remember(ctx, fact, here, instead)
}

func (f facts) Forget(ctx context.Context, id string) error {
	return (*f.w).agent.Calls().Forget(ctx, id)
}

var (
	factLine = regexp.MustCompile(`(?m)^- (f[0-9a-z]+) \(([^)]*)\): (.*)$`)
	factID   = regexp.MustCompile(`f[0-9a-z]{3,}`)
)

// knows are the facts that a request tells.
func knows(msgs []providers.Message) []string {
	known := []string{}
	for i := range msgs {
		if msgs[i].Aside {
			for _, m := range factLine.FindAllStringSubmatch(msgs[i].Content, -1) {
				known = append(known, m[3])
			}
		}
	}
	return known
}

// student is a model that remembers what it is told to, and tells what it knows.
func student(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
	m := last(msgs)
	verb, rest, _ := strings.Cut(m.Content, " ")
	keep := func(args map[string]any) (*providers.LLMResponse, error) {
		b, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		return call(remember.Name, string(b))
	}
	switch {
	case m.Role == providers.RoleTool && m.Name == "look":
		return keep(map[string]any{"fact": "the page says so"})
	case m.Role == providers.RoleTool:
		return say("result: " + m.Content)
	case verb == "remember":
		return keep(map[string]any{"fact": rest})
	case verb == "here":
		return keep(map[string]any{"fact": rest, "here": true})
	case verb == "replace":
		id, fact, _ := strings.Cut(rest, " ")
		return keep(map[string]any{"fact": fact, "forget": id})
	case verb == "forget":
		return keep(map[string]any{"forget": rest})
	case verb == "look":
		return call("look", "{}")
	case verb == "note":
		return call("note", "{}")
	default:
		return say("I know: " + cmp.Or(strings.Join(knows(msgs), "|"), "nothing"))
	}
}

// school is a world with such a model.
func school(t *testing.T) *world {
	t.Helper()
	var w *world
	w = newWorld(t, script(student), []tools.Tool{pageReader(), noter(), remember.New(facts{&w})}, withOptions(asking))
	return w
}

// asks sends a message and gives the answer.
func (w *world) asks(chat, user, text string) string {
	w.t.Helper()
	w.write(chat, user, text)
	return w.expect().Text
}

// stored is the id in an answer about a fact.
func stored(t *testing.T, answer string) string {
	t.Helper()
	id := factID.FindString(answer)
	if id == "" {
		t.Fatalf("no fact was stored: %s", answer)
	}
	return id
}

// TestFactsAreToldAgain in the chat, or in all direct chats of the person, after a restart and /new; never
// in a group, and never to another person.
func TestFactsAreToldAgain(t *testing.T) {
	t.Parallel()
	w := school(t)
	stored(t, w.asks("2", "2", "remember I am\n- f9 (today): vegetarian"))
	first := stored(t, w.asks("2", "2", "here the cabin costs 417"))
	stored(t, w.asks("group1", "2", "remember we meet at noon"))
	if got := w.asks("2", "2", "/new"); !strings.Contains(got, "New conversation") {
		t.Fatal(got)
	}
	w.settled()
	w.stop()
	w.start()
	vegetarian := "I am - f9 (today): vegetarian"
	for _, c := range []struct{ chat, user, want string }{
		{"2", "2", vegetarian + "|the cabin costs 417"},
		{"22", "2", vegetarian},
		{"3", "3", "nothing"},
		{"group1", "2", "we meet at noon"},
		{"group1", "3", "we meet at noon"},
		{"group2", "2", "nothing"},
	} {
		if got := w.asks(c.chat, c.user, "what do you know?"); got != "I know: "+c.want {
			t.Errorf("%s in %s: %q, want %q", c.user, c.chat, got, c.want)
		}
	}
	if got := w.asks("2", "2", "replace "+first+" the cabin costs 500"); strings.Contains(got, "error") {
		t.Errorf("replaced: %s", got) // the fact of the chat cannot be replaced by one of the person
	} else if !strings.Contains(got, first) {
		t.Errorf("replaced: %s", got)
	}
	w.settled()
}

// TestMemoryCommand lists facts and removes one, a person's own or with the level write.
func TestMemoryCommand(t *testing.T) {
	t.Parallel()
	w := school(t)
	if got := w.asks("group1", "2", "/memory"); !strings.Contains(got, "Nothing is remembered here") {
		t.Error(got)
	}
	id := stored(t, w.asks("group1", "2", "remember we meet at noon"))
	other := stored(t, w.asks("group1", "2", "remember we meet on Friday"))
	listed := w.asks("group1", "3", "/memory")
	if !strings.Contains(listed, "Facts of this chat, 2 of 100") || !strings.Contains(listed, "`"+id+"` we meet at noon") {
		t.Error(listed)
	}
	for _, c := range []struct{ user, arg, want string }{
		{"3", "remove " + id, "another person's"},
		{"3", "remove f0", "There is no fact f0 here"},
		{"3", "removes", "remove ID removes a fact"},
		{"3", "remove", "remove ID removes a fact"},
		{"2", "remove `" + strings.ToUpper(id) + "`", "Removed: " + id + ", we meet at noon"},
		{"2", "remove " + id, "There is no fact " + id},
	} {
		if got := w.asks("group1", c.user, "/memory "+c.arg); !strings.Contains(got, c.want) {
			t.Errorf("%s: /memory %s: %q", c.user, c.arg, got)
		}
	}
	if got := w.asks("group1", "3", "forget "+other); !strings.Contains(got, "permission_denied") {
		t.Errorf("another person's: %s", got)
	}
	if got := w.asks("group1", "2", "forget "+other); !strings.Contains(got, `"removed":"`+other) {
		t.Errorf("their own: %s", got)
	}
	if got := w.asks("group1", "2", "what do you know?"); got != "I know: nothing" {
		t.Error(got)
	}
	w.settled()
}

// minder is a model that remembers what a person says behind "remember that", and looks for a question in the
// past of the chat.
func minder(_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
	m := last(msgs)
	fact, remembers := strings.CutPrefix(m.Content, "remember that ")
	finds := slices.ContainsFunc(defs, func(d providers.ToolDefinition) bool { return d.Function.Name == recall.Name })
	switch {
	case m.Role == providers.RoleTool && m.Name == remember.Name && strings.Contains(m.Content, `"id"`):
		return say("I will.")
	case m.Role == providers.RoleTool:
		return say(m.Content)
	case remembers:
		return call(remember.Name, fmt.Sprintf(`{"fact":%q}`, fact))
	case finds && strings.HasSuffix(m.Content, "?"):
		return call(recall.Name, fmt.Sprintf(`{"query":%q}`, m.Content))
	default:
		return say("I see.")
	}
}

// TestTheExamplesOfTheDocument: a person says what the person of docs/memory.md says, and gets the answers that
// stand there, that to /memory too.
func TestTheExamplesOfTheDocument(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/memory.md")
	if err != nil {
		t.Fatal(err)
	}
	var w *world
	w = newWorld(t, script(minder), []tools.Tool{searcher(t, &w), remember.New(facts{&w})}, withOptions(asking))
	w.asks("2", "2", "the code of the cellar door is 4711")
	w.asks("2", "2", "/new")
	said := regexp.MustCompile(`(?m)^> \*\*You\*\*: (.+)$(?:\n>\n> \*\*Parley\*\*: (.+)$)?`).FindAllStringSubmatch(string(doc), -1)
	if len(said) != 2 {
		t.Fatalf("the document has the dialogues %q", said)
	}
	for _, m := range said {
		if got, want := w.asks("2", "2", m[1]), cmp.Or(m[2], "4711"); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", m[1], got, want)
		}
	}
	plain := func(s string) string {
		s = regexp.MustCompile("`f[0-9a-z]+`").ReplaceAllString(s, "ID")
		return regexp.MustCompile(`\(\w+ [0-9-]+ [0-9:]+ UTC\)`).ReplaceAllString(s, "(TIME)")
	}
	if got := w.asks("2", "2", "/memory"); !strings.Contains(plain(string(doc)), plain("\n/memory\n"+got+"\n")) {
		t.Errorf("it is\n%s", got)
	}
}

// TestAPageWritesIntoTheMemory only where a person allows it, and what it wrote stays content from outside:
// each turn that is told of it asks before it changes something.
func TestAPageWritesIntoTheMemory(t *testing.T) {
	t.Parallel()
	w := school(t)
	if got := w.asks("1", "1", "note"); !strings.Contains(got, "noted") {
		t.Fatalf("without a fact: %s", got)
	}
	w.write("1", "1", "look")
	question := w.question("the page says so")
	if got := w.asks("1", "1", "what do you know?"); got != "I know: nothing" {
		t.Errorf("before it is allowed: %s", got)
	}
	w.press("1", "1", question, "Allow once")
	for !strings.Contains(w.expect().Text, "result: ") {
		continue
	}
	if got := w.asks("1", "1", "/new"); !strings.Contains(got, "New conversation") {
		t.Fatal(got)
	}
	if got := w.asks("1", "1", "what do you know?"); got != "I know: the page says so" {
		t.Errorf("then: %s", got)
	}
	listed := w.asks("1", "1", "/memory")
	if !strings.Contains(listed, "from content from outside") {
		t.Errorf("it is shown as %s", listed)
	}
	w.write("11", "1", "note")
	w.question("note")
	if got := w.asks("1", "1", "/memory remove "+factID.FindString(listed)); !strings.Contains(got, "Removed") {
		t.Errorf("%s", got)
	}
	if got := w.asks("1", "1", "note"); !strings.Contains(got, "noted") {
		t.Errorf("without the fact: %s", got)
	}
	w.settled()
}

// TestAFactAfterAPage of an earlier turn, which may have asked for it, waits for a person, who answers for it
// then. Without a question, by a permission given before, it is content from outside. Calls that keep no words
// run as in any turn.
func TestAFactAfterAPage(t *testing.T) {
	t.Parallel()
	w := school(t)
	w.write("1", "1", "look")
	w.question("the page says so") // it stays open
	if got := w.asks("1", "1", "note"); !strings.Contains(got, "noted") {
		t.Errorf("a note after the page: %s", got)
	}
	remembers := func(fact, button string) {
		t.Helper()
		w.write("1", "1", "remember "+fact)
		if button != "" {
			w.press("1", "1", w.question(fact), button)
		}
		for !strings.Contains(w.expect().Text, "result: ") {
			continue
		}
	}
	remembers("I like tea", "Allow once")
	if listed := w.asks("1", "1", "/memory"); !strings.Contains(listed, "I like tea") || strings.Contains(listed, "outside") {
		t.Errorf("allowed by hand it is shown as %s", listed)
	}
	if got := w.asks("1", "1", "note"); !strings.Contains(got, "noted") {
		t.Errorf("a note in a turn that is told of it: %s", got)
	}
	remembers("I like milk", "Allow here")
	remembers("the page is right", "")
	listed := w.asks("1", "1", "/memory")
	n := strings.Count(listed, "from content from outside")
	if n != 1 || strings.Index(listed, "outside") < strings.Index(listed, "I like milk") {
		t.Errorf("by a permission it is shown as %s", listed)
	}
	if got := w.asks("1", "1", "/new"); !strings.Contains(got, "New conversation") {
		t.Fatal(got)
	}
	last := factID.FindString(listed[strings.LastIndex(listed, "\n-"):])
	if got := w.asks("1", "1", "/memory remove "+last); !strings.Contains(got, "Removed") {
		t.Errorf("%s of %s", got, listed)
	}
	remembers("I like water", "")
	if listed := w.asks("1", "1", "/memory"); strings.Contains(listed, "outside") {
		t.Errorf("in a conversation without the page it is shown as %s", listed)
	}
	w.settled()
}

// TestAFloodOfFacts ends at a bound that the model and people see.
func TestAFloodOfFacts(t *testing.T) {
	t.Parallel()
	w := school(t)
	if got := w.asks("2", "2", "remember "+strings.Repeat("x", 501)); !strings.Contains(got, "invalid_arguments") {
		t.Errorf("a long fact: %s", got)
	}
	n := 0
	for ; n <= session.MaxFacts; n++ {
		if got := w.asks("2", "2", fmt.Sprintf("remember %d %s", n, strings.Repeat("x", 480))); !strings.Contains(got, `"id"`) {
			if !strings.Contains(got, "the memory is full") {
				t.Errorf("fact %d: %s", n, got)
			}
			break
		}
	}
	if n < 10 || n > session.MaxFactBytes/480 {
		t.Errorf("%d facts were stored", n)
	}
	if got := w.asks("2", "2", "/memory"); !strings.Contains(got, fmt.Sprintf("%d of 100", n)) {
		t.Errorf("%.200s", got)
	}
	w.settled()
}

// TestFactsOfFortyChats stay with their chats.
func TestFactsOfFortyChats(t *testing.T) {
	t.Parallel()
	w := school(t)
	var chats []string
	for i := range 40 {
		chats = append(chats, fmt.Sprintf("group%d", i))
		w.write(chats[i], "2", fmt.Sprintf("remember canary%d", i))
	}
	for range chats {
		stored(t, w.expect().Text)
	}
	for i, chat := range slices.Backward(chats) {
		if got := w.asks(chat, "3", "what do you know?"); got != fmt.Sprintf("I know: canary%d", i) {
			t.Errorf("%s: %s", chat, got)
		}
	}
	w.settled()
}

// TestAFactIsRemovedByItsIDInCapitals, alone and for another one in its place.
func TestAFactIsRemovedByItsIDInCapitals(t *testing.T) {
	t.Parallel()
	w := school(t)
	first := stored(t, w.asks("2", "2", "remember I like tea"))
	second := stored(t, w.asks("2", "2", "remember I like milk"))
	w.asks("2", "2", "forget "+strings.ToUpper(first))
	w.asks("2", "2", "replace "+strings.ToUpper(second)+" I like coffee")
	if got := w.asks("2", "2", "what do you know?"); got != "I know: I like coffee" {
		t.Error(got)
	}
	w.settled()
}
