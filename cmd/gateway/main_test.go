package main_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/test/rig"
	"parley/pkg/sandbox"
)

// patience is the outer bound on whatever a test waits for.
const patience = 30 * time.Second

// TestMain builds the gateway once; every test runs it as a process of its own.
func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gateway")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if _, err := rig.Build(context.Background(), dir, "gateway", buildFlags()...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("OLLAMA_HOST", "127.0.0.1:1")
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "eventually": eventually, "modelserver": modelServer, "substitute": substitute, "field": field,
			"fingerprint": fingerprint, "same": same, "spoil": spoil,
		},
	})
}

// exits runs a command and holds its exit code against the first argument.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// eventually runs a command until it succeeds.
func eventually(ts *testscript.TestScript, _ bool, args []string) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := ts.Exec(args[0], args[1:]...)
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-deadline.C:
			ts.Fatalf("never succeeded: %v", err)
		}
	}
}

// substitute copies a file with its ${NAME} replaced by the environment's values.
func substitute(ts *testscript.TestScript, _ bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// fingerprint puts the names, modes, times and contents below a folder into a variable.
func fingerprint(ts *testscript.TestScript, _ bool, args []string) {
	sum := sha256.New()
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, path, info.Mode(), info.ModTime())
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		sum.Write(b)
		return err
	}))
	ts.Setenv(args[1], hex.EncodeToString(sum.Sum(nil)))
}

// same fails unless its two arguments are equal.
func same(ts *testscript.TestScript, _ bool, args []string) {
	if args[0] != args[1] {
		ts.Fatalf("it has changed")
	}
}

// spoil replaces a text in a file by another one of the same length.
func spoil(ts *testscript.TestScript, _ bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	spoilt := bytes.ReplaceAll(b, []byte(args[1]), []byte(args[2]))
	if bytes.Equal(b, spoilt) || len(b) != len(spoilt) {
		ts.Fatalf("nothing is spoilt")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), spoilt, 0o600))
}

// field puts a field of the JSON that the last command printed into a variable.
func field(ts *testscript.TestScript, _ bool, args []string) {
	var v map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	ts.Setenv(args[1], fmt.Sprint(v[args[0]]))
}

// modelServer starts a server that lists one model and answers every question
// with the text of the second argument; its address goes into the variable
// named by the first.
func modelServer(ts *testscript.TestScript, _ bool, args []string) {
	s := httptest.NewServer(answering(args[1]))
	ts.Defer(s.Close)
	ts.Setenv(args[0], strings.TrimPrefix(s.URL, "http://"))
}

func answering(text string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"nomic-embed-text"},{"id":"test-model"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w,
			"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
			text)
	})
	return mux
}
