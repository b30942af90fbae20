package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConfigurationWithoutMeaning: a setting without meaning, or one that leaves open
// the door it was written to close, is an error with its place and its cure. Each case
// is a file and all that is wrong with it; run says the same as config check.
func TestConfigurationWithoutMeaning(t *testing.T) {
	t.Parallel()
	const (
		channels = "write one of console, telegram, slack, web"
		telegram = "write the chat's numeric id, as in telegram:-1001234567890, and that of the topic behind #"
		never    = "so that this step always fails"
	)
	for name, c := range map[string]struct{ text, want string }{
		"owners": {`
owners:
  - telegrm:1
  - Telegram:1
  - "console:"
  - console:ann
  - telegram:help/1
  - slack:t012/U045EF6GH
  - telegram:7
  - telegram:7
agent: {heartbeat: {to: telegram:8}}
`, `
2:5: owners[0]: owner "telegrm:1": there is no channel "telegrm": ` + channels + `
3:5: owners[1]: owner "Telegram:1": there is no channel "Telegram": ` + channels + `
4:5: owners[2]: owner "console:": the console has the rights of an owner already: take it out
5:5: owners[3]: owner "console:ann": the console has the rights of an owner already: take it out
6:5: owners[4]: owner "telegram:help/1": "help" is no bot: write its id, the number before the colon of its token
7:5: owners[5]: owner "slack:t012/U045EF6GH": "t012" is no team: write its id, such as T012AB3CD
9:5: owners[7]: is in this list already, as entry 7: keep one
10:25: agent.heartbeat.to: "telegram:8" is not among the owners: write one of them, or console:
`},
		"chats": {`
tools:
  chats:
    telegrm:1: {level: none}
    telegram:ann: {level: none}
    telegram:help/-1: {level: none}
    telegram:-1#: {level: none}
    telegram:-07: {level: none}
    console:ann: {level: none}
    slack:T1/general: {level: none}
    telegram:9: {}
`, `
3:5: tools.chats.telegrm:1: "telegrm:1": there is no channel "telegrm": ` + channels + `
4:5: tools.chats.telegram:ann: "telegram:ann" is no chat there: ` + telegram + `
5:5: tools.chats.telegram:help/-1: "telegram:help/-1": "help" is no bot: write its id, the number before the colon of its token
6:5: tools.chats.telegram:-1#: "telegram:-1#" has an empty account or thread: write telegram:-1
7:5: tools.chats.telegram:-07: "telegram:-07" is no chat there: ` + telegram + `
8:5: tools.chats.console:ann: "console:ann" is no chat there: its conversations have the same rules: write console:local
9:5: tools.chats.slack:T1/general: "slack:T1/general" is no chat there: write the channel's id, as in slack:T012AB3CD/C045EF6GH, and the thread's time behind #
10:5: tools.chats.telegram:9: says nothing: write enabled, disabled or level, or leave it out
`},
		"budgets": {`
models: {main: {model: m, prices: {input: 1}}}
budgets:
  all: {money: 1}
  chats:
    telegrm:1: {all: {turns: 1}}
    telegram:1: {jobs: {}}
    telegram:2:
`, `
1:35: models.main.prices.output: is missing: write what a million tokens cost, 0 for nothing
5:5: budgets.chats.telegrm:1: "telegrm:1": there is no channel "telegrm": ` + channels + `
6:24: budgets.chats.telegram:1.jobs: is empty, which would be no limit at all: write turns, tokens or money, or turns: 0 for no limit
7:5: budgets.chats.telegram:2: says nothing: write all, people, jobs or background, or leave it out
`},
		"a bot that is not here": {`
channels: {telegram: {enabled: true, token: env:TOKEN}}
owners: ["telegram:12/7", "telegram:11/7"]
budgets: {chats: {"telegram:12/7": {all: {turns: 1}}}}
`, `
2:10: owners[0]: "12" is none of the bots here: write one of 11, or leave it out for every bot
3:19: budgets.chats.telegram:12/7: "12" is none of the bots here: write one of 11, or leave it out for every bot
`},
		"NUL in a value": {
			"\nworkspace: \"a\\0b\"\nlog: {format: \"json\\u200b\"}\nagent: {timezone: ' UTC'}",
			"\n1:12: workspace: holds the character U+0000, which nobody sees: take it out\n" +
				"2:15: log.format: holds the character U+200B, which nobody sees: take it out\n" +
				"3:19: agent.timezone: begins or ends with a blank: take it out\n",
		},
		"NUL in a comment": {"\nlog: {level: warn} # \x00\n", "\n1:22: holds the character U+0000, which nobody sees: take it out\n"},
		"DEL in a name": {
			"\nmodels: {\"a\\x7f\": {model: m}}\n",
			"\n1:10: models: holds the character U+007F, which nobody sees: take it out\n",
		},
		"a file for a folder": {
			"\nstate_dir: file\nworkspace: file/below\n",
			"\n1:12: state_dir: \"DIR/file\" is a file, and no folder can be made there: choose another place\n" +
				"2:12: workspace: \"DIR/file\" is a file, and no folder can be made there: choose another place\n",
		},
		"below a file": {
			"\nstate_dir: file/below/it\n",
			"\n1:12: state_dir: \"DIR/file\" is a file, and no folder can be made there: choose another place\n",
		},
		"the kernel's": {
			"\nstate_dir: /proc\nworkspace: /sys/x\n",
			"\n1:12: state_dir: must not be \"/proc\", which belongs to the system: choose a folder of your own\n" +
				"2:12: workspace: must not be \"/sys/x\", which belongs to the system: choose a folder of your own\n",
		},
		"the system's": {
			"\nstate_dir: /\nworkspace: /etc\n",
			"\n1:12: state_dir: must not be \"/\", which belongs to the system: choose a folder of your own\n" +
				"2:12: workspace: must not be \"/etc\", which belongs to the system: choose a folder of your own\n",
		},
		"names of folders": {
			"\nstate_dir: $HOME/state\nworkspace: ~ann/space\n",
			"\n1:12: state_dir: no variable is replaced here: write ~ for the home folder, or the absolute path\n" +
				"2:12: workspace: only ~ itself stands for a home folder: write the absolute path\n",
		},
		"no name": {"\nstate_dir: \"\"\n", "\n1:12: state_dir: is empty: write a folder, or leave the key out\n"},
		"a folder of its own": {
			"\nstate_dir: state\nworkspace: state/outgoing\n",
			"\n2:12: workspace: is a folder that the gateway uses itself: choose another name in state_dir\n",
		},
		"state behind a link": {
			"\nstate_dir: link/state\nworkspace: space\n",
			"\n1:12: state_dir: must not lie inside the workspace, where tools read and write: move it out\n",
		},
		"a model without a block": {
			"\nagent: {model: large}\n",
			"\n1:16: agent.model: \"large\" is not among the models: there are none, so add a block models\n",
		},
		"models": {`
agent: {fallbacks: [main, free, last, last]}
models:
  main: {model: m, timeouts: {idle: 10m}}
  Main: {model: m}
  free: {provider: offline, base_url: "http://127.0.0.1:1/v1"}
  last: {model: m, base_url: "https://example.org:99999/v1", prices: }
  chat: {model: m, base_url: "https://example.org/v1/chat/completions"}
`, `
1:21: agent.fallbacks[0]: is the model that is asked first already: write another, or take it out
1:33: agent.fallbacks[2]: is never asked, because "free" before it is the built-in model, which always answers: put that one last
1:39: agent.fallbacks[3]: is in this list already, as entry 3: keep one
3:37: models.main.timeouts.idle: is longer than total, 5m0s, which ends the request first
4:3: models.Main: differs from main in line 3 by its case only: choose another name
5:39: models.free.base_url: belongs to a server, and offline is the model that is built in: write provider: openai for a server, also one on this machine
6:30: models.last.base_url: has the port "99999": write one from 1 to 65535, or none
6:69: models.last.prices: has no value: write one, or leave the key out
7:30: models.chat.base_url: must end before /chat/completions, which is added to it
`},
		"rules": {`
tools:
  disabled: [message]
  rules:
    web_search: {approval: side_effects}
    web_fetch: {approval: side_effects}
    calculator: {approval: destructive}
    run_code: {approval: never}
    write_file: {level: none}
    delete_file: {}
  chats: {"telegram:1": {enabled: [message]}}
`, `
4:28: tools.rules.web_search.approval: web_search changes nothing, so that side_effects asks nobody: take it out, or write the tool into tools.disabled
5:27: tools.rules.web_fetch.approval: web_fetch changes nothing, so that side_effects asks no more than destructive does: write destructive
6:28: tools.rules.calculator.approval: calculator changes nothing, so that destructive asks nobody: take it out, or write the tool into tools.disabled
7:26: tools.rules.run_code.approval: never cannot hold here, because a person is asked for all code: take it out
8:25: tools.rules.write_file.level: none would let everybody use the tool, because none is the right that it needs: write it into tools.disabled to switch it off, or the level chat
9:5: tools.rules.delete_file: says nothing: write level or approval, or leave it out
10:36: tools.chats.telegram:1.enabled[0]: "message" is never offered, because tools.disabled names it: take it out there
`},
		"tools on demand, switched off": {`
tools:
  lazy: true
  disabled: [find_tools]
`, `
2:9: tools.lazy: changes nothing, because tools.disabled names find_tools: take it out there
`},
		"tools on demand, left out": {`
tools:
  lazy: true
  enabled: [calculator]
`, `
2:9: tools.lazy: changes nothing, because tools.enabled does not name find_tools: add it there
`},
		"tools on demand, in a sequence": {`
tools:
  composed:
    look: {description: d, steps: [{tool: find_tools, arguments: {query: x}}]}
`, `
3:43: tools.composed.look.steps[0].tool: find_tools is off (tools.lazy), so that this step always fails
`},
		"composed": {`
tools:
  disabled: [web_fetch]
  shell: {enabled: true, allow: [ls]}
  composed:
    behind: {description: d, steps: [{tool: run_command, arguments: {argv: [ls], background: true}}]}
    misspelt: {description: d, parameters: {q: what}, steps: [{tool: web_search, arguments: {qeury: "{{q}}"}}]}
    counted: {description: d, parameters: {n: many}, steps: [{tool: web_search, arguments: {query: x, max_results: "{{n}}"}}]}
    spare: {description: d, parameters: {n: many, a-b: c}, steps: [{tool: web_search, arguments: {query: x}}]}
    off: {description: d, steps: [{tool: web_fetch, arguments: {url: "https://example.org"}}]}
    calculator: {steps: []}
`, `
5:38: tools.composed.behind.steps[0]: it would go on in the background, and no step can wait for that: take background out
6:63: tools.composed.misspelt.steps[0]: web_search needs the argument "query"
6:63: tools.composed.misspelt.steps[0]: web_search takes no argument "qeury": it takes ["max_results" "query"]
7:62: tools.composed.counted.steps[0]: the argument "max_results" does not fit: "{{n}}" is always a text, and this is of the type integer
8:5: tools.composed.spare: "a-b" cannot be the name of a parameter: write letters, digits and _, and no number
8:5: tools.composed.spare: the parameter "n" is used in no step: write {{n}} where it belongs, or take it out
9:42: tools.composed.off.steps[0].tool: web_fetch is off (tools.disabled), ` + never + `
10:5: tools.composed.calculator: a built-in tool has this name: choose another
10:5: tools.composed.calculator: it has no description
10:5: tools.composed.calculator: it has 0 steps, and needs 1 to 20
`},
		"composed in circles": {`
tools:
  max_tool_depth: 3
  composed:
    self: {description: d, steps: [{tool: web_search, arguments: {query: x}}, {tool: self}]}
    ping: {description: d, steps: [{tool: pong}]}
    pong: {description: d, steps: [{tool: web_search, arguments: {query: x}}, {tool: ping}]}
    into: {description: d, steps: [{tool: ping}]}
    four: {description: d, steps: [{tool: two}, {tool: three}]}
    three: {description: d, steps: [{tool: two}, {tool: two}]}
    two: {description: d, steps: [{tool: web_search, arguments: {query: x}}]}
`, `
4:86: tools.composed.self.steps[1].tool: calls itself, and so no call of it can end: take this step out
5:43: tools.composed.ping.steps[0].tool: leads back to ping (ping, then pong, then ping), and so no call of it can end: take a step out of one of them
8:56: tools.composed.four.steps[1].tool: goes 4 deep (four, then three, then two, then web_search), and max_tool_depth is 3: write max_tool_depth: 4, or call fewer
`},
		"composed too deep": {`
tools:
  max_tool_depth: 10
  composed:
    t01: {description: d, steps: [{tool: web_search, arguments: {query: x}}]}
    t02: {description: d, steps: [{tool: t01}]}
    t03: {description: d, steps: [{tool: t02}]}
    t04: {description: d, steps: [{tool: t03}]}
    t05: {description: d, steps: [{tool: t04}]}
    t06: {description: d, steps: [{tool: t05}]}
    t07: {description: d, steps: [{tool: t06}]}
    t08: {description: d, steps: [{tool: t07}]}
    t09: {description: d, steps: [{tool: t08}]}
    t10: {description: d, steps: [{tool: t09}]}
`, `
13:42: tools.composed.t10.steps[0].tool: goes 11 deep (t10, then t09, then t08, then t07, then t06, then t05, then t04, then t03, then t02, then t01, then web_search), and max_tool_depth is 10: call fewer
`},
		"programs and files": {`
tools:
  files:
    refuse: [./private, ../x, a//b, "@etc/x"]
    roots:
      etc: {path: /etc, chats: ["telegram:1"]}
      proc: {path: /proc/1, chats: ["telegram:1"]}
      homes: {path: /home, chats: ["telegrm:1"]}
      Etc: {path: /srv, chats: ["telegram:1"]}
  shell: {allow: [ls, ls], readable: [/proc]}
  web: {ports: [80, 80]}
`, `
3:14: tools.files.refuse[0]: "./private" matches no path, which has no empty name and neither . nor ..: write the path from the top of the folder, such as private/**
3:25: tools.files.refuse[1]: "../x" matches no path, which has no empty name and neither . nor ..: write the path from the top of the folder, such as private/**
3:31: tools.files.refuse[2]: "a//b" matches no path, which has no empty name and neither . nor ..: write the path from the top of the folder, such as private/**
3:37: tools.files.refuse[3]: matches no path, because patterns hold inside of each root: take @etc/ out
5:19: tools.files.roots.etc.path: must not be "/etc", which belongs to the system: choose a folder of your own
6:20: tools.files.roots.proc.path: must not be "/proc/1", which belongs to the system: choose a folder of your own
7:21: tools.files.roots.homes.path: must not be "/home", which belongs to the system: choose a folder of your own
7:36: tools.files.roots.homes.chats[0]: "telegrm:1": there is no channel "telegrm": ` + channels + `
8:7: tools.files.roots.Etc: differs from etc in line 5 by its case only: choose another name
9:23: tools.shell.allow[1]: is in this list already, as entry 1: keep one
9:39: tools.shell.readable[0]: "/proc" belongs to the system, and a program has its own: take it out
10:21: tools.web.ports[1]: is in this list already, as entry 1: keep one
`},
		"channels": {`
channels:
  telegram:
    enabled: true
    token: env:TOKEN
    allow: [11/7]
    proxy: http://127.0.0.1:3128/path
    webhook: {listen: "127.0.0.1:99999", public_url: "https://example.org:1234/hook", secret: env:TOKEN}
    accounts: [{name: a, token: env:OTHER, webhook: {public_url: "https://example.org/hook"}}, {name: A, token: env:THIRD, webhook: {listen: ":8443", public_url: "https://example.org/?a=b", secret: env:HOOK}}]
  slack: {events: {listen: "127.0.0.1:8443", signing_secret: env:HOOK}}
`, `
5:13: channels.telegram.allow[0]: "11/7": this list is of one account: write 7 alone
6:12: channels.telegram.proxy: must end behind the port: a proxy has no path
7:23: channels.telegram.webhook.listen: must be HOST:PORT, such as 127.0.0.1:8443
7:54: channels.telegram.webhook.public_url: has the port "1234", which Telegram never reaches: write 443, 80, 88 or 8443
7:95: channels.telegram.webhook.secret: is no secret for a webhook: write 1 to 256 letters, digits, _ and -
8:53: channels.telegram.accounts[0].webhook: has no listen: write HOST:PORT where Telegram's requests arrive, or take webhook out to poll
8:103: channels.telegram.accounts[1].name: "A" is the name of accounts[0] already: write another
8:163: channels.telegram.accounts[1].webhook.public_url: must be the https address under which Telegram reaches the gateway, without a name, a password or ?
9:28: channels.slack.events.listen: channels.telegram.accounts[1].webhook.listen has this address already: each needs its own
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.env = append(w.env, "TOKEN=11:canary-token", "OTHER=12:canary-token", "THIRD=13:canary-token", "HOOK=hook-Secret_1")
			w.lay(t, strings.TrimPrefix(c.text, "\n"))
			out, errs, code := w.run("config", "check")
			got := strings.NewReplacer("gateway: ", "", w.config+":", "", w.dir, "DIR").Replace(out + errs)
			if d := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got); code != 2 || d != "" {
				t.Fatalf("config check ends with %d; -want +got\n%s", code, d) // run would begin
			}
			if _, ran, code := w.run("run"); code != 2 || ran != errs {
				t.Errorf("run ends with %d and says %q, config check %q", code, ran, errs)
			}
		})
	}
}

// lay puts a configuration beside a file and a link that lead elsewhere.
func (w *world) lay(t *testing.T, text string) {
	t.Helper()
	for name, content := range map[string]string{w.config: text, filepath.Join(w.dir, "file"): ""} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(w.dir, "space"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("space", filepath.Join(w.dir, "link")); err != nil {
		t.Fatal(err)
	}
}

// TestConfigurationWithMeaning: settings close to the above that do mean something.
func TestConfigurationWithMeaning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.env = append(w.env, "TOKEN=11:canary-token", "HOOK=hook-Secret_1")
	w.lay(t, fmt.Sprintf(`
state_dir: %[1]s/new/state # ünïcode, und\ein Tab:	.
workspace: space
owners: ["telegram:7", "telegram:11/8", "slack:T012AB3CD/U045EF6GH"]
agent: {fallbacks: [free], heartbeat: {to: "console:"}}
models:
  main: {model: m, timeouts: {total: 30s}, prices: {input: 0, output: 0}}
  free: {provider: offline}
budgets:
  all: {money: 1}
  chats: {"telegram:11/-100#5": {jobs: {turns: 0}}, "console:": {all: {turns: 1}}}
tools:
  max_tool_depth: 3
  rules:
    web_fetch: {approval: destructive}
    calculator: {approval: never}
    write_file: {level: chat, approval: side_effects}
  files:
    refuse: [private/, /top, "@home/x", "**/*.key"]
    roots: {nets: {path: /srv/not-mounted, chats: ["slack:T012AB3CD/C045EF6GH#1700000000.000100"]}}
  shell: {enabled: true, mode: argv, allow: [ls], readable: [/usr/share]}
  composed:
    find:
      description: |
        Searches.
        	In two lines 👩‍👩‍👧.
      parameters: {what: what to look for}
      steps: [{tool: web_search, arguments: {query: "{{what}} {{ what }}", max_results: 3}}]
    twice: # three deep, the search counted
      description: d
      steps: [{tool: find, arguments: {what: "a"}}, {tool: find, arguments: {what: "b"}}, {tool: run_command, arguments: {argv: [ls], background: false}}]
  chats: {"telegram:-5": {enabled: [find, twice]}, "console:local": {level: exec}}
channels:
  telegram:
    enabled: true
    token: env:TOKEN
    proxy: socks5://127.0.0.1:1080
    webhook: {listen: "localhost:8443", public_url: "https://example.org:8443/hook", secret: env:HOOK}
  slack: {allow: [U045EF6GH, T012AB3CD/U145EF6GH], events: {listen: "[::1]:8444", signing_secret: env:HOOK}}
`, w.dir))
	if out, errs, code := w.run("config", "check"); code != 0 {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}
