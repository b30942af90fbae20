package files_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// postman takes the sent files.
type postman struct {
	mu    sync.Mutex
	terms files.Terms
	err   error
	sent  []parcel
}

// parcel is a sent file with its call.
type parcel struct {
	Call, Name, Path, Caption, Content string
	Photo                              bool
}

func (p *postman) Terms(context.Context) files.Terms { return p.terms }

func (p *postman) SendFile(ctx context.Context, f files.Parcel) error {
	content, err := io.ReadAll(f.Content)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.sent = append(p.sent, parcel{tools.InvocationFrom(ctx).Chat, f.Name, f.Path, f.Caption, string(content), f.Photo})
	}
	return p.err
}

// post gives a box send_file and the postman that takes its files.
func post(b *box) *postman {
	p := &postman{terms: files.Terms{Files: true, MaxFile: 100, MaxPhoto: 50}}
	b.registry.Register(files.NewSend(files.Options{}, p))
	return p
}

const png = "\x89PNG\r\n\x1a\n"

func TestSendFile(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{
		"notes/a b.txt": "text", "pic": png, "large.png": png + strings.Repeat("x", 60),
		"gif.gif": "GIF89a..", "line\nbreak": "x", "full": strings.Repeat("x", 100),
	})
	tests := []struct {
		name string
		args map[string]any
		want parcel
	}{
		{
			"a text", args("path", "notes//a b.txt", "caption", "**see**"),
			parcel{Name: "a b.txt", Path: b.path("notes/a b.txt"), Caption: "**see**", Content: "text"},
		},
		{"a picture", args("path", "pic"), parcel{Name: "pic", Path: b.path("pic"), Content: png, Photo: true}},
		{"a picture, auto", args("path", "pic", "as", "auto"), parcel{Name: "pic", Path: b.path("pic"), Content: png, Photo: true}},
		{"a picture as document", args("path", "pic", "as", "document"), parcel{Name: "pic", Path: b.path("pic"), Content: png}},
		{
			"a text as photo", args("path", "notes/a b.txt", "as", "photo"),
			parcel{Name: "a b.txt", Path: b.path("notes/a b.txt"), Content: "text", Photo: true},
		},
		{
			"a picture that is large", args("path", "large.png"),
			parcel{Name: "large.png", Path: b.path("large.png"), Content: png + strings.Repeat("x", 60)},
		},
		{"an animation", args("path", "gif.gif"), parcel{Name: "gif.gif", Path: b.path("gif.gif"), Content: "GIF89a.."}},
		{"a name of two lines", args("path", "line\nbreak"), parcel{Name: "line_break", Path: b.path("line\nbreak"), Content: "x"}},
		{"the largest", args("path", "full"), parcel{Name: "full", Path: b.path("full"), Content: strings.Repeat("x", 100)}},
		{
			"the longest caption", args("path", "pic", "caption", strings.Repeat("😀", 450)),
			parcel{Name: "pic", Path: b.path("pic"), Content: png, Photo: true, Caption: strings.Repeat("😀", 450)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			own := &box{dir: b.dir, registry: tools.NewToolRegistry()}
			p := post(own)
			res := own.call(t.Context(), "send_file", tt.args)
			if res.IsError || !res.Silent || res.ForUser != "" {
				t.Errorf("result %+v", res)
			}
			if diff := cmp.Diff([]parcel{tt.want}, p.sent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSendFileRefuses files that cannot be sent, and names the alternative.
func TestSendFileRefuses(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"dir/a": "x", "empty": "", "large": strings.Repeat("x", 101), "large.png": png + strings.Repeat("x", 60)})
	for name, tc := range map[string]struct {
		args       map[string]any
		want, says string
	}{
		"missing":       {args("path", "nothing.txt"), "not_found", "there is no such file"},
		"folder":        {args("path", "dir"), "invalid_arguments", "list_dir"},
		"the space":     {args("path", "."), "invalid_arguments", "list_dir"},
		"empty":         {args("path", "empty"), "invalid_arguments", "nothing to send"},
		"too large":     {args("path", "large"), "invalid_arguments", "101 bytes, and at most 100 can be sent here; send a smaller"},
		"no photo":      {args("path", "large.png", "as", "photo"), "invalid_arguments", `as \"document\"`},
		"a long text":   {args("path", "dir/a", "caption", strings.Repeat("x", 901)), "invalid_arguments", "into your answer"},
		"unknown kind":  {args("path", "dir/a", "as", "video"), "invalid_arguments", "photo"},
		"no path":       {args("caption", "x"), "invalid_arguments", "path"},
		"another chat":  {args("path", "dir/a", "chat_id", "2"), "invalid_arguments", "chat_id"},
		"a number path": {args("path", 5), "invalid_arguments", "path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := &box{dir: b.dir, registry: tools.NewToolRegistry()}
			p := post(own)
			res := own.call(t.Context(), "send_file", tc.args)
			if errorType(res) != tc.want || !strings.Contains(res.ForLLM, tc.says) || strings.Contains(res.ForLLM, b.dir) || len(p.sent) > 0 {
				t.Errorf("%s, sent %d", res.ForLLM, len(p.sent))
			}
		})
	}
}

// TestSendFileSendsNothingFromOutside tries every way out of the space.
func TestSendFileSendsNothingFromOutside(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	b.traps(t)
	p := post(b)
	for _, path := range []string{
		"..", "../secret.txt", "a/../../secret.txt", "../space-two/secret.txt",
		b.path("../space-two/secret.txt"), b.path("../secret.txt"), "/etc/passwd",
		"/proc/self/environ", "/dev/zero", "inside.txt\x00.md", "relative", "absolute", "up/secret.txt", "environ", "hard", "fifo", "socket",
	} {
		if got := errorType(b.call(t.Context(), "send_file", args("path", path))); got != "security_violation" {
			t.Errorf("%q: %s", path, got)
		}
	}
	if len(p.sent) > 0 {
		t.Errorf("sent %+v", p.sent)
	}
	if res := b.call(t.Context(), "send_file", args("path", "good")); res.IsError || len(p.sent) != 1 || p.sent[0].Content != "inside" {
		t.Errorf("a link within the space: %s, %+v", res.ForLLM, p.sent)
	}
}

// TestSendFileKeepsToItsChat sends from many chats at once.
func TestSendFileKeepsToItsChat(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	p := post(b)
	var wg sync.WaitGroup
	want := map[string]string{}
	for i := range 90 {
		chat := "chat" + strings.Repeat("x", i)
		space := filepath.Join(b.dir, chat)
		b.write(t, chat+"/file", chat)
		want[chat] = chat
		wg.Go(func() {
			ctx := tools.WithInvocation(t.Context(), tools.Invocation{Chat: chat, Space: space})
			if res := b.registry.Execute(ctx, "send_file", args("path", "file")); res.IsError {
				t.Error(res.ForLLM)
			}
		})
	}
	wg.Wait()
	got := map[string]string{}
	for _, s := range p.sent {
		got[s.Call] = s.Content
	}
	if diff := cmp.Diff(want, got); diff != "" || len(p.sent) != 90 {
		t.Errorf("%d sent: %s", len(p.sent), diff)
	}
}

func TestSendFileFails(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"a": "x"})
	p := post(b)
	p.err = errors.New("disk full at a private place")
	res := b.call(t.Context(), "send_file", args("path", "a"))
	if errorType(res) != "execution_failed" || !errors.Is(res.Err, p.err) || strings.Contains(res.ForLLM, "private") {
		t.Errorf("result %+v", res)
	}
	p.err = tools.Fail(tools.ErrBusy, "too much waits", nil)
	if res := b.call(t.Context(), "send_file", args("path", "a")); errorType(res) != "busy" {
		t.Errorf("result %+v", res)
	}
	p.err, p.terms = nil, files.Terms{}
	if res := b.call(t.Context(), "send_file", args("path", "a")); res.IsError || !strings.Contains(res.ForLLM, "cannot show files") {
		t.Errorf("result %+v", res)
	}
}

func TestSendFileAnnotations(t *testing.T) {
	t.Parallel()
	a := tools.AnnotationsOf(files.NewSend(files.Options{}, &postman{}))
	if a.ReadOnly || a.Idempotent || a.Destructive || !a.Ordered || a.Level != tools.LevelRead {
		t.Errorf("annotations %+v", a)
	}
}
