package sessiontest

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pkg/session"
)

// testEditsAndTurns lets messages, edits, deletions, turns, joins and crashes of one
// chat happen in any order, beside a model of the texts that each turn has to read:
// every message once, in the wording that was the newest when the turn took it, and no
// message that was taken back before. Some edits and deletions overtake their message.
func testEditsAndTurns(b *bench) {
	if _, ok := b.e.(Crasher); !ok {
		b.Skip("the engine cannot crash: it has no method Crash")
	}
	rapid.Check(b.T, func(rt *rapid.T) {
		s := &scene{gone: map[string]bool{}, b: &bench{T: b.T, open: b.open, dir: b.TempDir()}}
		s.b.e = s.b.open(b.T, s.b.dir)
		rt.Repeat(map[string]func(*rapid.T){
			"write": s.write, "edit": s.edit, "overtake": s.overtake, "take back": s.takeBack, "again": s.again,
			"begin": s.begin, "join": s.join,
			"record": s.record, "commit": s.commit, "give up": s.giveUp, "crash": s.crash,
		})
		for len(s.waiting)+len(s.start) > 0 {
			if s.turn == nil {
				s.begin(rt)
			}
			s.commit(rt)
		}
		if st := s.b.status(); st.Waiting != 0 {
			rt.Fatalf("%d items wait that no turn was to read", st.Waiting)
		}
		s.b.must(s.b.e.Close())
	})
}

// worded is an item in the model: which message it says anew, and how.
type worded struct {
	ID, Of, Text string
	Solo         bool
}

// scene is a chat and the model of it.
type scene struct {
	b *bench
	// waiting are the items that no turn has, start and joined those of the turn
	// that runs or was interrupted, which recorded says.
	waiting, start, joined []*worded
	recorded               bool
	accepted               []session.Item // everything, to be delivered again
	messages               []string
	gone                   map[string]bool // the messages that were taken back
	n                      int

	turn   *handed[session.Turn]
	worker *worker[session.Turn]
}

func (s *scene) name(prefix string) string {
	s.n++
	return fmt.Sprint(prefix, s.n)
}

func (s *scene) put(it session.Item) {
	s.b.append(it)
	s.accepted = append(s.accepted, it)
}

func (s *scene) write(rt *rapid.T) {
	id := s.name("m")
	it := note("a", id, s.name("text "))
	it.Solo = rapid.Float64().Draw(rt, "solo") > 0.9
	s.put(it)
	s.messages = append(s.messages, id)
	s.waiting = append(s.waiting, &worded{ID: it.ID, Of: id, Text: it.Inbound.Text, Solo: it.Solo})
}

func (s *scene) edit(rt *rapid.T) {
	if len(s.messages) == 0 {
		rt.Skip("nothing was written")
	}
	of := rapid.SampledFrom(s.messages).Draw(rt, "message")
	rule := rapid.SampledFrom([]session.EditRule{session.EditDrop, session.EditAnswer}).Draw(rt, "rule")
	it := told(edit("a", s.name("e"), of, s.name("text "), rule))
	it.Solo = rapid.Float64().Draw(rt, "solo") > 0.9
	s.put(it)
	if s.gone[of] {
		return
	}
	for _, w := range slices.Backward(s.waiting) {
		if w.Of == of {
			w.Text, w.Solo = it.Inbound.Text, it.Solo
			return
		}
	}
	if rule == session.EditAnswer {
		s.waiting = append(s.waiting, &worded{ID: it.ID, Of: of, Text: it.Inbound.Text, Solo: it.Solo})
	}
}

// overtake delivers an edit or a deletion of a message that comes only later, by again.
func (s *scene) overtake(rt *rapid.T) {
	of := s.name("m")
	s.messages = append(s.messages, of)
	if rapid.Bool().Draw(rt, "delete") {
		s.put(taken("a", s.name("d"), of))
		s.gone[of] = true
	} else {
		it := told(edit("a", s.name("e"), of, s.name("text "), session.EditDrop))
		s.put(it)
		s.waiting = append(s.waiting, &worded{ID: it.ID, Of: of, Text: it.Inbound.Text})
	}
	s.accepted = append(s.accepted, note("a", of, s.name("text ")))
}

func (s *scene) takeBack(rt *rapid.T) {
	if len(s.messages) == 0 {
		rt.Skip("nothing was written")
	}
	of := rapid.SampledFrom(s.messages).Draw(rt, "message")
	s.put(taken("a", s.name("d"), of))
	waiting := len(s.waiting)
	s.waiting = slices.DeleteFunc(s.waiting, func(w *worded) bool { return w.Of == of })
	s.gone[of] = s.gone[of] || len(s.waiting) < waiting
}

// again delivers an event a second time, or an overtaken one for the first time; both
// have no effect.
func (s *scene) again(rt *rapid.T) {
	if len(s.accepted) == 0 {
		rt.Skip("nothing was written")
	}
	it := rapid.SampledFrom(s.accepted).Draw(rt, "item")
	s.b.append(from("u", it.Inbound.MessageID, it))
}

// take moves the items that a turn may read on from the waiting ones to it.
func (s *scene) take(has []*worded, most int) (taken []*worded) {
	for len(s.waiting) > 0 && most > 0 && len(has)+len(taken) < session.MaxTurnItems {
		next, all := s.waiting[0], slices.Concat(has, taken)
		if len(all) > 0 && (next.Solo || all[0].Solo) {
			break
		}
		taken, s.waiting = append(taken, next), s.waiting[1:]
		most--
	}
	return taken
}

func (s *scene) begin(rt *rapid.T) {
	if s.turn != nil || len(s.waiting)+len(s.start) == 0 {
		rt.Skip("no turn is to begin")
	}
	if !s.recorded {
		s.start = s.take(nil, session.MaxTurnItems)
	}
	s.worker = s.b.turns()
	h := s.worker.next()
	s.turn = &h
	info := h.what.Info()
	s.same(rt, "starts the turn", s.start, info.Items)
	var joined []session.Item
	for i := range info.Steps {
		joined = append(joined, info.Steps[i].Items...)
	}
	s.same(rt, "joined the turn", s.joined, joined)
}

func (s *scene) same(rt *rapid.T, what string, want []*worded, items []session.Item) {
	var got []*worded
	for i := range items {
		in := items[i].Inbound
		got = append(got, &worded{ID: items[i].ID, Of: in.MessageID, Text: in.Text, Solo: items[i].Solo})
	}
	if d := cmp.Diff(want, got); d != "" {
		rt.Fatalf("what %s (-want +got)\n%s", what, d)
	}
}

func (s *scene) running(rt *rapid.T) session.Turn {
	if s.turn == nil {
		rt.Skip("no turn runs")
	}
	return s.turn.what
}

func (s *scene) join(rt *rapid.T) {
	turn := s.running(rt)
	most := rapid.IntRange(1, 3).Draw(rt, "most")
	want := s.take(slices.Concat(s.start, s.joined), most)
	got, err := turn.Join(s.b.Context(), func(session.Item) bool { most--; return most >= 0 })
	s.b.must(err)
	s.same(rt, "joins", want, got)
	s.joined = append(s.joined, want...)
	if len(want) > 0 {
		s.record(rt) // it is known to be durable
	}
}

func (s *scene) record(rt *rapid.T) {
	s.b.must(s.running(rt).Record(s.b.Context(), session.Step{Kind: session.StepAnswer, Await: true}))
	s.recorded = true
}

func (s *scene) commit(rt *rapid.T) {
	s.b.must(s.running(rt).Commit(s.b.Context(), session.Commit{Outcome: session.OutcomeAnswered}))
	s.b.must(s.worker.stop())
	s.turn, s.start, s.joined, s.recorded = nil, nil, nil, false
}

func (s *scene) giveUp(rt *rapid.T) {
	s.running(rt)
	s.b.must(s.worker.stop())
	s.interrupted()
}

func (s *scene) crash(*rapid.T) {
	s.b.crash()
	if s.turn != nil {
		_ = s.worker.stop() // of the engine that is gone
	}
	s.interrupted()
}

// interrupted puts back the items of a turn that made no records.
func (s *scene) interrupted() {
	s.turn = nil
	if !s.recorded {
		s.waiting, s.start = append(s.start, s.waiting...), nil
	}
}
