package fakeslack_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBlocks holds blocks to Slack's limits: one too many is refused with Slack's
// words, the most that is allowed is taken.
func TestBlocks(t *testing.T) {
	t.Parallel()
	of := func(n int) string { return strings.Repeat("x", n) }
	section := func(text string) string {
		return `[{"type":"section","text":{"type":"mrkdwn","text":"` + text + `"}}]`
	}
	actions := func(elements string) string { return `[{"type":"actions","elements":[` + elements + `]}]` }
	button := func(text, more string) string {
		return `{"type":"button","text":{"type":"plain_text","text":"` + text + `"}` + more + `}`
	}
	many := func(one string, n int) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	numbered := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, button("x", fmt.Sprintf(`,"action_id":"a%d"`, i)))
		}
		return strings.Join(all, ",")
	}
	markdown := func(n int) string { return `{"type":"markdown","text":"` + of(n) + `"}` }
	for name, c := range map[string]struct{ blocks, want string }{
		"50":            {`[` + many(`{"type":"divider"}`, 50) + `]`, ""},
		"51":            {`[` + many(`{"type":"divider"}`, 51) + `]`, "no more than 50 items allowed [json-pointer:/blocks]"},
		"section":       {section(of(3000)), ""},
		"long section":  {section(of(3001)), "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"},
		"empty section": {section(""), "must be more than 0 characters [json-pointer:/blocks/0/text/text]"},
		"no text":       {`[{"type":"section"}]`, "missing required field: text [json-pointer:/blocks/0]"},
		"no type":       {`[{}]`, "missing required field: type [json-pointer:/blocks/0]"},
		"unknown type":  {`[{"type":"hologram"}]`, "unsupported type: hologram [json-pointer:/blocks/0/type]"},
		"unknown field": {`[{"type":"divider","colour":"red"}]`, "invalid additional property: colour [json-pointer:/blocks/0]"},
		"wrong text":    {`[{"type":"section","text":"x"}]`, "must be a valid object [json-pointer:/blocks/0/text]"},
		"markdown":      {`[` + markdown(12000) + `]`, ""},
		"much markdown": {
			`[` + markdown(6000) + `,` + markdown(6001) + `]`,
			"markdown blocks must be less than 12001 characters together [json-pointer:/blocks]",
		},
		"much text":         {`[` + markdown(12000) + `,` + section(of(1300))[1:], "msg_blocks_too_long"},
		"25 buttons":        {actions(numbered(25)), ""},
		"26 buttons":        {actions(numbered(26)), "no more than 25 items allowed [json-pointer:/blocks/0/elements]"},
		"no buttons":        {actions(""), "no less than 1 items allowed [json-pointer:/blocks/0/elements]"},
		"button":            {actions(button(of(75), `,"value":"`+of(2000)+`","action_id":"`+of(255)+`"`)), ""},
		"long button":       {actions(button(of(76), "")), "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]"},
		"long value":        {actions(button("x", `,"value":"`+of(2001)+`"`)), "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]"},
		"long action":       {actions(button("x", `,"action_id":"`+of(256)+`"`)), "must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]"},
		"same action":       {actions(button("x", `,"action_id":"a"`) + "," + button("y", `,"action_id":"a"`)), `action_id "a" already exists [json-pointer:/blocks/0/elements/1/action_id]`},
		"same block":        {`[{"type":"divider","block_id":"b"},{"type":"divider","block_id":"b"}]`, `block_id "b" already exists [json-pointer:/blocks/1/block_id]`},
		"a mrkdwn button":   {actions(`{"type":"button","text":{"type":"mrkdwn","text":"x"}}`), "unsupported type: mrkdwn [json-pointer:/blocks/0/elements/0/text/type]"},
		"a button's style":  {actions(button("x", `,"style":"shy"`)), "must be one of primary, danger [json-pointer:/blocks/0/elements/0/style]"},
		"an accessory":      {`[{"type":"section","text":{"type":"plain_text","text":"x"},"accessory":` + button(of(76), "") + `}]`, "must be less than 76 characters [json-pointer:/blocks/0/accessory/text/text]"},
		"a long header":     {`[{"type":"header","text":{"type":"plain_text","text":"` + of(151) + `"}}]`, "must be less than 151 characters [json-pointer:/blocks/0/text/text]"},
		"context":           {`[{"type":"context","elements":[` + many(`{"type":"mrkdwn","text":"x"}`, 11) + `]}]`, "no more than 10 items allowed [json-pointer:/blocks/0/elements]"},
		"11 fields":         {`[{"type":"section","fields":[` + many(`{"type":"mrkdwn","text":"x"}`, 11) + `]}]`, "no more than 10 items allowed [json-pointer:/blocks/0/fields]"},
		"taken as they are": {`[{"type":"rich_text","elements":[]},{"type":"image","image_url":"x","alt_text":"y"}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.call("chat.postMessage", map[string]string{"channel": w.dm.ID(), "text": "x", "blocks": c.blocks})
			switch {
			case c.want == "":
				if !r.OK {
					t.Errorf("refused: %s %q", r.Error, r.Metadata.Messages)
				}
			case r.Error == c.want:
			case r.Error != "invalid_blocks" || !slices.Contains(r.Metadata.Messages, "[ERROR] "+c.want):
				t.Errorf("got %s %q, want %q", r.Error, r.Metadata.Messages, c.want)
			}
		})
	}
}

// TestText checks the text that a person reads of the bot's messages.
func TestText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := "<@" + w.ann.ID + ">"
	for name, c := range map[string]struct{ mrkdwn, markdown, want string }{
		"plain":         {"a b", "a b", "a b"},
		"entities":      {"a &lt;b&gt; &amp;amp;", "a &lt;b&gt; &amp;amp;", "a <b> &amp;"},
		"emphasis":      {"*a* _b_ ~c~ `d`", "**a** *b* ~~c~~ `d`", "a b c d"},
		"none of it":    {"2*3*4 a_b_c ~", "2 * 3 a_b_c ~", ""},
		"code":          {"```\nx *y* &lt;\n```", "```go\nx *y* <\n```", "x *y* <"},
		"code verbatim": {"", "```\nx &lt;\n```\n\n`&amp;`", "x &lt;\n\n&amp;"},
		"a link":        {"<https://example.org|here>", "[here](https://example.org)", "here"},
		"a bare link":   {"<https://example.org>", "<https://example.org>", "https://example.org"},
		"people":        {ann + " <!here> <!subteam^S1|@devs>", ann + " <!here> <!subteam^S1|@devs>", "@ann @here @devs"},
		"quote":         {"> a\n> b", "> a\n> b", "a\nb"},
		"unseen":        {"&lt;\u200b!here&gt;", "<\u200b!here>", "<!here>"},
		"lines":         {"a\nb\n\nc", "a\nb\n\nc", "a\nb\n\nc"},
		"list":          {"• a\n• b", "- a\n- b", "• a\n• b"},
		"numbered":      {"2. a\n3. b", "2. a\n3. b", "2. a\n3. b"},
		"heading":       {"*A*\n\nb", "# A\n\nb", "A\n\nb"},
		"backslashes":   {"", `\*a\* \<!channel\>`, "*a* <!channel>"},
		"table":         {"", "| a | b |\n|---|---|\n| 1 | **2** |", "a | b\n1 | 2"},
		"HTML as it is": {"", "a <b>c</b>", "a <b>c</b>"},
	} {
		unfurl := map[string]string{"channel": w.dm.ID(), "unfurl_links": "false", "unfurl_media": "false"}
		for field, text := range map[string]string{"text": c.mrkdwn, "markdown_text": c.markdown} {
			if text == "" {
				continue
			}
			want := c.want
			if want == "" {
				want = text
			}
			unfurl[field] = text
			if r := w.call("chat.postMessage", unfurl); !r.OK {
				t.Fatal(r.Error)
			}
			delete(unfurl, field)
			all := w.dm.Texts()
			if got := all[len(all)-1]; got != want {
				t.Errorf("%s: %s reads %q, want %q", name, field, got, want)
			}
		}
	}
}

func TestTextOfBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.call("chat.postMessage", map[string]string{"channel": w.dm.ID(), "blocks": `[
		{"type":"header","text":{"type":"plain_text","text":"*H*"}},
		{"type":"section","text":{"type":"mrkdwn","text":"*s*"},"fields":[{"type":"plain_text","text":"f"}]},
		{"type":"context","elements":[{"type":"mrkdwn","text":"_c_"}]},
		{"type":"table","rows":[[{"type":"raw_text","text":"1"},{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"2"}]}]}]]},
		{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"broadcast","range":"here"},{"type":"text","text":"!"}]}]},
		{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"B"}}]}]`})
	if !r.OK {
		t.Fatal(r.Metadata.Messages)
	}
	if diff := cmp.Diff([]string{"*H*\ns\nf\nc\n1 | 2\n@here!"}, w.dm.Texts()); diff != "" {
		t.Error(diff)
	}
}

// TestNotified checks whom a message would notify, in each place where it could.
func TestNotified(t *testing.T) {
	t.Parallel()
	in := func(kind string) func(string) map[string]string {
		return func(text string) map[string]string {
			quoted, _ := json.Marshal(text)
			return map[string]string{"blocks": `[{"type":"section","text":{"type":"` + kind + `","text":` + string(quoted) + `}}]`}
		}
	}
	places := map[string]func(string) map[string]string{
		"text":    func(text string) map[string]string { return map[string]string{"text": text} },
		"section": in("mrkdwn"),
		"markdown": func(text string) map[string]string {
			return map[string]string{"markdown_text": text}
		},
		"plain": in("plain_text"),
		"links": func(text string) map[string]string { return map[string]string{"text": text, "link_names": "true"} },
	}
	for name, c := range map[string]struct {
		text  string
		want  []string
		plain []string // plain text has none
		named []string // with link_names, when it differs
	}{
		"channel":      {"x <!channel> y", []string{"!channel"}, nil, nil},
		"labelled":     {"<!here|here>", []string{"!here"}, nil, nil},
		"a person":     {"<@U0AB|ann> <@U0AB>", []string{"U0AB"}, nil, nil},
		"a user group": {"<!subteam^S0AB|@x>", []string{"S0AB"}, nil, nil},
		"in code":      {"`<!everyone>`", []string{"!everyone"}, nil, nil},
		"escaped":      {"&lt;!channel&gt; &lt;@U0AB&gt;", nil, nil, nil},
		"a date":       {"<!date^1^{date}|x>", nil, nil, nil},
		"bare":         {"@channel", nil, nil, []string{"!channel"}},
	} {
		for place, params := range places {
			t.Run(name+" in "+place, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				want := c.want
				switch {
				case place == "plain":
					want = c.plain
				case place == "links" && c.named != nil:
					want = c.named
				}
				post := params(c.text)
				post["channel"] = w.hub.ID()
				if r := w.call("chat.postMessage", post); !r.OK {
					t.Fatal(r.Error)
				}
				if diff := cmp.Diff(want, w.hub.Messages()[0].Notified); diff != "" {
					t.Error(diff)
				}
				w.call("chat.update", map[string]string{"channel": w.hub.ID(), "ts": w.hub.Messages()[0].TS, "text": "x", "blocks": "[]"})
				if diff := cmp.Diff(want, w.srv.Notified()); diff != "" {
					t.Errorf("since the start: %s", diff)
				}
			})
		}
	}
}
