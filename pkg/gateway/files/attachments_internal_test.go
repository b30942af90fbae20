package files

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

	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/providers"
)

// shelf is a channel with the files that the test puts there.
type shelf struct {
	files map[string]func(context.Context) (io.Reader, error)
}

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

// keeper fetches files for one chat into a space.
func keeper(
	t *testing.T, limit int64, files map[string]func(context.Context) (io.Reader, error),
) (fetch func(ref, name string, size int64) prompt.Fetched, space string) {
	t.Helper()
	fetchIn, space := keeperOfChats(t, limit, files)
	return func(ref, name string, size int64) prompt.Fetched { return fetchIn("1", ref, name, size) }, space
}

// keeperOfChats fetches files for any chat; all share one space.
func keeperOfChats(
	t *testing.T, limit int64, files map[string]func(context.Context) (io.Reader, error),
) (fetch func(chat, ref, name string, size int64) prompt.Fetched, space string) {
	t.Helper()
	at := channels.Address{Channel: "telegram", Account: "7"}
	a := NewAttachments(AttachmentOptions{
		Limit: limit, Log: zerolog.Nop(), Opener: func(of channels.Address) (channels.AttachmentOpener, bool) {
			return &shelf{files: files}, of.Channel == at.Channel && of.Account == at.Account
		},
	})
	space = filepath.Join(t.TempDir(), "space")
	return func(chat, ref, name string, size int64) prompt.Fetched {
		from := at
		from.Chat = chat
		return a.Fetch(t.Context(), from, space, channels.Attachment{About: "file", Ref: ref, Name: name, Size: size})
	}, space
}

func inInbox(t *testing.T, space string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	entries, err := os.ReadDir(filepath.Join(space, Inbox))
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
	kept := func(name string) prompt.Fetched {
		return prompt.Fetched{Outcome: "saved as inbox/" + name, Path: "inbox/" + name}
	}
	shown := kept("p.txt")
	shown.Picture = &providers.Image{MIME: "image/png", Path: "inbox/p.txt", Size: 15}
	failed, large := prompt.Fetched{Outcome: "could not be fetched"}, prompt.Fetched{Outcome: "too large to fetch"}
	for _, c := range []struct {
		ref, name string
		size      int64
		want      prompt.Fetched
	}{
		{"one", "a.txt", 8, kept("a.txt")},
		{"two", "a.txt", 8, kept("a-2.txt")},
		{"longer", "a.txt", 0, kept("a-3.txt")},
		{"one", "a.txt", 8, kept("a.txt")},
		{"two", "a.txt", 8, kept("a-2.txt")},
		{"picture", "p.txt", 15, shown},
		{"large", "l.png", 0, kept("l.png")},
		{"refused", "b.txt", 8, failed},
		{"cut", "b.txt", 8, failed},
		{"endless", "b.txt", 8, large},
		{"refuses", "b.txt", 8, large},
		{"one", "b.txt", maxFile + 1, large},
		{"one", "../../etc/pass\x00wd", 8, kept("pass_wd")},
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

// TestFilesOfAChatAreBounded by their size together, and small ones by their number.
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
	var sum int64
	for _, n := range inInbox(t, space) {
		sum += n
	}
	full := "not fetched: the files of this chat already take the 2 MB that they may"
	if n := len(slices.DeleteFunc(outcomes, func(s string) bool { return s != full })); n < 11 || sum > limit {
		t.Errorf("%d of 20 were refused, %d bytes are kept: %q", n, sum, outcomes)
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
		if err := os.Remove(filepath.Join(space, Inbox, name)); err != nil {
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
				fetch, _ := keeperOfChats(t, 500e6,
					map[string]func(context.Context) (io.Reader, error){"hangs": func(ctx context.Context) (io.Reader, error) {
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
		at := filepath.Join(space, Inbox, partial+name)
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
