package panics_test

import (
	"bytes"
	"runtime"
	"testing"

	"parley/pkg/panics"
)

func explode() { panic("a bug") }

func TestCatch(t *testing.T) {
	t.Parallel()
	ran := false
	if p := panics.Catch(func() { ran = true }); p != nil || !ran {
		t.Errorf("caught %v of a function that returned, ran %v", p, ran)
	}
	p := panics.Catch(explode)
	if p == nil || p.Value != "a bug" || p.Error() != "panic: a bug" || !bytes.Contains(p.Stack, []byte("explode")) {
		t.Errorf("caught %+v, want the panic with its stack", p)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		f     func()
		value any
		fails bool
	}{
		"returns":            {f: func() {}},
		"panics":             {f: explode, value: "a bug", fails: true},
		"ends its goroutine": {f: runtime.Goexit, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := make(chan *panics.Error, 2)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				panics.Watch(c.f, func(failed *panics.Error) { told <- failed })
			}()
			<-ended
			close(told)
			failed := <-told
			if (failed != nil) != c.fails || failed != nil && failed.Value != c.value {
				t.Errorf("told of %+v, want a failure %v with %v", failed, c.fails, c.value)
			}
			if _, again := <-told; again {
				t.Error("told twice")
			}
		})
	}
}
