package channels_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
)

// filePlatform is a platform that takes files.
type filePlatform struct {
	*platform

	// takes answers an attempt; nil accepts.
	takes func(ctx context.Context, part channels.FilePart) error
}

func (p *filePlatform) SendFile(ctx context.Context, part channels.FilePart) (channels.Receipt, error) {
	f, err := part.Open()
	if err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendRefused, Err: err}
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(f)
	if err != nil {
		return channels.Receipt{}, err
	}
	sent := part.Part
	sent.Text = fmt.Sprintf("%s=%s (%s)", part.File.Name, content, part.Text)
	if p.takes != nil {
		if err := p.takes(ctx, part); err != nil {
			p.box.note("no file " + part.ID)
			return channels.Receipt{}, err
		}
	}
	return p.Send(ctx, sent)
}

// drawer is a [channels.Files] in memory.
type drawer struct {
	mu      sync.Mutex
	content fstest.MapFS
}

func (d *drawer) Open(id string) (fs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.content.Open(id)
}

func (d *drawer) Drop(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.content, id)
	return nil
}

func (d *drawer) kept() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.content)
}

// fileOf is a message with a file.
func fileOf(id, caption string) channels.DeliveryInfo {
	return channels.DeliveryInfo{Marked: true, Outbound: channels.Outbound{
		ID: id, Address: address("a"), Text: caption, File: &channels.File{Name: "a`b.txt", Path: "/space/a.txt", Size: 5},
	}}
}

// startFiles runs an egress to a platform that takes files; f0 is kept.
func startFiles(
	t *testing.T, takes func(context.Context, channels.FilePart) error, change func(*channels.EgressOptions),
) (*running, *drawer) {
	t.Helper()
	d := &drawer{content: fstest.MapFS{"f0": {Data: []byte("bytes")}}}
	plat := &platform{}
	return start(t, plat, func(o *channels.EgressOptions) {
		o.Channel, o.Files = &filePlatform{plat, takes}, d
		if change != nil {
			change(o)
		}
	}), d
}

func TestEgressSendsFilesInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, d := startFiles(t, nil, func(o *channels.EgressOptions) {
			o.Redact = func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") }
		})
		e.box.put("a", "a0", "before")
		e.box.restore(fileOf("f0", "a **secret** caption"))
		e.box.put("a", "a1", "after")
		synctest.Wait()
		want := []string{"before", "a`b.txt=bytes (a **[redacted]** caption)", "after"}
		if diff := cmp.Diff(want, e.plat.texts("a")); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if got := e.box.outcome("f0"); got.State != channels.Delivered || got.Receipt.MessageID != "m2" {
			t.Errorf("outcome %+v", got)
		}
		if n := d.kept(); n != 0 {
			t.Errorf("%d contents are kept of a file that was delivered", n)
		}
	})
}

func TestEgressNamesAFileWhereNoneCanBeSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &drawer{content: fstest.MapFS{"f0": {}}}
		e := start(t, &platform{}, func(o *channels.EgressOptions) { o.Files = d })
		e.box.restore(fileOf("f0", "caption"))
		synctest.Wait()
		if diff := cmp.Diff([]string{"caption\n\nThe file `a'b.txt` (5 bytes) cannot be sent here."}, e.plat.texts("a")); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if got := e.box.outcome("f0"); got.State != channels.Delivered || d.kept() != 0 {
			t.Errorf("outcome %+v, %d kept", got, d.kept())
		}
	})
}

// TestEgressSaysThatAFileWasRefused has a platform that refuses it, and a content
// that is gone.
func TestEgressSaysThatAFileWasRefused(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"refused": "f0", "content is gone": "f1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, d := startFiles(t, func(context.Context, channels.FilePart) error { return failure(channels.SendRefused, 0) }, nil)
				e.box.restore(fileOf(id, "caption"))
				e.box.put("a", "a1", "after")
				synctest.Wait()
				want := []string{"caption\n\nThe file `a'b.txt` (5 bytes) could not be sent: the platform refused it.", "after"}
				if diff := cmp.Diff(want, e.plat.texts("a")); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				if got := e.box.outcome(id); got.State != channels.Refused || got.Reason == "" {
					t.Errorf("outcome %+v", got)
				}
				if id == "f0" && d.kept() != 0 {
					t.Error("the content of a refused file is kept")
				}
			})
		})
	}
}

// TestEgressSendsAFileOnceMoreAfterAnUnknownAttempt and keeps it until then.
func TestEgressSendsAFileOnceMoreAfterAnUnknownAttempt(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]error{"accepted": nil, "unknown again": errors.New("cut")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				answers := []error{failure(channels.SendTransient, 0), errors.New("cut"), last}
				var again []bool
				var d *drawer
				e, d := startFiles(t, func(_ context.Context, part channels.FilePart) error {
					err := answers[0]
					answers = answers[1:]
					again = append(again, part.Again)
					if d.kept() != 1 {
						t.Error("the content is gone before the outcome")
					}
					return err
				}, nil)
				e.box.restore(fileOf("f0", ""))
				pass(2 * time.Minute)
				want, seen := channels.Delivered, 1
				if last != nil {
					want, seen = channels.Unsettled, 0
				}
				if got := e.box.outcome("f0"); got.State != want || len(e.plat.texts("a")) != seen || !slices.Equal(again, []bool{false, false, true}) {
					t.Errorf("outcome %+v, sent %q, again %v", got, e.plat.texts("a"), again)
				}
				if d.kept() != 0 {
					t.Error("the content is kept after the outcome")
				}
			})
		})
	}
}

// TestEgressGivesALargeFileTime sends a file that needs longer than a text may take.
func TestEgressGivesALargeFileTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _ := startFiles(t, func(ctx context.Context, _ channels.FilePart) error {
			select {
			case <-time.After(150 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, nil)
		large := fileOf("f0", "")
		large.Outbound.File.Size = 50 << 20
		e.box.restore(large)
		pass(3 * time.Minute)
		if got := e.box.outcome("f0"); got.State != channels.Delivered {
			t.Errorf("outcome %+v", got)
		}
	})
}
