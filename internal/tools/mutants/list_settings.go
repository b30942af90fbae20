package mutants

import "slices"

// settingMutants break the promises of the section "Configuration".
func settingMutants() []Mutant {
	return slices.Concat(wordMutants(), composedMutants(), secretMutants())
}

// wordMutants let words without meaning pass.
func wordMutants() []Mutant {
	const gateway, conf, without = "cmd/gateway", "pkg/config", "^TestConfigurationWithoutMeaning$"
	return []Mutant{
		{
			Promise: "settings: who", Defect: "takes any channel for one",
			File: "pkg/policy/place.go", Old: "!slices.Contains(known, p.Channel):", New: "!slices.Contains(known, p.Channel) && p.Channel == s:",
			Dir: gateway, Test: without + "/^chats$",
		},
		{
			Promise: "settings: who", Defect: "lets the owner of a misspelt channel pass",
			File: "pkg/policy/principal.go", Old: `name != "" && !slices.Contains(channels, name)`, New: `name != "" && !slices.Contains(channels, name) && name == s`,
			Dir: gateway, Test: without + "/^owners$",
		},
		{
			Promise: "settings: who", Defect: "knows bots that are not here",
			File: conf + "/telegram.go", Old: "ok && named && !slices.Contains(ids, id)", New: "ok && named && id == s",
			Dir: gateway, Test: without + "/^a_bot_that_is_not_here$",
		},
		{
			Promise: "settings: budgets", Defect: "counts half a price",
			File: conf + "/models.go", Old: `[]string{"input", "output"}`, New: `[]string{"input"}`,
			Dir: gateway, Test: without + "/^budgets$",
		},
		{
			Promise: "settings: hidden characters", Defect: "reads comments with anything in them",
			File: "pkg/strictyaml/text.go", Old: "case unicode.IsControl(r):", New: "case r > unicode.MaxRune:",
			Dir: gateway, Test: without + "/^NUL_in_a_comment$",
		},
		{
			Promise: "settings: hidden characters", Defect: "takes what is escaped",
			File: "pkg/strictyaml/text.go", Old: "case i >= 0:", New: "case i > len(s):",
			Dir: gateway, Test: without + "/^NUL_in_a_value$",
		},
		{
			Promise: "settings: folders", Defect: "looks only at the folder itself",
			File: conf + "/folders.go", Old: "case err == nil || filepath.Dir(at) == at:", New: "case err != nil || filepath.Dir(at) != at:",
			Dir: gateway, Test: without + "/^below_a_file$",
		},
		{
			Promise: "settings: folders", Defect: "compares folders by their names",
			File: conf + "/folders.go", Old: "case within(space, state):", New: "case within(c.cfg.Workspace, c.cfg.StateDir):",
			Dir: gateway, Test: without + "/^state_behind_a_link$",
		},
		{
			Promise: "settings: rules of tools", Defect: "takes a rule that asks nobody",
			File: "pkg/gateway/toolset/check.go", Old: `rule == "never" || changes(an) ||`, New: `rule != "" || changes(an) ||`,
			Dir: gateway, Test: without + "/^rules$",
		},
		{
			Promise: "settings: models", Defect: "asks models behind the one that always answers",
			File: conf + "/choice.go", Old: `m != nil && m.Provider == "offline" {`, New: `m == nil {`,
			Dir: gateway, Test: without + "/^models$",
		},
		{
			Promise: "settings: lists and names", Defect: "takes an entry twice",
			File: "pkg/strictyaml/walk.go", Old: "first, twice := seen[element.Interface()]; twice",
			New: "first, twice := seen[element.Interface()]; twice && first > i",
			Dir: gateway, Test: without + "/^programs_and_files$",
		},
		{
			Promise: "settings: lists and names", Defect: "listens twice at one address",
			File: conf + "/addresses.go", Old: `l.host == host || l.host == ""`, New: `l.host == host && l.host != "" || l.host == "none"`,
			Dir: gateway, Test: without + "/^channels$",
		},
	}
}

// composedMutants let composed tools pass that cannot work.
func composedMutants() []Mutant {
	const gateway, without = "cmd/gateway", "^TestConfigurationWithoutMeaning$"
	return []Mutant{
		{
			Promise: "settings: composed tools", Defect: "lets a step go to the background",
			File: "pkg/tools/composed/check.go", Old: `async && args["background"] == true`, New: `async && args["background"] == "yes"`,
			Dir: gateway, Test: without + "/^composed$",
		},
		{
			Promise: "settings: composed tools", Defect: "runs into a step that is off",
			File: "pkg/gateway/toolset/check.go", Old: "case slices.Contains(t.Disabled, name):",
			New: "case slices.Contains(t.Disabled, name+name):",
			Dir: gateway, Test: without + "/^composed$",
		},
		{
			Promise: "settings: composed tools", Defect: "sees a circle only where a tool calls itself",
			File: "pkg/tools/composed/nesting.go", Old: "next = append(next, tool)", New: "_ = next",
			Dir: gateway, Test: without + "/^composed_in_circles$",
		},
		{
			Promise: "settings: composed tools", Defect: "leaves the last tool out of the depth",
			File: "pkg/tools/composed/nesting.go", Old: "if len(path) <= depth {", New: "if len(path) <= depth+1 {",
			Dir: gateway, Test: without + "/^composed_too_deep$",
		},
	}
}

// secretMutants break the rest of the section.
func secretMutants() []Mutant {
	const gateway, conf = "cmd/gateway", "pkg/config"
	return []Mutant{
		{
			Promise: "settings: unused secrets", Defect: "forgets what is switched off",
			File: conf + "/load.go", Old: "cfg.spare = append(cfg.spare, value)", New: "cfg.spare = append(cfg.spare, value[:0])",
			Dir: gateway, Test: "^TestScripts$/^secrets_unused$",
		},
		{
			Promise: "settings: unused secrets", Defect: "forgets an unused secret that others can read",
			File: conf + "/secret.go", Old: "if r.spare {", New: "if r.spare && path == \"\" {",
			Dir: gateway, Test: "^TestScripts$/^secrets_unused$",
		},
		{
			Promise: "settings: unused secrets", Defect: "takes ordinary words for secrets",
			File: gateway + "/environment.go", Old: "len(s) < minEnvironmentSecret ||", New: "len(s) < minEnvironmentSecret/16 ||",
			Dir: gateway, Test: "^TestScripts$/^secrets_unused$",
		},
		{
			Promise: "settings: unused secrets", Defect: "looks at no variable",
			File: gateway + "/environment.go", Old: "return strings.HasSuffix(name, end)", New: `return name+"?" == end`,
			Dir: gateway, Test: "^TestScripts$/^secrets_unused$",
		},
		{
			Promise: "settings: where and when", Defect: "takes a wrong place for a failure",
			File: "pkg/gateway/config.go", Old: `return admin.WithCode(admin.CodeUsage, fmt.Errorf("%w: make the folder writable`, New: `return admin.WithCode(admin.CodeFailed, fmt.Errorf("%w: make the folder writable`,
			Dir: gateway, Test: "^TestScripts$/^init$",
		},
		{
			Promise: "settings: where and when", Defect: "takes any word for a day",
			File: "pkg/gateway/admin/usage.go", Old: `day != "" && err != nil {`, New: `day == "" && err == nil {`,
			Dir: gateway, Test: "^TestScripts$/^usage$",
		},
		{
			Promise: "settings: documents", Defect: "refuses the heartbeat that the document shows",
			File: conf + "/schedules.go", Old: "!slices.Contains(c.cfg.Owners, to)", New: "!slices.Contains(a.Fallbacks, to)",
			Dir: gateway, Test: "^TestConfigurationInDocuments$/^schedules$",
		},
		{
			Promise: "settings: the webhook's address", Defect: "passes Telegram's words on without a cure",
			File: "pkg/channels/telegram/inbound/webhook.go",
			Old:  "ok && ae.Code == http.StatusBadRequest {", New: "ok && ae.Code == http.StatusOK {",
			Dir: "pkg/channels/telegram", Test: "^TestARefusedWebhook$",
		},
		{
			Promise: "settings: macOS", Defect: "asks Linux who calls",
			File: "pkg/gateway/socket/peer_darwin.go", Old: "unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)",
			New: "unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)",
			Dir: ".", Test: "^TestReleaseForMacOS$",
		},
		{
			Promise: "settings: exact places", Defect: "leaves it to chance",
			File: "pkg/policy/place.go", Old: "n += 1 << i", New: "n += 1 + 0*i",
			Dir: "pkg/policy", Test: "^TestThreadsAreMoreExactThanAccounts$",
		},
	}
}
