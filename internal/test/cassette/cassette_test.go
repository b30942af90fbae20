package cassette_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/test/cassette"
)

// TestEveryRecordingIsRead reads all requests and answers. Each answer is found again in
// the next request of its conversation, as the recorded client sent it.
func TestEveryRecordingIsRead(t *testing.T) {
	t.Parallel()
	for wire, steps := range map[cassette.Wire]int{cassette.OpenAI: 157, cassette.Anthropic: 20, cassette.Gemini: 50} {
		t.Run(string(wire), func(t *testing.T) {
			t.Parallel()
			found := 0
			for _, c := range cassette.Load(t, wire) {
				found += len(c.Steps)
				check(t, c)
			}
			if found < steps {
				t.Errorf("%d steps, want %d", found, steps)
			}
		})
	}
}

func check(t *testing.T, c *cassette.Cassette) {
	t.Helper()
	var before *cassette.Answer
	for n := range c.Steps {
		r, err := cassette.ReadRequest(c.Wire, c.Steps[n].Request)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		a, err := c.Steps[n].ReadAnswer()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if len(r.Entries) == 0 || r.System == "" || c.Steps[n].Model == "" || r.MaxTokens == 0 {
			t.Errorf("%s: an incomplete request: %+v", c.Name, r)
		}
		if a.Text == "" && len(a.Calls) == 0 || a.Prompt == 0 || a.Output == 0 {
			t.Errorf("%s: an incomplete answer: %+v", c.Name, a)
		}
		if before != nil {
			again(t, c, &r, before)
		}
		before = &a
	}
}

// again compares an answer with the next request. A client makes up the ids that an
// answer lacks, and the recorded one lost signatures of OpenRouter.
func again(t *testing.T, c *cassette.Cassette, r *cassette.Request, a *cassette.Answer) {
	t.Helper()
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.Role != "assistant" {
			continue
		}
		ignore := []cmp.Option{cmpopts.IgnoreFields(cassette.Call{}, "Raw"), cmpopts.EquateEmpty()}
		if len(a.Calls) > 0 && a.Calls[0].ID == "" {
			ignore = append(ignore, cmpopts.IgnoreFields(cassette.Call{}, "ID"))
		}
		if d := cmp.Diff(a.Calls, e.Calls, ignore...); d != "" {
			t.Errorf("%s: calls (-answered +sent back):\n%s", c.Name, d)
		}
		if d := cmp.Diff(a.Signatures, e.Signatures, ignore...); d != "" && c.Wire != cassette.OpenAI {
			t.Errorf("%s: signatures (-answered +sent back):\n%s", c.Name, d)
		}
	}
}
