package prefix

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
	"parley/pkg/providers"
)

// Talk lets a gateway of the binary, in the folder dir and with these settings of its tools,
// talk to a model that answers with answer, and gives the requests that the model got.
func Talk(
	ctx context.Context, bin, dir string, tools map[string]any, answer func(fakemodel.Request) fakemodel.Answer, work func(*rig.Gateway) error,
) ([]*Request, error) {
	var mu sync.Mutex
	var bodies [][]byte
	model := fakemodel.NewHandler(fakemodel.Options{Keep: -1, Script: func(req fakemodel.Request) fakemodel.Answer {
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, req.Body)
		return answer(req)
	}})
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	srv := &http.Server{Handler: model.Handler(), ReadHeaderTimeout: time.Minute}
	defer srv.Close()
	go func() { _ = srv.Serve(ln) }()
	gw, err := rig.NewGateway(bin, dir, rig.Config{ModelURL: "http://" + ln.Addr().String() + "/v1", Tools: tools})
	if err != nil {
		return nil, err
	}
	if err := work(gw); err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	requests := make([]*Request, len(bodies))
	for i, body := range bodies {
		if requests[i], err = Read(body); err != nil {
			return nil, err
		}
	}
	return requests, nil
}

const (
	// Turns are those of a [Month].
	Turns = 200
	// Full is the turn from which its history is full.
	Full = 60
	// TurnsADay is how many turns a day has.
	turnsADay = 7
	// MemoryEvery is how often MEMORY.md is written, in turns.
	memoryEvery = 10
	// A turn has about 400 tokens, a sixtieth of the history's 24,000.
	questionBytes, answerBytes = 400, 1180
)

// Month is a conversation of 200 turns on the console, and gives the requests for its
// answers; those for summaries, which offer no tools, are others. Every tenth turn writes
// MEMORY.md.
// Each day is a process of its own with another date: the time zones of odd and even
// days are a day apart. Where tools are offered on demand, the first writing turn finds its own.
func Month(ctx context.Context, bin, dir string, tools map[string]any) ([]*Request, error) {
	requests, err := Talk(ctx, bin, dir, tools, monthsAnswer, func(gw *rig.Gateway) error {
		for day, turn := 0, 1; turn <= Turns; day++ {
			var lines strings.Builder
			for range turnsADay {
				if turn <= Turns {
					fmt.Fprintf(&lines, "question %d: %s\n", turn, filler(questionBytes))
				}
				turn++
			}
			cmd := gw.Command(ctx, []string{"TZ=" + []string{"Etc/GMT+12", "Etc/GMT-14"}[day%2]}, "chat")
			cmd.Stdin = strings.NewReader(lines.String())
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("day %d: %w: %.500s", day, err, out)
			}
		}
		return nil
	})
	return slices.DeleteFunc(requests, func(r *Request) bool { return len(r.Tools) == 0 }), err
}

// The tools of a month.
const (
	writer = "append_file"
	finder = "find_tools"
)

// monthsAnswer notes something in MEMORY.md every tenth turn, and answers.
func monthsAnswer(req fakemodel.Request) fakemodel.Answer {
	var turn int
	last := &req.Messages[len(req.Messages)-1]
	if last.Role == providers.RoleTool && !strings.Contains(last.Content, writer+"` - ") {
		return fakemodel.Say("Noted. " + filler(answerBytes))
	}
	if _, err := fmt.Sscanf(req.LastUser(), "question %d:", &turn); err != nil {
		return fakemodel.Say("an answer to something else: " + last.Content)
	}
	if turn%memoryEvery == 0 {
		if !slices.ContainsFunc(req.Tools, func(d providers.ToolDefinition) bool { return d.Function.Name == writer }) {
			return fakemodel.Call(finder, `{"query":"`+writer+`"}`)
		}
		args, _ := json.Marshal(map[string]string{ //nolint:errchkjson // two texts
			"path": "MEMORY.md", "content": fmt.Sprintf("- fact of turn %d\n", turn),
		})
		return fakemodel.Call(writer, string(args))
	}
	return fakemodel.Say(fmt.Sprintf("answer %d: %s", turn, filler(answerBytes)))
}

func filler(n int) string { return strings.Repeat("words and ", n/10+1)[:n] } //nolint:mnd // the length of the words

// Shares are how much of each request but the first the one before had, in their order.
func Shares(requests []*Request) []float64 {
	var shares []float64
	for i := 1; i < len(requests); i++ {
		shares = append(shares, requests[i].Share(requests[i-1]))
	}
	return shares
}
