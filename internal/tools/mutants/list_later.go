package mutants

// laterMutants break the offline model's schedules and background work, and the state
// that a kill of such work must leave.
func laterMutants() []Mutant {
	const offline, kill = "pkg/providers/offline", "internal/test/kill"
	return []Mutant{
		{
			Promise: "offline model: later", Defect: "takes half past nine in the evening for the morning",
			File: offline + "/when.go", Old: `			h += 12`, New: `			h += 0`,
			Dir: offline, Test: "^TestUnderstandsWhatIsForLater$",
		},
		{
			Promise: "offline model: later", Defect: "schedules what it cannot do",
			File: offline + "/later.go", Old: "func (l later) prompt(when, text string) []piece {\n\tif !l.known(text) {",
			New: "func (l later) prompt(when, text string) []piece {\n\tif text == \"\" {",
			Dir: offline, Test: "^TestUnderstandsWhatIsForLater$",
		},
		{
			Promise: "offline model: later", Defect: "forgets what waits for the time zone",
			File: offline + "/zone.go", Old: `open != nil || !strings.HasPrefix(m.Content, noZone)`, New: `open != nil || strings.HasPrefix(m.Content, noZone)`,
			Dir: offline, Test: "^TestAsksForTheTimeZone$",
		},
		{
			Promise: "offline model: later", Defect: "introduces itself in a background agent's report",
			File: offline + "/turn.go", Old: `t.first = t.first && !strings.Contains(m.Content, agentMark)`, New: `t.first = t.first && m.Content != agentMark`,
			Dir: offline, Test: "^TestABackgroundAgentSaysNothingOfItself$",
		},
		{
			Promise: "offline model: later", Defect: "takes tomorrow for today",
			File: "pkg/tools/schedule/named.go", Old: "	case \"TOMORROW\":\n\t\treturn t.AddDate(0, 0, 1), true",
			New: "	case \"TOMORROW\":\n\t\treturn t, true",
			Dir: offline, Test: "^TestRemindersWithTheRealTool$",
		},
		{
			Promise: "background work: killed", Defect: "says nothing of the tasks that died with the process",
			File: "pkg/agent/task/lost.go", Old: "\t\t\t\tts.endLost(ctx, t)", New: "\t\t\t\tts.lost.told(t.Chat)",
			Dir: kill, Test: "^TestKillBackgroundWorkOnTelegram$/^T3_background$",
		},
	}
}
