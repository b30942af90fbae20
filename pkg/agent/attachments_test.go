package agent_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent"
	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// attached is a message of the owner with files.
func attached(id, text string, files ...channels.Attachment) channels.Inbound {
	return channels.Inbound{
		ID: id, Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"}, MessageID: id,
		Text: text, Attachments: files, Direct: true, Time: time.Now(),
	}
}

// fetching answers for every file.
func fetching(f func(ctx context.Context, space string, a channels.Attachment) prompt.Fetched) option {
	return withOptions(func(o *agent.Options) {
		o.Files.Fetch = func(ctx context.Context, _ channels.Address, space string, a channels.Attachment) prompt.Fetched {
			return f(ctx, space, a)
		}
	})
}

// TestFilesAreFetchedByTheTurnThatReadsThem and a later one is given the picture
// again, from its file.
func TestFilesAreFetchedByTheTurnThatReadsThem(t *testing.T) {
	t.Parallel()
	var read []string // of each request: the text, and the content of the pictures
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		read = read[:0]
		for _, m := range msgs {
			if m.Role != providers.RoleUser || m.Aside {
				continue
			}
			read = append(read, m.Content)
			for _, img := range m.Images {
				data := "(gone)"
				if f, size, err := img.Open(); err == nil {
					b, err := io.ReadAll(f)
					if err := errors.Join(err, f.Close()); err != nil || int64(len(b)) != size {
						t.Errorf("%d of %d bytes, %v", len(b), size, err)
					}
					data = string(b)
				}
				read = append(read, data)
			}
		}
		return say("seen")
	}), nil, fetching(func(_ context.Context, space string, a channels.Attachment) prompt.Fetched {
		if a.Name != "a.png" {
			return prompt.Fetched{Outcome: "could not be fetched"}
		}
		if err := os.WriteFile(filepath.Join(space, a.Name), []byte("the picture"), 0o600); err != nil {
			t.Error(err)
		}
		return prompt.Fetched{Outcome: "saved as a.png", Picture: &providers.Image{MIME: "image/png", Path: a.Name, Size: 11}}
	}))
	w.accept(attached("1", "look", channels.Attachment{About: "photo", Ref: "r", Name: "a.png"},
		channels.Attachment{About: "voice message", Ref: "v", Name: "v"}))
	w.expectText("seen")
	first := "look\n[photo, saved as a.png]\n[voice message, could not be fetched]"
	if diff := cmp.Diff([]string{first, "the picture"}, read); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w.settled()
	w.restart()
	w.accept(attached("2", "", channels.Attachment{About: "document b", Ref: "b", Name: "b"}))
	w.expectText("seen")
	if diff := cmp.Diff([]string{first, "the picture", "[document b, could not be fetched]"}, read); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	space := w.opts.Files.Space(chatAddr("1"), true)
	if err := errors.Join(os.Remove(filepath.Join(space, "a.png")), os.Symlink("/etc/passwd", filepath.Join(space, "a.png"))); err != nil {
		t.Fatal(err)
	}
	w.accept(attached("3", "again"))
	w.expectText("seen")
	if read[1] != "(gone)" {
		t.Errorf("a link out of the space was followed: %.20q", read[1])
	}
	w.settled()
}

// TestHangingDownloadsAreGivenUp has more of them than are fetched at once.
func TestHangingDownloadsAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var read atomic.Value
		var most, now atomic.Int64
		w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			read.Store(last(msgs).Content)
			return say("seen")
		}), nil, fetching(func(ctx context.Context, _ string, _ channels.Attachment) prompt.Fetched {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			<-ctx.Done()
			return prompt.Fetched{Outcome: "could not be fetched"}
		}))
		w.accept(attached("1", "look", slices.Repeat([]channels.Attachment{{About: "file", Ref: "r", Name: "a"}}, 10)...))
		<-time.After(20*time.Second + time.Millisecond)
		synctest.Wait()
		if len(w.sent) != 1 {
			t.Error("the turn still waits for its files")
		}
		w.expectText("seen")
		text, _ := read.Load().(string)
		if strings.Count(text, "could not be fetched") != 4 || strings.Count(text, "no time was left") != 6 || most.Load() != 4 {
			t.Errorf("%d at once: %q", most.Load(), text)
		}
		w.settled()
	})
}

// TestStopEndsADownload that hangs.
func TestStopEndsADownload(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{}, 1)
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("asked although it was stopped")
	}), nil, fetching(func(ctx context.Context, _ string, _ channels.Attachment) prompt.Fetched {
		hangs <- struct{}{}
		<-ctx.Done()
		return prompt.Fetched{Outcome: "could not be fetched"}
	}))
	w.accept(attached("file", "look", channels.Attachment{About: "file", Ref: "r", Name: "a"}))
	<-hangs
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.settled()
}

// TestDroppedEditsFetchNothing: the edit of a message that was answered is not used.
func TestDroppedEditsFetchNothing(t *testing.T) {
	t.Parallel()
	var fetched atomic.Int64
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("seen")
	}), nil, fetching(func(context.Context, string, channels.Attachment) prompt.Fetched {
		fetched.Add(1)
		return prompt.Fetched{}
	}))
	photo := channels.Attachment{About: "photo", Ref: "r", Name: "a.png"}
	w.accept(attached("1", "lok", photo))
	w.expectText("seen")
	w.settled()
	e := attached("2", "look", photo)
	e.Kind, e.MessageID = channels.KindEdit, "1"
	w.accept(e, attached("3", "next"))
	w.expectText("seen")
	w.settled()
	if n := fetched.Load(); n != 1 {
		t.Errorf("%d files were fetched, want 1", n)
	}
}

// TestFilesThatJoinATurn are fetched before it goes on.
func TestFilesThatJoinATurn(t *testing.T) {
	t.Parallel()
	at, goOn := make(chan struct{}), make(chan struct{})
	var joined atomic.Value
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "begin" {
			return call("wait", "{}")
		}
		joined.Store(last(msgs).Content)
		return say("seen")
	}), []tools.Tool{&waiting{at: at, goOn: goOn}}, fetching(func(context.Context, string, channels.Attachment) prompt.Fetched {
		return prompt.Fetched{Outcome: "saved as a.png"}
	}))
	w.write("1", "1", "begin")
	<-at
	w.accept(attached("9", "and this", channels.Attachment{About: "photo", Ref: "r", Name: "a.png"}))
	close(goOn)
	w.expectText("seen")
	if got := joined.Load(); got != "and this\n[photo, saved as a.png]" {
		t.Errorf("joined as %q", got)
	}
	w.settled()
}

// waiting is a call that says when it runs and ends when it may.
type waiting struct{ at, goOn chan struct{} }

func (*waiting) Name() string               { return "wait" }
func (*waiting) Description() string        { return "waits" }
func (*waiting) Parameters() map[string]any { return map[string]any{"type": "object"} }

func (w *waiting) Execute(context.Context, map[string]any) *tools.ToolResult {
	w.at <- struct{}{}
	<-w.goOn
	return tools.NewToolResult("done")
}
