package kill_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"parley/internal/loopchat"
	"parley/internal/loopchat/server"
	"parley/internal/rig"
)

// kind is what a message asks for.
type kind string

const (
	plain      kind = "plain"
	effect     kind = "effect"
	rerun      kind = "effect_rerun"
	lookup     kind = "lookup"
	say        kind = "say"
	long       kind = "long"
	background kind = "background"
	mixed      kind = "mixed" // several calls in several rounds
)

// question is an ask with what must come of it.
type question struct {
	server.Question
	kind kind
	// calls name the tool at each place of the script, by round and index.
	calls [][]string
	// once are canaries that are seen exactly once; task is one that a
	// background task brings, unless it was interrupted.
	once []string
	task string
}

func newRand(point string, seed int) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(point))
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
}

func direct(i int) string { return fmt.Sprintf("chat%03d", i) }
func group(i int) string  { return fmt.Sprintf("%s%03d", loopchat.GroupPrefix, i) }

// load makes some questions in some chats. Each chat asks at least once for the kind must.
func load(rng *rand.Rand, chat *server.Server, must kind) []question {
	chats, messages := 2+rng.IntN(6), 2+rng.IntN(4)
	kinds := []kind{plain, plain, effect, rerun, lookup, say, long, background, mixed}
	var all []question
	for m := range messages {
		for c := range chats {
			name := direct(c)
			if c%4 == 3 {
				name = group(c)
			}
			k := kinds[rng.IntN(len(kinds))]
			if m == c%messages {
				k = must
			}
			all = append(all, ask(rng, chat, name, k))
		}
	}
	return all
}

func ask(rng *rand.Rand, chat *server.Server, name string, k kind) question {
	q := question{kind: k}
	q.Chat = name
	var s rig.Script
	call := func(round int, tool string, args map[string]any) {
		for len(s.Rounds) <= round {
			s.Rounds, q.calls = append(s.Rounds, nil), append(q.calls, nil)
		}
		s.Rounds[round] = append(s.Rounds[round], rig.ScriptCall{Tool: tool, Args: args})
		q.calls[round] = append(q.calls[round], tool)
	}
	canary := func() string {
		token := chat.Canary(name)
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
		s.Pad = 3000
		for range 2 + rng.IntN(3) {
			s.Parts = append(s.Parts, canary())
		}
	case background:
		q.task = chat.Canary(name)
		call(0, "background", map[string]any{"text": q.task, "n": rng.IntN(200)})
	case mixed:
		call(0, "lookup", note())
		call(0, "effect", note())
		call(1, "say", map[string]any{"text": "word " + canary()})
		call(1, "effect_rerun", note())
	}
	q.Text = s.Text()
	return q
}
