package tools_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"parley/pkg/tools"
)

// facts are the facts of one call that a tool keeps, in plain fields.
type facts struct {
	channel, chat string
	cb            tools.AsyncCallback
}

// report answers at once and reads the facts again in the background.
func report(ctx context.Context, args map[string]any, read func() facts) *tools.ToolResult {
	first := read()
	go func() {
		runtimeYield(ctx)
		f := read()
		f.cb(ctx, tools.NewToolResult(fmt.Sprint(f.channel, "/", f.chat, " ", args["n"], " ", tools.InvocationFrom(ctx).Chat)))
	}()
	return tools.AsyncResult(first.channel + "/" + first.chat)
}

// runtimeYield lets other calls run in between, as real work would.
func runtimeYield(ctx context.Context) {
	for range 10 {
		select {
		case <-ctx.Done():
			return
		default:
			runtime.Gosched()
		}
	}
}

type plainTool struct {
	channel, chat string
	cb            tools.AsyncCallback
	hits          int
}

func (p *plainTool) Name() string                       { return "report" }
func (p *plainTool) Description() string                { return "reports its chat" }
func (p *plainTool) Parameters() map[string]any         { return nil }
func (p *plainTool) SetContext(channel, chat string)    { p.channel, p.chat = channel, chat; p.hits++ }
func (p *plainTool) SetCallback(cb tools.AsyncCallback) { p.cb = cb }
func (p *plainTool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	return report(ctx, args, func() facts { return facts{p.channel, p.chat, p.cb} })
}

// clonedTool has a map, which a shallow copy would share.
type clonedTool struct {
	plainTool
	seen map[string]int
}

func (c *clonedTool) Clone() tools.Tool { return &clonedTool{seen: map[string]int{}} }
func (c *clonedTool) SetContext(channel, chat string) {
	c.seen[chat]++
	c.plainTool.SetContext(channel, chat)
}

// lockedTool keeps its facts behind a mutex and counts in a map.
type lockedTool struct {
	mu   sync.Mutex
	f    facts
	seen map[string]int
}

func (l *lockedTool) Name() string               { return "report" }
func (l *lockedTool) Description() string        { return "reports its chat" }
func (l *lockedTool) Parameters() map[string]any { return nil }
func (l *lockedTool) SetContext(channel, chat string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.f.channel, l.f.chat = channel, chat
	l.seen[chat]++
}

func (l *lockedTool) SetCallback(cb tools.AsyncCallback) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.f.cb = cb
}

func (l *lockedTool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	return report(ctx, args, func() facts {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.f
	})
}

// embeddingTool shares its facts with every shallow copy, through the pointer.
type embeddingTool struct{ *plainTool }

// sharingTool embeds a pointer to plain facts, which every shallow copy would share.
type sharingTool struct{ *facts }

func (s *sharingTool) Name() string                       { return "report" }
func (s *sharingTool) Description() string                { return "reports its chat" }
func (s *sharingTool) Parameters() map[string]any         { return nil }
func (s *sharingTool) SetContext(channel, chat string)    { s.channel, s.chat = channel, chat }
func (s *sharingTool) SetCallback(cb tools.AsyncCallback) { s.cb = cb }
func (s *sharingTool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	return report(ctx, args, func() facts { return *s.facts })
}

// pointingTool hands the facts on to a tool of a known type.
type pointingTool struct{ inner *plainTool }

func (p *pointingTool) Name() string                       { return "report" }
func (p *pointingTool) Description() string                { return "wraps" }
func (p *pointingTool) Parameters() map[string]any         { return nil }
func (p *pointingTool) SetContext(channel, chat string)    { p.inner.SetContext(channel, chat) }
func (p *pointingTool) SetCallback(cb tools.AsyncCallback) { p.inner.SetCallback(cb) }
func (p *pointingTool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	return p.inner.Execute(ctx, args)
}

// forwardingTool hands the facts on to the tool that it wraps.
type forwardingTool struct {
	name  string
	inner tools.Tool
}

func (f *forwardingTool) Name() string               { return f.name }
func (f *forwardingTool) Description() string        { return "wraps" }
func (f *forwardingTool) Parameters() map[string]any { return f.inner.Parameters() }
func (f *forwardingTool) SetContext(channel, chat string) {
	if c, ok := f.inner.(tools.ContextualTool); ok {
		c.SetContext(channel, chat)
	}
}

func (f *forwardingTool) SetCallback(cb tools.AsyncCallback) {
	if a, ok := f.inner.(tools.AsyncTool); ok {
		a.SetCallback(cb)
	}
}

func (f *forwardingTool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	return f.inner.Execute(ctx, args)
}

// inheritingTool has the Clone of the tool it wraps, which would lose the wrapper.
type inheritingTool struct{ *clonedTool }

func (i *inheritingTool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	res := i.clonedTool.Execute(ctx, args)
	res.ForLLM = "wrapped " + res.ForLLM
	return res
}

// valueFields keeps its facts in a struct that lies within it.
type valueFields struct{ plainTool }

// selfish says it clones and gives itself away.
type selfish struct{ lockedTool }

func (s *selfish) Clone() tools.Tool { return s }

// kind is one way to keep the facts of a call; held says that one call runs at a time.
type kind struct {
	register func(r *tools.ToolRegistry)
	held     bool
	prefix   string
}

func kinds() map[string]kind {
	reg := func(tool func() tools.Tool) func(*tools.ToolRegistry) {
		return func(r *tools.ToolRegistry) { r.Register(tool()) }
	}
	return map[string]kind{
		"non-cloner": {register: reg(func() tools.Tool { return &plainTool{} })},
		"value":      {register: reg(func() tools.Tool { return &valueFields{} })},
		"cloner":     {register: reg(func() tools.Tool { return &clonedTool{seen: map[string]int{}} })},
		"factory": {register: func(r *tools.ToolRegistry) {
			r.RegisterFunc("report", func() tools.Tool { return &lockedTool{seen: map[string]int{}} })
		}},
		"lazy": {register: func(r *tools.ToolRegistry) {
			err := r.RegisterWith(&plainTool{}, tools.RegisterOptions{Construct: func() (tools.Tool, error) { return &plainTool{}, nil }})
			if err != nil {
				panic(err)
			}
		}},
		"mutex and map":    {held: true, register: reg(func() tools.Tool { return &lockedTool{seen: map[string]int{}} })},
		"embedded pointer": {held: true, register: reg(func() tools.Tool { return &embeddingTool{&plainTool{}} })},
		"embedded facts":   {held: true, register: reg(func() tools.Tool { return &sharingTool{&facts{}} })},
		"pointer to tool":  {held: true, register: reg(func() tools.Tool { return &pointingTool{&plainTool{}} })},
		"wrapper":          {held: true, register: reg(func() tools.Tool { return &forwardingTool{"report", &plainTool{}} })},
		"inherited clone": {
			held:     true,
			prefix:   "wrapped ",
			register: reg(func() tools.Tool { return &inheritingTool{&clonedTool{seen: map[string]int{}}} }),
		},
		"clone of itself": {held: true, register: reg(func() tools.Tool { return &selfish{lockedTool{seen: map[string]int{}}} })},
	}
}

const chats = 300

func TestEveryCallSeesItsOwnChatOnly(t *testing.T) {
	t.Parallel()
	for name, k := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logs := &logBuffer{}
			r := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.WarnLevel)})
			k.register(r)
			if warned := strings.Contains(logs.String(), "one call at a time"); warned != k.held {
				t.Errorf("held %v, but the log says: %s", k.held, logs)
			}
			var told [chats]atomic.Int32
			var all, ended sync.WaitGroup
			ended.Add(chats)
			for n := range chats {
				all.Go(func() {
					channel, chat := fmt.Sprint("c", n%3), fmt.Sprint("chat", n)
					cb := func(_ context.Context, res *tools.ToolResult) {
						if told[n].Add(1) == 1 {
							defer ended.Done()
						}
						if want := fmt.Sprint(channel, "/", chat, " ", n, " ", chat); res.ForLLM != want {
							t.Errorf("called back with %q, want %q", res.ForLLM, want)
						}
					}
					res := r.ExecuteWithContext(t.Context(), "report", map[string]any{"n": n}, channel, chat, cb)
					if want := k.prefix + channel + "/" + chat; res.ForLLM != want || !res.Async {
						t.Errorf("result %+v, want %q", res, want)
					}
				})
			}
			all.Wait()
			ended.Wait()
			for n := range chats {
				if got := told[n].Load(); got != 1 {
					t.Errorf("chat %d was told %d times", n, got)
				}
			}
		})
	}
}

func TestNothingOfAnEarlierCallIsSeen(t *testing.T) {
	t.Parallel()
	for name, k := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := tools.NewToolRegistry()
				k.register(r)
				told := make(chan string, 2)
				cb := func(_ context.Context, res *tools.ToolResult) { told <- res.ForLLM }
				first := r.ExecuteWithContext(t.Context(), "report", map[string]any{"n": 1}, "telegram", "A", cb)
				if first.ForLLM != k.prefix+"telegram/A" {
					t.Errorf("first %+v", first)
				}
				if got := <-told; got != "telegram/A 1 A" {
					t.Errorf("told %q", got)
				}
				for _, s := range []struct {
					what, channel, chat, want string
				}{
					{"another chat, no callback", "telegram", "B", "telegram/B"},
					{"empty channel and chat", "", "", "/"},
					{"chat without channel", "", "C", "/C"},
				} {
					res := r.ExecuteWithContext(t.Context(), "report", nil, s.channel, s.chat, nil)
					synctest.Wait() // until its callback is dropped
					if res.ForLLM != k.prefix+s.want {
						t.Errorf("%s: %q, want %q", s.what, res.ForLLM, s.want)
					}
				}
				if res := r.Execute(t.Context(), "report", nil); res.ForLLM != k.prefix+"/" {
					t.Errorf("Execute without injection: %q", res.ForLLM)
				}
				synctest.Wait()
				if len(told) != 0 {
					t.Errorf("told once more: %q", <-told)
				}
			})
		})
	}
}

// countingTool counts its injections, where the test can see it.
type countingTool struct {
	plainTool
	contexts, callbacks *atomic.Int32
}

func (c *countingTool) SetContext(_, _ string) { c.contexts.Add(1) }
func (c *countingTool) SetCallback(cb tools.AsyncCallback) {
	c.callbacks.Add(1)
	c.plainTool.SetCallback(cb)
}

func TestSetContextOnlyWhenChannelOrChatIsGiven(t *testing.T) {
	t.Parallel()
	var contexts, callbacks atomic.Int32
	r := tools.NewToolRegistry()
	r.Register(&countingTool{contexts: &contexts, callbacks: &callbacks})
	for _, in := range [][2]string{{"", ""}, {"telegram", ""}, {"", "42"}, {"telegram", "42"}} {
		r.ExecuteWithContext(t.Context(), "report", nil, in[0], in[1], nil)
	}
	r.Execute(t.Context(), "report", nil)
	if contexts.Load() != 3 || callbacks.Load() != 5 {
		t.Errorf("SetContext %d times, want 3; SetCallback %d times, want 5", contexts.Load(), callbacks.Load())
	}
}

func TestACopyIsTheValueAsRegistered(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	tool := &plainTool{}
	r.Register(tool)
	tool.SetContext("someone", "else") // as a caller might that knows the tool
	if res := r.Execute(t.Context(), "report", nil); res.ForLLM != "/" {
		t.Errorf("a call saw %q", res.ForLLM)
	}
}
