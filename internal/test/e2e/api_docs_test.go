package e2e_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/node"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestTheExamplesOfTheAPI runs each command of docs/api.md as it stands there, with curl,
// against a gateway at another address.
func TestTheExamplesOfTheAPI(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	w := newAPIWorld(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("There are two.") })
	w.caller = w.makesToken("web:ada", "--level", "write", "--right", "call_tools", "--right", "telemetry").Secret
	blocks := shellBlock.FindAllStringSubmatch(string(page), -1)
	answers := []string{
		`"chat":"main"`, "event: reset", // the id of the page is of another process
		`"type":"text/plain"`, `"chat":"main"`, "buy tea", `\"result\":42`, `"tool":"calculator"`, `"type":"RUN_FINISHED"`,
	}
	uploaded := regexp.MustCompile(`"id":"([^"]+)"`)
	if len(blocks) != len(answers) {
		t.Fatalf("the page has %d commands, and the test knows %d answers", len(blocks), len(answers))
	}
	server := strings.TrimSuffix(w.base, "/api")
	for i, block := range blocks {
		command := strings.ReplaceAll(block[1], "http://127.0.0.1:8080", server)
		if !strings.Contains(command, server) {
			t.Errorf("no address of the page in %q", command)
		}
		got := w.shell(command, answers[i])
		if !strings.Contains(got, answers[i]) {
			t.Errorf("%s\nanswers %q, want %q", command, got, answers[i])
		}
		if id := uploaded.FindStringSubmatch(got); id != nil {
			w.file = id[1]
		}
	}
}

// TestTheCommandOfTheClients runs the command of docs/clients.md as it stands there.
func TestTheCommandOfTheClients(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("There are two.") })
	command := w.only("clients.md", shellBlock)
	if got, want := w.shell(command, "There are two."), `"content":"There are two."`; !strings.Contains(got, want) {
		t.Errorf("%s\nanswers %q, want %q", command, got, want)
	}
}

// TestTheScriptOfTheClients runs the script of docs/clients.md as it stands there, with the words of
// the model's call.
func TestTheScriptOfTheClients(t *testing.T) {
	t.Parallel()
	clients := node.Install(t)
	w := newAPIWorld(t, asClientsExpect)
	script := w.only("clients.md", regexp.MustCompile("(?s)```js\n(.*?)```"))
	clients.Write(t, "page.mjs", strings.ReplaceAll(script, "Tidy up my files.", "effect_asked"))
	approver := w.makesToken("web:ada", "--level", "write", "--right", "approve").Secret
	if got := clients.Run(w.ctx, t, []string{"TOKEN=" + w.token, "APPROVER=" + approver}, "page.mjs"); string(got) != "It says done: once\n" {
		t.Errorf("the script writes %q", got)
	}
}

// only is the one example of a kind on a page, for the gateway here.
func (w *apiWorld) only(page string, kind *regexp.Regexp) string {
	w.t.Helper()
	text, err := os.ReadFile("../../../docs/" + page)
	if err != nil {
		w.t.Fatal(err)
	}
	found := kind.FindAllStringSubmatch(string(text), -1)
	if len(found) != 1 {
		w.t.Fatalf("%s has %d examples", page, len(found))
	}
	return strings.ReplaceAll(found[0][1], "http://127.0.0.1:8080", strings.TrimSuffix(w.base, "/api"))
}

// shell runs a command with the token until it has said something, and gives all of it.
func (w *apiWorld) shell(command, until string) string {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+strings.TrimSpace(command))
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "TOKEN=" + w.token, "CALLER=" + w.caller, "FILE=" + w.file}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(out); !strings.Contains(said.String(), until) && lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
	}
	cancel()
	_ = cmd.Wait() // a stream has no end but this
	return said.String()
}
