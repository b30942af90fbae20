package mutants

// scheduleMutants break when jobs are due, and which a chat may make.
func scheduleMutants() []Mutant {
	const dir = "pkg/tools/schedule"
	const times, nights, jobs, hostile = "schedules: times", "schedules: nights", "schedules: jobs", "schedules: hostile"
	return []Mutant{
		{
			Promise: nights, Defect: "leaves out a time that the clocks jump over",
			File: dir + "/cron.go", Old: `if from.Before(left) {`, New: `if from.Before(left) && s.end.IsZero() {`,
			Dir: dir, Test: "^TestNext$",
		},
		{
			Promise: nights, Defect: "takes a time twice that the clocks show twice",
			File: dir + "/cron.go", Old: `if first.Before(from) {`, New: `if first.Before(from) || s.ahead != s.before {`,
			Dir: dir, Test: "^TestNext$",
		},
		{
			Promise: nights, Defect: "stops the quarters of an hour while the clocks show them again",
			File: dir + "/cron.go", Old: `real: fields.Hour&allHours == allHours`, New: `real: fields.Hour == 0`,
			Dir: dir, Test: "^TestEachQuarterOfAnHour$",
		},
		{
			Promise: times, Defect: "believes that a leap year has 365 days",
			File: dir + "/zone.go", Old: `if !end.IsZero() && !end.After(t) {`, New: `if end.IsZero() && end.After(t) {`,
			Dir: dir, Test: "^TestNext$",
		},
		{
			Promise: times, Defect: "repeats a run where the clock was put back",
			File: dir + "/spec.go", Old: `return s.Next(due)`, New: `return s.Next(now)`,
			Dir: dir, Test: "^TestFollowing$",
		},
		{
			Promise: times, Defect: "runs once for each run that was missed",
			File: dir + "/spec.go", Old: `due.Add(now.Sub(due).Truncate(p.every))`, New: `due`,
			Dir: dir, Test: "^TestFollowing$",
		},
		{
			Promise: jobs, Defect: "makes a second job when a call is made again",
			File: dir + "/tool.go", Old: `if key == "" {`, New: `if key != "" {`,
			Dir: dir, Test: "^TestACallThatIsMadeAgainMakesNoSecondJob$",
		},
		{
			Promise: jobs, Defect: "forgets the zone that was given",
			File: dir + "/tool.go", Old: `if zone != "" {`, New: `if zone == "UTC" {`,
			Dir: dir, Test: "^TestZones$",
		},
		{
			Promise: hostile, Defect: "gives the library an expression that names its zone",
			File: dir + "/cron.go", Old: `strings.Contains(expression, "="):`, New: `strings.HasPrefix(expression, "="):`,
			Dir: dir, Test: "^TestHostileJobs$",
		},
		{
			Promise: hostile, Defect: "lets a chat have jobs without end",
			File: dir + "/tool.go", Old: `if len(jobs) >= d.PerChat {`, New: `if len(jobs) >= d.PerChat<<20 {`,
			Dir: dir, Test: "^TestEveryMinuteAThousandTimes$",
		},
	}
}
