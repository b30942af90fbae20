package console_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
)

func TestInterruptStopsFirstAndLeavesSecond(t *testing.T) {
	t.Parallel()
	s, out := newSink(), &screen{}
	in, typed := pipe(t)
	c := console.New(console.Options{In: in, Out: out, Interactive: true})
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, s.ingress()) }()
	if _, err := typed.WriteString("work\n"); err != nil {
		t.Fatal(err)
	}
	<-s.items
	if c.Interrupt() {
		t.Error("the first interrupt leaves")
	}
	if got := (<-s.items).Text; got != "/stop" {
		t.Errorf("delivered %q", got)
	}
	if !c.Interrupt() {
		t.Error("the second interrupt stays")
	}
	leave()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v", err)
	}
	c.Interrupt() // a third one does no harm
}

// TestInterruptLeavesTheEndOfRunToItsCaller: the caller's cause decides the exit
// code, so Run goes on until the caller ends its context. Each typed line is a
// chance to see a Run that ended by itself.
func TestInterruptLeavesTheEndOfRunToItsCaller(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]console.Options{
		"nothing was said": {},
		"told so":          {Busy: func() bool { return false }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, typed := pipe(t)
			opt.In, opt.Out, opt.Interactive = in, io.Discard, true
			s, c := newSink(), console.New(opt)
			ctx, leave := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- c.Run(ctx, s.ingress()) }()
			if !c.Interrupt() {
				t.Error("it stays")
			}
			for range 10 {
				if _, err := typed.WriteString("still here\n"); err != nil {
					t.Fatal(err)
				}
				select {
				case <-s.items:
				case err := <-ended:
					t.Fatalf("Run ended by itself: %v", err)
				}
			}
			leave()
			if err := <-ended; err != nil {
				t.Errorf("Run = %v", err)
			}
		})
	}
}

func TestInterruptCallsBack(t *testing.T) {
	t.Parallel()
	calls := 0
	c := console.New(console.Options{Out: io.Discard, Busy: func() bool { return true }, OnInterrupt: func() { calls++ }})
	if c.Interrupt() || calls != 1 {
		t.Errorf("%d calls", calls)
	}
	if !c.Interrupt() || calls != 1 {
		t.Errorf("the second leaves and stops nothing: %d calls", calls)
	}
}

func TestClosedOutputEndsRun(t *testing.T) {
	t.Parallel()
	in, _ := pipe(t)
	reader, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	_ = reader.Close()
	c := console.New(console.Options{In: in, Out: out})
	ended := make(chan error, 1)
	go func() { ended <- c.Run(t.Context(), newSink().ingress()) }()
	_, err = c.Send(t.Context(), channels.Part{Outbound: channels.Outbound{Text: "lost"}, Count: 1})
	if se := channels.ClassOf(err); se.Class != channels.SendTransient || !errors.Is(err, console.ErrOutput) {
		t.Errorf("Send = %v", err)
	}
	if err := <-ended; !errors.Is(err, console.ErrOutput) {
		t.Errorf("Run = %v", err)
	}
}

func TestStoppedTerminalHoldsUpNobody(t *testing.T) {
	t.Parallel()
	out := &screen{}
	c := console.New(console.Options{Out: out})
	resume := out.stall()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			if _, err := c.Send(ctx, channels.Part{Outbound: channels.Outbound{Text: "text"}, Count: 1}); err == nil {
				t.Error("Send has a receipt of a terminal that is stopped")
			}
		})
	}
	wg.Wait()
	resume()
	show(t, c, "after", "")
	if got := out.String(); strings.Count(got, "text") > 1 || !strings.HasSuffix(got, "after\n") {
		t.Errorf("shown %q", got)
	}
}
