package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
)

// keyed is a world whose model is asked with the keys of the configuration's list, of which
// the first is in a file.
type keyed struct {
	*world

	mu   sync.Mutex
	file string
	keys []string // of the requests so far
}

func newKeyed(t *testing.T, list string, b func(k *keyed, key string) fakemodel.Answer) *keyed {
	t.Helper()
	k := &keyed{file: filepath.Join(t.TempDir(), "key")}
	k.world = prepare(t, func(r fakemodel.Request) fakemodel.Answer {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		k.mu.Lock()
		k.keys = append(k.keys, key)
		k.mu.Unlock()
		return b(k, key)
	}, rig.Config{})
	k.configure(settings{})
	k.write("sk-canary-number-1")
	text, err := os.ReadFile(k.gw.ConfigPath())
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`api_key: "env:LLM_KEY"`), []byte(strings.ReplaceAll(list, "FILE", "file:"+k.file)), 1)
	if err := os.WriteFile(k.gw.ConfigPath(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	k.start()
	t.Cleanup(func() {
		defer k.process.Kill()
		k.finish()
	})
	return k
}

// write replaces the file of the key.
func (k *keyed) write(key string) {
	if err := os.WriteFile(k.file+".new", []byte(key+"\n"), 0o600); err != nil {
		k.t.Error(err)
	}
	if err := os.Rename(k.file+".new", k.file); err != nil {
		k.t.Error(err)
	}
}

func (k *keyed) asked() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.keys)
}

// log is the gateway's log, which has no key.
func (k *keyed) log() string {
	k.t.Helper()
	log, err := os.ReadFile(k.gw.LogPath())
	if err != nil {
		k.t.Fatal(err)
	}
	if strings.Contains(string(log), "canary") {
		k.t.Errorf("the log has a key:\n%s", log)
	}
	return string(log)
}

// TestTheNextKeyAnswers: the first key is refused, the second one answers, and the first one
// rests.
func TestTheNextKeyAnswers(t *testing.T) {
	t.Parallel()
	k := newKeyed(t, `api_keys: ["FILE", "env:LLM_KEY"]`, func(_ *keyed, key string) fakemodel.Answer {
		if strings.Contains(key, "canary") {
			return fakemodel.Fail(401, "invalid_api_key", "Incorrect API key provided: "+key)
		}
		return fakemodel.Say("fine")
	})
	k.say("chat", "hello")
	k.expect("chat", 1, "fine")
	k.say("chat", "again")
	k.expect("chat", 2, "fine")
	if keys := k.asked(); len(keys) != 3 || keys[0] != "sk-canary-number-1" || keys[1] == keys[0] || keys[2] != keys[1] {
		t.Errorf("asked with %q", keys)
	}
	const line = "asking the model with the next key"
	log := k.log()
	if strings.Count(log, line) != 1 {
		t.Errorf("the log is\n%s", log)
	}
	for l := range strings.Lines(log) {
		for _, part := range []string{`"key":1`, `"next_key":2`, "auth", `"rest":"5m0s"`} {
			if strings.Contains(l, line) && !strings.Contains(l, part) {
				t.Errorf("no %s in %s", part, l)
			}
		}
	}
}

// TestAKeyIsRenewed replaces the file of a key between two turns, and while a request with
// the key before is refused. The gateway goes on without a pause, and hides the new keys.
func TestAKeyIsRenewed(t *testing.T) {
	t.Parallel()
	k := newKeyed(t, `api_key: "FILE"`, func(k *keyed, key string) fakemodel.Answer {
		if key == "sk-canary-number-2" { // it has expired
			k.write("sk-canary-number-3")
			return fakemodel.Fail(401, "UNAUTHENTICATED", "Request had invalid authentication credentials: "+key)
		}
		return fakemodel.Say("with " + key)
	})
	k.say("chat", "hello")
	k.expect("chat", 1, "with [redacted]")
	k.write("sk-canary-number-2")
	k.say("chat", "again")
	k.expect("chat", 2, "with [redacted]")
	if keys := k.asked(); !slices.Equal(keys, []string{"sk-canary-number-1", "sk-canary-number-2", "sk-canary-number-3"}) {
		t.Errorf("asked with %q", keys)
	}
	if log := k.log(); strings.Contains(log, "asking the model") {
		t.Errorf("the person waited:\n%s", log)
	}
}
