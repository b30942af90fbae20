package e2e_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"parley/internal/test/fakegemini"
	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
)

// TestAConversationWithGemini goes over several turns and calls. The gateway is killed
// while the model is asked for its answer to a result; Gemini's server wants its
// signatures back all the same.
func TestAConversationWithGemini(t *testing.T) {
	t.Parallel()
	effect := fakegemini.Call("", "effect", `{"text":"once"}`)
	hangs := make(chan struct{})
	srv := fakegemini.New(fakegemini.Options{Script: func(r fakegemini.Request) fakegemini.Reply {
		signature := fmt.Sprint("signature", r.N)
		switch r.N {
		case 2, 4:
			return fakegemini.Ends("STOP", fakegemini.Thought("hm"), fakegemini.Signed(effect, signature))
		case 5:
			close(hangs)
			return fakegemini.Reply{Silence: true}
		}
		return fakegemini.Ends("STOP", fakegemini.Text("answer "), fakegemini.Text(fmt.Sprint(r.N)),
			fakegemini.Signed(fakegemini.Text(""), signature))
	}})
	t.Cleanup(srv.Close)
	w := prepare(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("no") }, rig.Config{})
	w.configure(settings{})
	w.asks("gemini", "gemini-3-pro", srv.URL())
	w.start()
	t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
	})
	w.say("chat", "hello")
	w.expect("chat", 1, "answer 1")
	w.say("chat", "act")
	w.expect("chat", 2, "answer 3")
	w.say("chat", "act again")
	select {
	case <-hangs:
	case <-w.ctx.Done():
		t.Fatal("the model is not asked")
	}
	w.kill()
	w.start()
	w.expect("chat", 3, "answer 6")
	if v := srv.Violations(); len(v) > 0 {
		t.Errorf("requests to Gemini broke its rules: %q", v)
	}
	requests := srv.Requests()
	last := fmt.Sprint(requests[len(requests)-1].Body["contents"])
	for n := 1; n < 5; n++ {
		if signature := fmt.Sprint("signature", n); !bytes.Contains([]byte(last), []byte(signature)) {
			t.Errorf("the last request lacks %s: %s", signature, last)
		}
	}
	if slices.Contains(w.texts("chat"), "no") {
		t.Error("the other model was asked")
	}
}
