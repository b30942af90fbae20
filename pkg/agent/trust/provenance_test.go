package trust_test

import (
	"testing"

	"parley/pkg/agent/trust"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

func said(sender, text string) session.Item {
	return session.Item{Inbound: &channels.Inbound{Sender: channels.Sender{ID: sender}, Text: text}}
}

// TestNamedAddresses: a person names an address by writing it as a whole.
func TestNamedAddresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, address string
		want          bool
	}{
		"as it is":                 {"look at https://example.org/a", "https://example.org/a", true},
		"without a scheme":         {"look at example.org", "https://example.org/", true},
		"in capitals":              {"Example.ORG, please", "example.org", true},
		"at the end of a sentence": {"I mean example.org. Thanks", "example.org", true},
		"the end of another name":  {"look at notexample.org", "example.org", false},
		"part of a longer name":    {"look at example.org.evil.test", "example.org", false},
		"part of a mail address":   {"write to me@example.org", "example.org", false},
		"first within, then whole": {"not xexample.org but example.org", "example.org", true},
		"another one":              {"look at example.com", "example.org", false},
		"an empty address":         {"look at example.com", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p trust.Provenance
			p.AddItems([]session.Item{said("1", c.text)})
			if got := p.Named(c.address); got != c.want {
				t.Errorf("Named(%q) after %q: %v", c.address, c.text, got)
			}
		})
	}
}

// TestContentFromOutsideTaints: each way in which such content comes taints the turn
// for good, and names no address; words of people and results of own tools have no such
// effect.
func TestContentFromOutsideTaints(t *testing.T) {
	t.Parallel()
	const address = "evil.test"
	file, forwarded := said("1", address), said("1", address)
	file.Inbound.Attachments = []channels.Attachment{{Name: "a.txt"}}
	forwarded.Inbound.Forwarded = true
	world, search := tools.Annotations{OpenWorld: true}, tools.Annotations{OpenWorld: true, Searches: true}
	for name, c := range map[string]struct {
		add            func(p *trust.Provenance)
		tainted, named bool
	}{
		"a message":             {func(p *trust.Provenance) { p.AddItems([]session.Item{said("1", address)}) }, false, true},
		"a file":                {func(p *trust.Provenance) { p.AddItems([]session.Item{file}) }, true, false},
		"a forwarded message":   {func(p *trust.Provenance) { p.AddItems([]session.Item{forwarded}) }, true, false},
		"a result of a task":    {func(p *trust.Provenance) { p.AddItems([]session.Item{{TaskID: "1", Text: address}}) }, false, false},
		"a local result":        {func(p *trust.Provenance) { p.AddResult("c", tools.Annotations{}, address) }, false, false},
		"findings of a search":  {func(p *trust.Provenance) { p.AddResult("c", search, address) }, true, true},
		"an own tool's result":  {func(p *trust.Provenance) { p.AddResult("c", world, address) }, true, false},
		"the order of an agent": {func(p *trust.Provenance) { p.AddNamed(address) }, false, true},
		"a page": {func(p *trust.Provenance) {
			p.ChoosesAddress("c")
			p.AddResult("c", world, address)
		}, true, false},
		"a program that read a file of others": {func(p *trust.Provenance) {
			p.Brings("c")
			p.AddResult("c", tools.Annotations{}, address)
		}, true, false},
		"tainted work": {(*trust.Provenance).Taint, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p trust.Provenance
			c.add(&p)
			p.AddItems([]session.Item{said("1", "and on")})
			if p.Tainted() != c.tainted || p.Named(address) != c.named {
				t.Errorf("tainted %v, named %v", p.Tainted(), p.Named(address))
			}
		})
	}
}

// TestSeveralPeople counts the senders of a turn's messages.
func TestSeveralPeople(t *testing.T) {
	t.Parallel()
	var p trust.Provenance
	p.AddItems([]session.Item{said("1", "a"), said("1", "b"), {TaskID: "2"}})
	if p.SeveralPeople() {
		t.Error("one person counts as several")
	}
	p.AddItems([]session.Item{said("2", "c")})
	if !p.SeveralPeople() {
		t.Error("two people count as one")
	}
}

// TestAComposedCallThatBringsContent: of a call that makes other calls it is known
// whether it brought content from outside after the decision on it.
func TestAComposedCallThatBringsContent(t *testing.T) {
	t.Parallel()
	var p trust.Provenance
	deed := policy.Deed{Tool: "sequence", Steps: []policy.Deed{{Tool: "write_file"}}}
	p.BeginsComposed("c", deed)
	if p.TaintedSinceDecision("c") {
		t.Error("tainted before it brought anything")
	}
	p.Brings("c")
	if !p.TaintedSinceDecision("c") {
		t.Error("not tainted by the content that it brought")
	}
	if got := p.Composed("c"); !got.Tainted || !got.Steps[0].Tainted {
		t.Errorf("the deed with that content: %+v", got)
	}
	if deed.Steps[0].Tainted {
		t.Error("the caller's deed was changed")
	}
	p.BeginsComposed("d", policy.Deed{Tool: "sequence", Tainted: true})
	p.Brings("d")
	if p.TaintedSinceDecision("d") {
		t.Error("a call that was decided on as tainted")
	}
}

// TestWordsOfOthersTaint: an answer or a result that a program brings along may hold anything;
// the words of its person name addresses.
func TestWordsOfOthersTaint(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]bool{"user": false, "assistant": true, "tool": true} {
		var p trust.Provenance
		p.AddItems([]session.Item{{Inbound: &channels.Inbound{Wish: &channels.Wish{Said: []channels.Said{
			{Role: "user", Text: "see example.org"}, {Role: role, Text: "see evil.example"},
		}}}}})
		if p.Tainted() != want || !p.Named("https://example.org/") || p.Named("https://evil.example") == want {
			t.Errorf("%s: tainted %v", role, p.Tainted())
		}
	}
}

// TestSpokenWords: the words of a recording that its sender made in the chat are the sender's own, and
// those of every other recording are content from outside.
func TestSpokenWords(t *testing.T) {
	t.Parallel()
	own, file := channels.Attachment{Name: "voice.ogg", Voice: true}, channels.Attachment{Name: "talk.ogg"}
	for name, c := range map[string]struct {
		files          []channels.Attachment
		forwarded      bool
		words          []string
		tainted, named bool
	}{
		"a voice message":             {[]channels.Attachment{own}, false, []string{"look at example.org"}, false, true},
		"two":                         {[]channels.Attachment{own, own}, false, []string{"look at", "example.org"}, false, true},
		"without words":               {[]channels.Attachment{own}, false, nil, true, false},
		"two, one of them unheard":    {[]channels.Attachment{own, own}, false, []string{"look at example.org"}, true, true},
		"forwarded":                   {[]channels.Attachment{own}, true, []string{"look at example.org"}, true, false},
		"a sound file":                {[]channels.Attachment{file}, false, []string{"look at example.org"}, true, false},
		"a voice message with a file": {[]channels.Attachment{own, file}, false, []string{"look at example.org", "x"}, true, false},
		"no recording":                {nil, false, []string{"look at example.org"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p trust.Provenance
			it := said("1", "listen")
			it.Inbound.Attachments, it.Inbound.Forwarded = c.files, c.forwarded
			p.AddItems([]session.Item{it})
			p.AddSpoken(it.Inbound, c.words)
			if p.Tainted() != c.tainted || p.Named("example.org") != c.named {
				t.Errorf("tainted %v, named %v", p.Tainted(), p.Named("example.org"))
			}
		})
	}
}
