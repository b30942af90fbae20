package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/providers"
)

// shelf is where files arrive: a channel that has what the test puts there.
type shelf struct {
	channels.Channel

	files map[string]func(context.Context) (io.Reader, error)
}

func (*shelf) Name() string    { return "telegram" }
func (*shelf) Account() string { return "7" }

// OpenAttachment implements [channels.AttachmentOpener].
func (s *shelf) OpenAttachment(ctx context.Context, a channels.Attachment) (io.ReadCloser, error) {
	r, err := s.files[a.Ref](ctx)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(r), nil
}

func has(text string) func(context.Context) (io.Reader, error) {
	return func(context.Context) (io.Reader, error) { return strings.NewReader(text), nil }
}

const png = "\x89PNG\r\n\x1a\n"

// keeper is an app that only fetches files, and a space.
func keeper(t *testing.T, limit int64, files map[string]func(context.Context) (io.Reader, error)) (fetch func(ref, name string, size int64) agent.Fetched, space string) {
	t.Helper()
	fetchIn, space := keeperOfChats(t, limit, files)
	return func(ref, name string, size int64) agent.Fetched { return fetchIn("1", ref, name, size) }, space
}

// keeperOfChats fetches files for any chat; all share one space.
func keeperOfChats(t *testing.T, limit int64, files map[string]func(context.Context) (io.Reader, error)) (fetch func(chat, ref, name string, size int64) agent.Fetched, space string) {
	t.Helper()
	a := &App{inbox: newInbox(limit, zerolog.Nop()), log: zerolog.Nop()}
	a.roster.add(newLine(&shelf{files: files}, nil))
	space = filepath.Join(t.TempDir(), "space")
	return func(chat, ref, name string, size int64) agent.Fetched {
		at := channels.Address{Channel: "telegram", Account: "7", Chat: chat}
		return a.fetch(t.Context(), at, space, channels.Attachment{About: "file", Ref: ref, Name: name, Size: size})
	}, space
}

func inInbox(t *testing.T, space string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	entries, err := os.ReadDir(filepath.Join(space, inboxDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = info.Size()
	}
	return all
}

// TestFilesAreKeptWholeOrNotAtAll also gives the same file twice, and others of its name.
func TestFilesAreKeptWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	fetch, space := keeper(t, 500e6, map[string]func(context.Context) (io.Reader, error){
		"one": has("one text"), "two": has("two text"), "longer": has("one text and more"),
		"picture": has(png + "picture"), "large": has(png + strings.Repeat("x", maxPicture)),
		"refused": func(context.Context) (io.Reader, error) { return nil, broken },
		"cut": func(context.Context) (io.Reader, error) {
			return io.MultiReader(strings.NewReader("beg"), iotest.ErrReader(broken)), nil
		},
		"endless": func(context.Context) (io.Reader, error) { return io.LimitReader(zeroes{}, maxFile+1), nil },
		"refuses": func(context.Context) (io.Reader, error) { return nil, channels.ErrTooLarge },
	})
	saved := func(name string) agent.Fetched { return agent.Fetched{Outcome: "saved as inbox/" + name} }
	shown := saved("p.txt")
	shown.Picture = &providers.Image{MIME: "image/png", Path: "inbox/p.txt", Size: 15}
	failed, large := agent.Fetched{Outcome: "could not be fetched"}, agent.Fetched{Outcome: "too large to fetch"}
	for _, c := range []struct {
		ref, name string
		size      int64
		want      agent.Fetched
	}{
		{"one", "a.txt", 8, saved("a.txt")},
		{"two", "a.txt", 8, saved("a-2.txt")},
		{"longer", "a.txt", 0, saved("a-3.txt")},
		{"one", "a.txt", 8, saved("a.txt")},
		{"two", "a.txt", 8, saved("a-2.txt")},
		{"picture", "p.txt", 15, shown},
		{"large", "l.png", 0, saved("l.png")},
		{"refused", "b.txt", 8, failed},
		{"cut", "b.txt", 8, failed},
		{"endless", "b.txt", 8, large},
		{"refuses", "b.txt", 8, large},
		{"one", "b.txt", maxFile + 1, large},
		{"one", "../../etc/pass\x00wd", 8, saved("pass_wd")},
	} {
		if diff := cmp.Diff(c.want, fetch(c.ref, c.name, c.size)); diff != "" {
			t.Errorf("%s as %s (-want +got)\n%s", c.ref, c.name, diff)
		}
	}
	want := map[string]int64{"a.txt": 8, "a-2.txt": 8, "a-3.txt": 17, "p.txt": 15, "l.png": maxPicture + 8, "pass_wd": 8}
	if diff := cmp.Diff(want, inInbox(t, space)); diff != "" {
		t.Errorf("kept (-want +got)\n%s", diff)
	}
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestFilesOfAChatAreBounded by what they take together, and small ones by their number.
func TestFilesOfAChatAreBounded(t *testing.T) {
	t.Parallel()
	const limit, size = 2_000_000, 200_000
	files := map[string]func(context.Context) (io.Reader, error){"small": has("x")}
	for i := range 20 {
		files[fmt.Sprint(i)] = has(fmt.Sprint(i) + strings.Repeat("x", size))
	}
	fetch, space := keeper(t, limit, files)
	outcomes := make([]string, 20)
	var wg sync.WaitGroup
	for i := range outcomes {
		wg.Go(func() { outcomes[i] = fetch(fmt.Sprint(i), "a.bin", size+2).Outcome })
	}
	wg.Wait()
	var kept int64
	for _, n := range inInbox(t, space) {
		kept += n
	}
	full := "not fetched: the files of this chat already take the 2 MB that they may"
	if n := len(slices.DeleteFunc(outcomes, func(s string) bool { return s != full })); n < 11 || kept > limit {
		t.Errorf("%d of 20 were refused, %d bytes are kept: %q", n, kept, outcomes)
	}
	for i := 0; ; i++ {
		if got := fetch("small", fmt.Sprint(i), 1); got.Outcome == full {
			break
		}
		if i > limit/leastFile {
			t.Fatal("small files are without number")
		}
	}
	for name := range inInbox(t, space) {
		if err := os.Remove(filepath.Join(space, inboxDir, name)); err != nil {
			t.Fatal(err)
		}
		break
	}
	if got := fetch("small", "again", 1); got.Outcome != "saved as inbox/again" {
		t.Errorf("after one was removed: %q", got.Outcome)
	}
}

// TestDownloadsAreGivenUpAfterTenSeconds and no more than sixteen are under way, of
// one chat no more than eight.
func TestDownloadsAreGivenUpAfterTenSeconds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chat   func(i int) string
		atOnce int64
		took   time.Duration
	}{
		"of one chat":     {func(int) string { return "1" }, 8, 30 * time.Second},
		"of twenty chats": {strconv.Itoa, 16, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int64
				fetch, _ := keeperOfChats(t, 500e6, map[string]func(context.Context) (io.Reader, error){"hangs": func(ctx context.Context) (io.Reader, error) {
					most.Store(max(most.Load(), now.Add(1)))
					defer now.Add(-1)
					<-ctx.Done()
					return nil, ctx.Err()
				}})
				began := time.Now()
				var wg sync.WaitGroup
				for i := range 20 {
					wg.Go(func() {
						if got := fetch(c.chat(i), "hangs", "a", 1).Outcome; got != "could not be fetched" {
							t.Errorf("%q", got)
						}
					})
				}
				wg.Wait()
				if took := time.Since(began); took != c.took || most.Load() != c.atOnce {
					t.Errorf("%d at once, given up after %s", most.Load(), took)
				}
			})
		})
	}
}

// TestUnfinishedFilesGo when a process has left them behind.
func TestUnfinishedFilesGo(t *testing.T) {
	t.Parallel()
	fetch, space := keeper(t, 1e6, map[string]func(context.Context) (io.Reader, error){"a": has("a")})
	fetch("a", "a", 1)
	for name, age := range map[string]time.Duration{"old": 2 * time.Hour, "new": time.Minute} {
		at := filepath.Join(space, inboxDir, partial+name)
		if err := os.WriteFile(at, make([]byte, 2e6), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(at, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	fetch("a", "b", 1)
	if diff := cmp.Diff(map[string]int64{"a": 1, "b": 1, partial + "new": 2e6}, inInbox(t, space)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestUnreadUpdatesAreBounded in bytes and in time.
func TestUnreadUpdatesAreBounded(t *testing.T) {
	t.Parallel()
	u := &unread{dir: t.TempDir(), log: zerolog.Nop()}
	keep := u.keep("telegram", "help")
	for _, raw := range []string{`{"update_id":1,"gift":{}}`, `no JSON`, `"` + strings.Repeat("x", maxUnread) + `"`} {
		keep("gift", []byte(raw))
	}
	now, old := filepath.Join(u.dir, unreadFile), filepath.Join(u.dir, unreadOld)
	b, err := os.ReadFile(now)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"account":"help","kind":"gift","bytes":25,"update":{"update_id":1,"gift":{}}}`, `"update":"no JSON"}`, `"bytes":65538}`} {
		if !strings.Contains(string(b), want+"\n") {
			t.Errorf("%s is missing: %s", want, b)
		}
	}
	for range 60 {
		keep("gift", []byte(`"`+strings.Repeat("x", maxUnread-2)+`"`))
	}
	for _, name := range []string{now, old} {
		st, err := os.Stat(name)
		if err != nil || st.Size() > maxUnreadFile {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-unreadAge-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	u.age()
	if entries, err := os.ReadDir(u.dir); err != nil || len(entries) > 0 {
		t.Errorf("%v are left, %v", entries, err)
	}
}
