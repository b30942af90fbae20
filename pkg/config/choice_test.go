package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/pkg/config"
)

const twoModels = "models:\n  main: {model: m}\n  eyes: {model: e, images: true}\n  off: {provider: offline}\n"

// TestChoiceRefuses lists the mistakes in roles, chats and keys.
func TestChoiceRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"no such role": {twoModels + "roles: {chatt: main}", "5:9: roles.chatt: unknown key: did you mean chat?"},
		"no such kind": {
			"models: {main: {model: m, kind: chatgpt}}", `1:33: models.main.kind: "chatgpt" is not understood: write one of ollama, vllm`,
		},
		"kind of offline": {"models: {main: {provider: offline, kind: ollama}}", "models.main.kind: belongs to a server"},
		"no such model": {
			twoModels + "roles: {summary: eye}", `5:18: roles.summary: "eye" is not among the models: write one of eyes, main, off`,
		},
		"role without models": {"roles: {chat: main}", "1:15: roles.chat: there are no models: add a block models"},
		"role of nothing":     {twoModels + "roles: {chat: ''}", `roles.chat: "" is not among the models`},
		"blind": {
			twoModels + "roles: {vision: main}",
			`5:17: roles.vision: "main" takes no pictures: write images: true into models.main, or name another model`,
		},
		"deaf": {
			twoModels + "roles: {transcribe: off}",
			`5:21: roles.transcribe: "off" does not write down speech: name a model with provider: openai, such as whisper-1`,
		},
		"voice without a model": {
			twoModels + "agent: {voice: transcribe}",
			"5:16: agent.voice: needs a model that writes down speech: add one to models, such as whisper-1, and name it in roles.transcribe",
		},
		"pictures without a model": {
			"models: {main: {model: m}}\nagent: {pictures: describe}",
			"2:19: agent.pictures: needs a model that takes pictures: write images: true into one of models",
		},
		"no chat":         {"chats: {nowhere: {prompt: p}}", "1:9: chats.nowhere: no such place"},
		"chat of nothing": {"chats: {here: {}}", "1:9: chats.here: says nothing: write prompt, model, tool_choice or reasoning_effort"},
		"chat's model":    {twoModels + "chats: {here: {model: x}}", `5:23: chats.here.model: "x" is not among the models`},
		"chat's choice":   {"chats: {here: {tool_choice: always}}", `1:29: chats.here.tool_choice: there is no tool "always"`},
		"model's effort": {
			"models: {main: {model: m, reasoning_effort: much}}",
			"1:45: models.main.reasoning_effort: \"much\" is not understood: write one of none, minimal, low, medium, high, xhigh",
		},
		"chat's effort":     {"chats: {here: {reasoning_effort: max}}", `1:34: chats.here.reasoning_effort: "max" is not understood`},
		"effort of offline": {"models: {main: {provider: offline, reasoning_effort: low}}", "models.main.reasoning_effort: belongs to a server"},
		"effort of a model without": {
			"models: {main: {model: quick, reasoning_effort: low}}",
			"1:49: models.main.reasoning_effort: is never sent, because the model takes none (its row in docs/models.md): leave it out",
		},
		"empty choice": {
			"chats: {here: {tool_choice: '', prompt: p}}",
			"chats.here.tool_choice: is empty: write one of auto, none, required",
		},
		"empty prompt":   {"chats: {here: {prompt: ''}}", "chats.here.prompt: is empty"},
		"no such prompt": {"chats: {here: {prompt: missing}}", "1:24: chats.here.prompt: it cannot be read"},
		"model's choice": {
			"models: {main: {model: m, tool_choice: b}}",
			`1:40: models.main.tool_choice: there is no tool "b": the tools are look`,
		},
		"keys twice": {
			"models: {main: {model: m, api_key: env:K, api_keys: ['env:K']}}",
			"models.main.api_keys: stands beside api_key",
		},
		"no keys": {"models: {main: {model: m, api_keys: []}}", "models.main.api_keys: is empty"},
		"key in the clear": {
			"models: {main: {model: m, api_keys: [sk-canary]}}",
			"1:38: models.main.api_keys[0]: a secret is never written",
		},
		"key missing": {
			"models: {main: {model: m, api_keys: ['env:K', 'env:NOT']}}",
			"1:47: models.main.api_keys[1]: the environment variable NOT",
		},
		"a key twice": {
			"models: {main: {model: m, api_keys: ['env:K', 'env:K2', 'env:K']}}",
			"models.main.api_keys[2]: is in this list already",
		},
		"role's key": {
			"models: {main: {model: m}, b: {model: b, api_key: env:NOT}}\nroles: {summary: b}",
			"models.b.api_key: the environment",
		},
		"chat's key": {
			"models: {main: {model: m}, b: {model: b, api_key: env:NOT}}\nchats: {here: {model: b}}",
			"models.b.api_key: the environment",
		},
		"own fallback": {
			"models: {main: {model: m, fallbacks: [main]}}",
			"1:39: models.main.fallbacks[0]: is the model that is asked first",
		},
		"no such fallback": {"models: {main: {model: m, fallbacks: [x]}}", `models.main.fallbacks[0]: "x" is not among the models`},
		"after offline":    {twoModels + "agent: {fallbacks: [off, eyes]}", "agent.fallbacks[1]: is never asked"},
		"keys in braces": {
			"models: {main: {model: m, api_keys: [env:K]}}",
			"models.main.api_keys[0]: must be env:NAME, file:PATH or credential:NAME: put it in quotes here",
		},
		"keys of offline": {"models: {main: {provider: offline, api_keys: ['env:K']}}", "models.main.api_keys: belongs to a server"},
		"default, which does not answer": {
			"models: {main: {model: m}, Default: {model: d}}", "1:28: models.Default: needs another name: a person who writes /model default",
		},
		"default, which answers elsewhere": {
			"agent: {model: default}\nmodels: {main: {model: m}, default: {model: d}}\nchats: {here: {model: main}}", "2:28: models.default: needs",
		},
		"keys over http": {
			"models: {main: {model: m, base_url: 'http://example.org/v1', api_keys: ['env:K']}}", "a secret would travel unencrypted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(write(t, c.text), choiceOptions())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("told %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "sk-canary") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}

// TestDefaultMayAnswer allows the name for the model that answers in each chat without a
// choice.
func TestDefaultMayAnswer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"agent: {model: default}\nmodels: {main: {model: m}, default: {model: d}}\nchats: {here: {tool_choice: none}}",
		"roles: {chat: default}\nmodels: {main: {model: m}, default: {model: d}}\nchats: {here: {model: default}}",
	} {
		if _, err := config.Load(write(t, text), choiceOptions()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestPicturesByTheRow takes the row's word on pictures for models whose file says none.
func TestPicturesByTheRow(t *testing.T) {
	t.Parallel()
	o := choiceOptions()
	o.Sees = func(m *config.Model) bool { return m.Model == "seeing" }
	cfg, err := config.Load(write(t, `models:
  main: {model: seeing}
  off: {model: seeing, images: false}
  on: {model: other, images: true}
  other: {model: other}
  claude: {provider: anthropic, model: c, api_key: "env:K"}
  gemini: {provider: gemini, model: g, images: false, api_key: "env:K"}
roles: {vision: main}
`), o)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"main": true, "off": false, "on": true, "other": false, "claude": true, "gemini": false} {
		if got := cfg.Models[name].Images; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNotes tells of a key that has no effect.
func TestNotes(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(write(t, `models: {main: {model: gpt-4o, prices: {input: 1, output: 1, minute: 1}}}`), choiceOptions())
	if err != nil {
		t.Fatal(err)
	}
	const want = ":1:70: models.main.prices.minute: has no effect, because roles.transcribe does not name this model: it may stay"
	if got := cfg.Notes(); len(got) != 1 || !strings.HasSuffix(got[0], want) {
		t.Errorf("noted %q, want %q", got, want)
	}
	if cfg, err = config.Load(write(t, twoModels+"roles: {chat: main}"), choiceOptions()); err != nil || len(cfg.Notes()) > 0 {
		t.Errorf("noted %v, %v", cfg.Notes(), err)
	}
}

// TestChoiceTellsOneMistakeOnce holds that a value with one mistake has one line, which
// names the key as it is.
func TestChoiceTellsOneMistakeOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"key of a chat":     {twoModels + "chats: {here: {promt: p}}", "5:16: chats.here.promt: unknown key: did you mean prompt?"},
		"model as a text":   {"models: {main: gpt-5}", "1:16: models.main: must be a block of keys ("},
		"model of no value": {"agent: {model: m}\nmodels: {m: }", "models.m: has no value: write one, or leave the key out"},
		"keys as a text":    {"models: {main: {model: m, api_keys: 'env:K'}}", "must be a list such as [a, b], not a text"},
		"role as a number":  {twoModels + "roles: {vision: 3}", "roles.vision: must be a text, not a number: put it in quotes"},
		"role of no value":  {twoModels + "roles: {chat: }", "roles.chat: has no value: write one, or leave the key out"},
		"choice as a list":  {"models: {main: {model: m, tool_choice: [look]}}", "tool_choice: must be a text, not a list"},
		"empty prompt":      {twoModels + "chats: {here: {prompt: '', model: main}}", "is empty: write a file, or leave the key out"},
		"Claude, no key":    {"models: {main: {provider: anthropic, model: m}}", "api_key: is missing, and https://api.anthropic.com answers"},
		"Gemini, no key":    {"models: {main: {provider: gemini, model: m}}", "such as env:GEMINI_API_KEY"},
		"Gemini, bad key":   {"models: {main: {provider: gemini, model: m, api_key: 5}}", "must be env:NAME, file:PATH or credential:NAME"},
		"no context":        {"models: {main: {model: m, context: 0}}", "1:36: models.main.context: 0 is out of range: write a number from 2048"},
		"offline's context": {"models: {main: {provider: offline, context: 9000}}", "models.main.context: belongs to a server"},
		"Gemini, lost keys": {"models: {main: {provider: gemini, model: m, api_keys: []}}", "is empty: write the keys, or leave it out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(write(t, c.text), choiceOptions())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("told %v, want %q alone", err, c.want)
			}
		})
	}
}

func choiceOptions() config.Options {
	o := options()
	o.LookupEnv = func(name string) (string, bool) { return "value-of-" + name, name == "K" || name == "K2" }
	o.Place = func(place string) error {
		if place != "here" {
			return errors.New("no such place")
		}
		return nil
	}
	o.Unguided = func(m *config.Model) bool { return m.Model == "quick" }
	o.Prompt = func(path string) error {
		if strings.HasSuffix(path, "/missing") {
			return errors.New("it cannot be read")
		}
		return nil
	}
	o.Kinds = []string{"ollama", "vllm"}
	o.Tools = func(*config.Config) []string { return []string{"look"} }
	return o
}

// TestChoiceLoads reads a file with all of it. The key of a model that only a person may
// choose may be missing, and where it is there it can be used and is redacted.
func TestChoiceLoads(t *testing.T) {
	t.Parallel()
	path := write(t, twoModels+`  many: {model: m, kind: vllm, api_keys: ["env:K", "env:K2"], tool_choice: look, fallbacks: []}
  lacking: {model: m, api_key: env:NOT}
agent: {fallbacks: [eyes, off]}
roles: {vision: eyes, subagent: main}
chats:
  here: {prompt: sub/pirate.md, model: eyes, tool_choice: required}
`)
	cfg, err := config.Load(path, choiceOptions())
	if err != nil {
		t.Fatal(err)
	}
	got := cfg.Chats["here"]
	if !strings.HasPrefix(got.Prompt, "/") || !strings.HasSuffix(got.Prompt, "/sub/pirate.md") || got.Model != "eyes" {
		t.Errorf("the chat has %+v", got)
	}
	many := cfg.Models["many"]
	if keys := many.Keys(); len(keys) != 2 || keys[1].Reveal() != "value-of-K2" || many.Lacks() || !cfg.Models["lacking"].Lacks() {
		t.Errorf("%d keys; lacks %v, %v", len(keys), many.Lacks(), cfg.Models["lacking"].Lacks())
	}
	if got := cfg.Secrets(); !slices.Contains(got, "value-of-K") || !slices.Contains(got, "value-of-K2") {
		t.Errorf("%d secrets are redacted", len(got))
	}
	for name, want := range map[string][]string{"main": {"eyes", "off"}, "eyes": {"off"}, "many": {}, "off": {"eyes"}} {
		if got := cfg.FallbacksOf(name); !slices.Equal(got, want) {
			t.Errorf("%s has the fallbacks %q, want %q", name, got, want)
		}
	}
	if got := cfg.Roles.All(); got["vision"] != "eyes" || got["summary"] != "" || len(got) != 7 {
		t.Errorf("the roles are %v", got)
	}
}
