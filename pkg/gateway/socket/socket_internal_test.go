package socket

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/audit"
)

// TestPlacesAreShared: no member of the group can keep out another one, nor all of them the gateway's
// own user.
func TestPlacesAreShared(t *testing.T) {
	t.Parallel()
	own := os.Getuid()
	one, two, three := own+1, own+2, own+3
	p := newPlaces(16)
	took := func(uid int) (n int) {
		for p.take(uid) {
			n++
		}
		return n
	}
	for i, c := range []struct{ uid, want int }{{one, 8}, {two, 4}, {three, 0}, {own, 4}, {own, 0}, {one, 0}} {
		if got := took(c.uid); got != c.want {
			t.Errorf("step %d: user %d takes %d places, want %d", i, c.uid, got, c.want)
		}
	}
	p.leave(one)
	p.leave(own)
	for i, c := range []struct{ uid, want int }{{three, 1}, {own, 1}} {
		if got := took(c.uid); got != c.want {
			t.Errorf("after two left, step %d: user %d takes %d places, want %d", i, c.uid, got, c.want)
		}
	}
	for _, uid := range slices.Concat(slices.Repeat([]int{one}, 7), slices.Repeat([]int{two}, 4), []int{three}) {
		p.leave(uid)
	}
	if p.members != 0 || len(p.of) != 0 || p.all != 4 {
		t.Errorf("places are left: %d of members %v, %d in all", p.members, p.of, p.all)
	}
}

// TestRefusalsAreBounded: one who tries without end fills no disk, and is counted.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	var r refusals
	now, noted := time.Unix(1_000_000, 0), 0
	for range 1000 {
		if _, ok := r.note(now); ok {
			noted++
		}
	}
	more, ok := r.note(now.Add(refusalTime))
	if noted != maxRefusals || !ok || more != 1000-maxRefusals {
		t.Errorf("%d are noted, and then %v with %d more", noted, ok, more)
	}
}

// listening is a socket in a folder, whose requests are answered with the user at the other end.
func listening(t *testing.T, o Options) string {
	t.Helper()
	o.StateDir, o.Log = t.TempDir(), zerolog.Nop()
	if o.Note == nil {
		o.Note = func(audit.Row) {}
	}
	l, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ConnContext: WithPeer, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			uid, ok := PeerOf(r.Context())
			fmt.Fprint(w, Name(uid), " ", ok)
		},
	)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = srv.Serve(l) // it ends with Close
		l.Release()
	}()
	t.Cleanup(func() { _ = srv.Close(); <-over })
	return filepath.Join(o.StateDir, "admin.sock")
}

// asks is the answer to a request over a socket.
func asks(t *testing.T, path string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://gateway/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var text strings.Builder
	if err := resp.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestAFullSocketSaysSo, and has room again once a connection has left.
func TestAFullSocketSaysSo(t *testing.T) {
	t.Parallel()
	path := listening(t, Options{Most: 2})
	var held []net.Conn
	for range 2 {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	if got := asks(t, path); !strings.Contains(got, "503 Service Unavailable") || !strings.Contains(got, textFull) {
		t.Errorf("the full socket answers %s", got)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
	want := fmt.Sprintf("uid/%d true", os.Getuid())
	deadline := time.Now().Add(time.Minute)
	for {
		got := asks(t, path)
		if strings.Contains(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the socket stays full: %s", got)
		}
	}
}

// TestGroupsByTheirNumbers need no entry in a file of this machine.
func TestGroupsByTheirNumbers(t *testing.T) {
	t.Parallel()
	g, err := groupOf("424242")
	if err != nil || g.id != 424242 {
		t.Fatalf("%+v, %v", g, err)
	}
	stranger := os.Getuid() + 1
	if g.admits(&Peer{UID: stranger, Groups: []int{1, 424242}}) != nil {
		t.Error("a member is turned away")
	}
	if g.admits(&Peer{UID: stranger, Groups: []int{1, 42}}) == nil || (*group)(nil).admits(&Peer{UID: stranger, Groups: []int{0}}) == nil {
		t.Error("a stranger is let in")
	}
	if _, err := groupOf("no such group"); err == nil {
		t.Error("a group that is not there is no error")
	}
}
