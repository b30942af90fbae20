package main_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// bareThreads run functions without root's right to pass by the modes of files. They are
// threads of their own, because such a right cannot be taken back, and live as long as
// this process: with a thread end the commands that it has started (Pdeathsig), those of
// other tests from before among them.
var bareThreads = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	for range 2 {
		go func() {
			runtime.LockOSThread()
			for _, right := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH} {
				if err := unix.Prctl(unix.PR_CAPBSET_DROP, right, 0, 0, 0); err != nil && os.Geteuid() == 0 {
					panic(err)
				}
			}
			for f := range work {
				f()
			}
		}()
	}
	return work
})

// bare runs a command to its end without root's right to pass by the modes of files.
func (w *world) bare(args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	done := make(chan struct{})
	bareThreads() <- func() {
		defer close(done)
		stdout, stderr, code = w.run(args...)
	}
	<-done
	return stdout, stderr, code
}

// Modes that no file has: for a thing in the place of a file, and of a folder.
const (
	aFolder = 1
	aFile   = 2
)

// TestStateThatCannotBeUsed: a file or a folder of the state that cannot be written, or
// read, is told in one sentence with its path and the cure, and with the exit code for it.
func TestStateThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	used := newWorld(t, "")
	used.chat("what is 2*3?")
	used.snapshot()
	const (
		chat, segment = "chat", "audit/00000000000000000001.jsonl"
		write         = " cannot be written (permission denied); make it writable for this user, or name another one as state_dir"
		read          = " cannot be read (permission denied); run this as the user who runs the gateway"
		folder        = " is a folder where a file belongs (is a directory); move it out of the state folder"
		file          = ", or a name before its end, is a file where a folder belongs (not a directory); move it away, or name " +
			"another folder as state_dir"
		none = 0
	)
	for name, c := range map[string]struct {
		path string
		mode os.FileMode
		// want is, by command, the file that is named and the text behind it.
		want map[string][2]string
	}{
		"audit folder unreadable": {"audit", none, map[string][2]string{
			chat: {"audit", write}, "status": {"audit", write}, "audit show": {"audit", read}, "audit verify": {"audit/head", read},
		}},
		"audit folder read-only": {"audit", 0o500, map[string][2]string{chat: {"audit", write}, "status": {"audit", write}}},
		"audit folder a file":    {"audit", aFile, map[string][2]string{chat: {"audit", file}, "audit verify": {"audit/head", file}}},
		"audit head unreadable": {
			"audit/head", none, map[string][2]string{chat: {"audit/head", write}, "audit verify": {"audit/head", read}},
		},
		"audit head read-only":  {"audit/head", 0o400, map[string][2]string{chat: {"audit/head", write}, "status": {"audit/head", write}}},
		"audit head a folder":   {"audit/head", aFolder, map[string][2]string{chat: {"audit/head", folder}}},
		"audit rows unreadable": {segment, none, map[string][2]string{chat: {segment, write}, "audit show": {segment, read}}},
		"audit rows read-only":  {segment, 0o400, map[string][2]string{chat: {segment, write}, "status": {segment, write}}},
		"store unreadable": {
			"parley.db", none,
			map[string][2]string{
				chat: {"parley.db", write}, "status": {"parley.db", read}, "sessions list": {"parley.db", read}, "store check": {"parley.db", read},
			},
		},
		"store read-only": {
			"parley.db", 0o400,
			map[string][2]string{chat: {"parley.db", write}, "status": {"parley.db", write}, "store snapshot": {"parley.db", write}},
		},
		"lock unreadable": {
			"parley.lock", none, map[string][2]string{chat: {"parley.lock", write}, "store check": {"parley.lock", read}},
		},
		"lock read-only": {
			"parley.lock", 0o400, map[string][2]string{chat: {"parley.lock", write}, "status": {"parley.lock", write}},
		},
		"snapshots unreadable":       {"snapshots", none, map[string][2]string{"store snapshot": {"snapshots", read}}},
		"snapshots read-only":        {"snapshots", 0o500, map[string][2]string{"store snapshot": {"snapshots/parley.db.new", write}}},
		"snapshots a file":           {"snapshots", aFile, map[string][2]string{"store snapshot": {"snapshots", file}}},
		"files to send unreadable":   {"outgoing", none, map[string][2]string{chat: {"outgoing", write}}},
		"files to send read-only":    {"outgoing", 0o500, map[string][2]string{chat: {"outgoing", write}}},
		"files to send a file":       {"outgoing", aFile, map[string][2]string{chat: {"outgoing", file}}},
		"who the bot is, unreadable": {"slack.json", none, map[string][2]string{chat: {"slack.json", read}}},
		"who the bot is, a folder":   {"slack.json", aFolder, map[string][2]string{chat: {"slack.json", folder}}},
		"state folder unreadable": {
			"", none,
			map[string][2]string{chat: {"", write}, "status": {"", read}, "audit show": {"audit", read}, "pair list": {"", read}},
		},
		"state folder read-only": {"", 0o500, map[string][2]string{chat: {"", write}, "status": {"", write}}},
		"socket a folder": {
			"admin.sock", aFolder,
			map[string][2]string{chat: {"admin.sock", " is a folder where a file belongs (directory not empty); move it out of the state folder"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			state := filepath.Join(w.dir, "state")
			if err := os.CopyFS(state, os.DirFS(filepath.Join(used.dir, "state"))); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(c.path, "slack") {
				w.withSlack(t)
			}
			unusable(t, filepath.Join(state, c.path), c.mode)
			for args, want := range c.want {
				out, said, code := w.bare(strings.Fields(args)...)
				wantCode := 2
				if args == "status" && want[1] == write { // a look, which ends with the code that a monitor reads
					said, wantCode = out[max(0, strings.Index(out, "\ntrouble")+1):], 1
				}
				sentence := filepath.Join(state, want[0]) + want[1]
				if said = strings.TrimSpace(said); strings.HasPrefix(said, "model: ") {
					_, said, _ = strings.Cut(said, "\n")
				}
				if code != wantCode || !strings.HasSuffix(said, sentence) || strings.Contains(said, "\n") {
					t.Errorf("%s ends with %d, want %d, and says\n%s\nwant one line that ends in\n%s", args, code, wantCode, said, sentence)
				}
			}
		})
	}
}

// unusable gives a file or a folder a mode, or puts the other in its place.
func unusable(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	const private = 0o700
	var err error
	switch mode {
	case aFolder:
		err = errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Join(path, "below"), private))
	case aFile:
		err = errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, private))
	default:
		_, err = os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			err = os.Mkdir(path, private)
		}
		err = errors.Join(err, os.Chmod(path, mode))
		t.Cleanup(func() { _ = os.Chmod(path, private) })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// withSlack names a Slack that is not there.
func (w *world) withSlack(t *testing.T) {
	t.Helper()
	w.env = append(w.env, "BOT=xoxb-1", "APP=xapp-1")
	text := "state_dir: state\nmodels: {main: {provider: offline}}\n" +
		"channels: {slack: {enabled: true, bot_token: env:BOT, app_token: env:APP, api_url: \"http://127.0.0.1:1/api/\"}}\n"
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAFullDiskOfTheAuditLog alone is told with the cure, once the messages are
// answered.
func TestAFullDiskOfTheAuditLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.chat("hello")
	dir := filepath.Join(w.dir, "state", "audit")
	mountAt(t, dir)
	makeRoom := fill(t, dir)
	g := w.start("chat")
	g.say("what is 2*3?")
	_ = g.in.Close()
	code := g.end()
	want := "gateway: the audit log cannot be written: the state directory cannot be used: the disk of " + dir
	if said := strings.TrimSpace(g.errs.String()); code != 1 || !strings.Contains(said, want) ||
		!strings.HasSuffix(said, " is full (no space left on device); make room there") {
		t.Errorf("ended with %d: %s", code, said)
	}
	makeRoom()
	w.chat("what is 17*23?")
}
