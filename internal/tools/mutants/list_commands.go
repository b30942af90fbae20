package mutants

// commandMutants break the commands of the chats.
func commandMutants() []Mutant {
	const unknown, table = "commands: those that there are not", "commands: one table"
	const room, agent = "pkg/agent/command", "pkg/agent"
	return []Mutant{
		{
			Promise: unknown, Defect: "asks the model about a mistyped command",
			File: room + "/commands.go", Old: "return it.Solo // earlier", New: "return it.Solo && known // earlier",
			Dir: agent, Test: "^TestCommandsAnswerWithoutAModel$",
		},
		{
			Promise: unknown, Defect: "lets a mistyped command join a turn",
			File: agent + "/intake.go", Old: "command.Is(m.Text)", New: `command.Name(m.Text) != ""`,
			Dir: agent, Test: "^TestACommandStandsAlone$",
		},
		{
			Promise: unknown, Defect: "takes a path for a command",
			File: room + "/parse.go", Old: "r != '_' && r != '-'", New: "r != '_' && r != '-' && r != '/'",
			Dir: agent, Test: "^TestAPathIsAMessage$",
		},
		{
			Promise: unknown, Defect: "sees no swapped letters",
			File: room + "/parse.go", Old: "rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)", New: "rows[i][j] = min(rows[i][j], rows[i-2][j-2]+2)",
			Dir: room, Test: "^TestNear$|^TestTyped$",
		},
		{
			Promise: table, Defect: "offers the page where there is none",
			File: "pkg/gateway/commands.go", Old: `cfg.HTTP.Listen != "" && `, New: "",
			Dir: "pkg/gateway", Test: "^TestOneTableOfCommands$",
		},
		{
			Promise: table, Defect: "offers a token models that it lacks",
			File: "pkg/api/native/commands.go", Old: "if len(c.Models) > 0 {", New: "if len(c.Models) > 99 {",
			Dir: "pkg/api/native", Test: "^TestCommandsAreListed$",
		},
	}
}
