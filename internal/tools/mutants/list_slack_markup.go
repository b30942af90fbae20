package mutants

// slackMarkupMutants break the texts of Slack's adapter.
func slackMarkupMutants() []Mutant {
	const dir = "pkg/channels/slack/markup"
	return []Mutant{
		{
			Promise: "slack: mention abuse", Defect: "lets references through in Slack's own markup",
			File: dir + "/mrkdwn.go", Old: `strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")`, New: `strings.NewReplacer("&", "&amp;")`,
			Dir: dir, Test: "^TestNothingNotifies$",
		},
		{
			Promise: "slack: mention abuse", Defect: "trusts code in a block to call nobody",
			File: dir + "/markup.go", Old: `disarm(faithful(read(part)))`, New: `faithful(read(part))`,
			Dir: dir, Test: "^TestNothingNotifies$",
		},
		{
			Promise: "slack: mention abuse", Defect: "knows one spelling of < only",
			File: dir + "/escape.go", Old: `(?:lt|#0*60|#x0*3c)`, New: `(?:lx)`,
			Dir: dir, Test: "^TestNothingNotifies$",
		},
		{
			Promise: "slack: mention abuse", Defect: "shows pictures from anywhere",
			File: dir + "/escape.go", Old: `len(rest) == 1 && p.next {`, New: `len(rest) == 1 && !p.next {`,
			Dir: dir, Test: "^TestMarkup$",
		},
		{
			Promise: "slack: mention abuse", Defect: "lets @here call",
			File: dir + "/escape.go", Old: `case "channel", "here", "everyone", "group":`, New: `case "group":`,
			Dir: dir, Test: "^TestNothingNotifies$",
		},
		{
			Promise: "slack: links", Defect: "links whatever has a scheme",
			File: dir + "/dialect.go", Old: "\tdefault:\n\t\treturn \"\"\n\t}\n\ttarget = u.Scheme", New: "\t}\n\ttarget = u.Scheme",
			Dir: dir, Test: "^TestMarkup$",
		},
		{
			Promise: "slack: length", Defect: "counts an escaped character as one",
			File: dir + "/cost.go", Old: "func runeCost(r rune) int {\n\tswitch r {\n\tcase '&', '<', '>':\n\t\treturn 5",
			New: "func runeCost(r rune) int {\n\tswitch r {\n\tcase '&', '<', '>':\n\t\treturn 1",
			Dir: dir, Test: "^TestSplitHuge$",
		},
		{
			Promise: "slack: length", Defect: "forgets the language of code in the next part",
			File: dir + "/pack.go", Old: "rest.Begins = len(b.In)\n", New: "rest.Begins, rest.Language = len(b.In), \"\"\n",
			Dir: dir, Test: "^TestSplitOpensFencesAgain$",
		},
		{
			Promise: "slack: nothing is lost", Defect: "drops the row at which a table is cut",
			File: dir + "/pack.go", Old: `b.Rows[:n], b.Rows[n:]`, New: `b.Rows[:n], b.Rows[min(n+1, len(b.Rows)):]`,
			Dir: dir, Test: "^TestSplitRepeatsTheHeadOfATable$",
		},
		{
			Promise: "slack: nothing is lost", Defect: "drops the rest of a paragraph",
			File: dir + "/pack.go", Old: `if !ok || rest.empty() {`, New: `if !ok || rest.Kind == markdown.Paragraph {`,
			Dir: dir, Test: "^TestSplitLosesNothing$",
		},
		{
			Promise: "slack: nothing is lost", Defect: "lets code end its own block",
			File: dir + "/standard.go", Old: `strings.Repeat("` + "`" + `", max(3, longestRun(b.Text)+1))`, New: `"` + "```" + `"`,
			Dir: dir, Test: "^TestVerbatimIsSeenWhole$",
		},
		{
			Promise: "slack: text in", Defect: "lets names bring control characters",
			File: dir + "/read.go", Old: `case unicode.IsControl(r), unicode.Is(unicode.Cf, r):`, New: `case r == 0:`,
			Dir: dir, Test: "^TestRead$",
		},
		{
			Promise: "slack: text in", Defect: "resolves an escape that was typed by hand",
			File: dir + "/read.go", Old: `return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)`, New: `return strings.ReplaceAll(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s), "&lt;", "<")`,
			Dir: dir, Test: "^TestRead$",
		},
		{
			Promise: "slack: text in", Defect: "hears its name in another's",
			File: dir + "/read.go", Old: `if end < 0 || rest[end] != '>' || end > 0 && rest[0] != '|' {`, New: `if end < 0 || rest[end] != '>' {`,
			Dir: dir, Test: "^TestMentions$",
		},
	}
}
