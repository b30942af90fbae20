package terminal_test

import (
	"testing"

	"parley/internal/test/terminal"
)

// TestAnAnswerGrowsWithItsCalls: the words before the calls stay, each call has a line that turns
// from running to its result, and the answer grows as Markdown.
func TestAnAnswerGrowsWithItsCalls(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	s := newWorld(t, m).chat(terminal.Options{})
	s.Say("what are 6*7 and 17*23?")
	s.Ends(`
> what are 6*7 and 17*23?

* thinking N s · Ctrl-C stops
>`)
	r := m.next()
	r.says("I work **both** out.")
	s.Ends(`
> what are 6*7 and 17*23?

I work both out.

* writing N s · Ctrl-C stops
>`)
	r.callsTool("calculator", `{"expression":"6*7"}`)
	r.callsTool("calculator", `{"expression":"17*23"}`)
	r.ends()
	r = m.next()
	s.Ends(`
I work both out.

✓ calculator: 6*7 · N ms · 42
✓ calculator: 17*23 · N ms · 391

* thinking N s · Ctrl-C stops
>`)
	r.says("# Both\n\n- 6*7 is **42**\n- 17*")
	s.Ends(`
✓ calculator: 17*23 · N ms · 391

Both

• 6*7 is 42
• 17*

* writing N s · Ctrl-C stops
>`)
	r.says("23 is `391`\n\n| sum | is |\n|---|--:|\n| 6*7 | 42 |\n")
	r.ends()
	s.Ends(`
Both

• 6*7 is 42
• 17*23 is 391

sum │ is
────┼───
6*7 │ 42

>`)
	s.Keys("C-d")
	s.Code(0)
}
