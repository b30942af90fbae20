package mutants

// choiceMutants break the promises about the choice of the model.
func choiceMutants() []Mutant {
	const set = "pkg/gateway/modelset"
	return []Mutant{
		{
			Promise: "model: chosen", Defect: "lets everybody choose",
			File: "pkg/agent/command/model.go", Old: "case !may:", New: "case !may && len(choices) > 100:",
			Dir: "pkg/agent", Test: "^TestAChatChoosesItsModel$",
		},
		{
			Promise: "model: chosen", Defect: "keeps the model of a chat that is forgotten",
			File: "pkg/session/engine/rules/forget.go", Old: "table.Zones, table.Models,", New: "table.Zones,",
			Dir: "pkg/session/engine", Test: "^TestConformance$/^facts$/^the_model_is_forgotten_with_the_chat$",
		},
		{
			Promise: "model: purposes", Defect: "summarises with the usual model what a chat says to its own",
			File: set + "/set.go", Old: "order := []string{s.roles[string(role)], chosen, in}", New: "order := []string{s.roles[string(role)]}",
			Dir: set, Test: "^TestFor$",
		},
		{
			Promise: "model: effort and pictures", Defect: "forgets the effort of the chat",
			File: set + "/models.go", Old: `if k != "max_tokens" && k != "temperature" {`, New: `if k == "" {`,
			Dir: set, Test: "^TestEffort$",
		},
		{
			Promise: "model: effort and pictures", Defect: "does not learn that an effort is refused",
			File: "pkg/providers/openai/quirks.go", Old: `k.unsaidEffort = true`, New: `_ = k`,
			Dir: "pkg/providers/openai", Test: "^TestEffortIsRefused$",
		},
		{
			Promise: "model: effort and pictures", Defect: "does not learn that tools are taken only without reasoning",
			File: "pkg/providers/openai/quirks.go", Old: `withTools && !k.noEffort`, New: `withTools && k.noEffort`,
			Dir: "pkg/providers/openai", Test: "^TestToolsWithoutReasoning$",
		},
		{
			Promise: "model: effort and pictures", Defect: "shows no pictures where the file says nothing of them",
			File: "pkg/config/models.go", Old: `|| sees != nil && sees(m)`, New: ``,
			Dir: "pkg/config", Test: "^TestPicturesByTheRow$",
		},
		{
			Promise: "model: purposes", Defect: "forces a call of a tool that is not offered",
			File: "pkg/agent/turn/models.go", Old: "can = offered.Enabled(name)", New: `can = name != ""`,
			Dir: "pkg/agent", Test: "^TestToolChoiceOfAModel$",
		},
		{
			Promise: "model: keys", Defect: "asks with the first key alone",
			File: set + "/models.go", Old: "for i := range keys[1:] {", New: "for i := range keys[len(keys):] {",
			Dir: set, Test: "^TestKeysAndFallbacks$",
		},
		{
			Promise: "check of a model", Defect: "succeeds where a model cannot use tools",
			File: "pkg/gateway/models.go", Old: "failed || !r.WellFormed()", New: "failed || !r.WellFormed() && r.Err == nil",
			Dir: "cmd/gateway", Test: "^TestModelsTestFails$",
		},
		{
			Promise: "check of a model", Defect: "asks several models of one program at once",
			File: set + "/check.go", Old: "here && ok {", New: "here && ok && g > len(names) {",
			Dir: set, Test: "^TestCheckSideBySide$",
		},
		{
			Promise: "model: chosen", Defect: "introduces a console by the model of other chats",
			File: "pkg/gateway/models.go", Old: "if a.o.Console {", New: "if a.o.Console && a.o.Operate {",
			Dir: "cmd/gateway", Test: "^TestScripts$/^model_choice$",
		},
		{
			Promise: "settings: choice of models", Defect: "takes a model named default that does not answer",
			File: "pkg/config/choice.go", Old: `strings.EqualFold(name, "default") && others`, New: `name == "default" && others && len(c.cfg.Chats) > 0`,
			Dir: "pkg/config", Test: "^TestChoiceRefuses$",
		},
		{
			Promise: "settings: choice of models", Defect: "takes a role for a model that is not there",
			File: "pkg/config/choice.go", Old: "!c.written(path) || !c.offers(path, roles[role])", New: "!c.written(path) || len(c.cfg.Models) == 0",
			Dir: "pkg/config", Test: "^TestChoiceRefuses$",
		},
	}
}
