package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/providers"
)

func TestALargeMessageDoesNotHideWhatWasSaidBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if said := users(msgs); said[len(said)-1] == "what was first?" {
			return say(strings.Join([]string{said[0], said[1][:9], said[len(said)-1]}, ","))
		}
		return say("heard")
	}), nil)
	w.write("1", "1", "the first")
	w.expectText("heard")
	w.write("1", "1", "the large"+strings.Repeat(" word", 200_000))
	w.expectText("heard")
	w.write("1", "1", "what was first?")
	w.expectText("the first,the large,what was first?")
	w.settled()
}

func TestPicturesOfEarlierTurnsAreBounded(t *testing.T) {
	t.Parallel()
	const size = 3 << 20
	var carried, newest atomic.Int64
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		var total int64
		for _, m := range msgs {
			for _, img := range m.Images {
				total += img.Size
			}
		}
		carried.Store(total)
		newest.Store(int64(len(last(msgs).Images)))
		return say("seen")
	}), nil, withOptions(func(o *agent.Options) {
		o.Files.Fetch = func(_ context.Context, _ channels.Address, _ string, f channels.Attachment) prompt.Fetched {
			return prompt.Fetched{Picture: &providers.Image{MIME: "image/png", Path: f.Name, Size: size}}
		}
	}))
	for i := range 8 {
		w.accept(attached(string(rune('a'+i)), "", channels.Attachment{About: "photo", Ref: "r", Name: "a.png"}))
		w.expectText("seen")
		if newest.Load() != 1 {
			t.Error("the picture that was just sent is missing")
		}
	}
	if mb := carried.Load() >> 20; mb > 12 {
		t.Errorf("a request carried %d MB of pictures", mb)
	}
	w.settled()
}
