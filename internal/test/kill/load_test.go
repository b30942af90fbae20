package kill_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"parley/internal/test/loopchat"
	"parley/internal/test/rig"
)

// kind is the kind of a message.
type kind string

const (
	plain      kind = "plain"
	effect     kind = "effect"
	rerun      kind = "effect_rerun"
	lookup     kind = "lookup"
	say        kind = "say"
	long       kind = "long"
	background kind = "background"
	file       kind = "file"
	mixed      kind = "mixed"    // several calls in several rounds
	spawned    kind = "spawned"  // a background agent
	reminder   kind = "reminder" // a job that says something
	prompted   kind = "prompted" // a job that asks the model
)

// question is a person's question, with the outcome that it must have.
type question struct {
	chat, text string
	kind       kind
	// calls name the tool at each place of the script, by round and index.
	calls [][]string
	// once are canaries that are seen exactly once; task is one that a
	// background task brings, and file the caption of a file, unless they were interrupted.
	once       []string
	task, file string
	// script is the text's wish to the model.
	script rig.Script
}

func newRand(point string, seed int) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(point))
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
}

func direct(i int) string { return fmt.Sprintf("chat%03d", i) }
func group(i int) string  { return fmt.Sprintf("%s%03d", loopchat.GroupPrefix, i) }

// maxChats is how many chats a load has at most; every fourth is a group.
const maxChats = 7

func chatName(i int) string {
	if i%4 == 3 {
		return group(i)
	}
	return direct(i)
}

// load makes some questions in some chats. Each chat asks at least once for the kind must.
func load(rng *rand.Rand, l *ledger, must kind) []question {
	chats, messages := 2+rng.IntN(maxChats-1), 2+rng.IntN(4)
	kinds := []kind{plain, plain, effect, rerun, lookup, say, long, background, file, mixed}
	var all []question
	for m := range messages {
		for c := range chats {
			k := kinds[rng.IntN(len(kinds))]
			if m == c%messages {
				k = must
			}
			all = append(all, newQuestion(rng, l, chatName(c), k))
		}
	}
	return all
}

// newQuestion makes a question of a kind; its canaries are of l.
func newQuestion(rng *rand.Rand, l *ledger, chat string, k kind) question {
	q := question{chat: chat, kind: k}
	s := &q.script
	call := func(round int, tool string, args map[string]any) {
		for len(s.Rounds) <= round {
			s.Rounds, q.calls = append(s.Rounds, nil), append(q.calls, nil)
		}
		s.Rounds[round] = append(s.Rounds[round], rig.ScriptCall{Tool: tool, Args: args})
		q.calls[round] = append(q.calls[round], tool)
	}
	canary := func() string {
		token := l.canary(chat)
		q.once = append(q.once, token)
		return token
	}
	note := func() map[string]any { return map[string]any{"text": fmt.Sprintf("note %012x", rng.Uint64N(1<<48))} }
	switch k {
	case plain:
	case effect, rerun, lookup:
		call(0, string(k), note())
	case say:
		call(0, "say", map[string]any{"text": "word " + canary()})
	case long:
		s.Pad = 3000 + rng.IntN(3000) // the longer ones are cut within
		for range 3 + rng.IntN(2) {
			s.Parts = append(s.Parts, canary())
		}
	case background:
		q.task = l.canary(chat)
		call(0, "background", map[string]any{"text": q.task, "n": rng.IntN(200)})
	case spawned:
		q.task = l.canary(chat)
		inner := rig.Script{Quiet: true, Parts: []string{q.task}}
		call(0, "spawn", map[string]any{"task": inner.Ask(l.digits()), "name": "a look"})
	case reminder:
		call(0, "schedule", map[string]any{"action": "create", "in": "1s", "text": "due: " + canary()})
	case prompted:
		inner := rig.Script{Quiet: true, Parts: []string{canary()}}
		call(0, "schedule", map[string]any{"action": "create", "in": "1s", "prompt": true, "text": inner.Ask(l.digits())})
	case file:
		q.file = l.canary(chat)
		call(0, "send_file", map[string]any{"path": "USER.md", "caption": "file " + q.file})
	case mixed:
		call(0, "lookup", note())
		call(0, "effect", note())
		call(1, "say", map[string]any{"text": "word " + canary()})
		call(1, "effect_rerun", note())
	}
	q.text = s.Text()
	return q
}
