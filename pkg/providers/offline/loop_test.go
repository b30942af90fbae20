package offline_test

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/pkg/providers"
	"parley/pkg/providers/offline"
	"parley/pkg/tools"
	"parley/pkg/tools/calc"
	"parley/pkg/tools/clock"
	"parley/pkg/tools/files"
)

// talk is the model with the real tools on a real folder.
type talk struct {
	dir      string
	registry *tools.ToolRegistry
	model    *offline.Provider
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	k := &talk{dir: t.TempDir(), registry: tools.NewToolRegistry(), model: offline.New(offline.Options{})}
	k.registry.Register(calc.New())
	k.registry.Register(clock.New(func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }))
	for _, tool := range files.New(files.Options{}) {
		k.registry.Register(tool)
	}
	k.write(t, "MEMORY.md", "Buy milk.")
	return k
}

func (k *talk) write(t *testing.T, name, text string) {
	t.Helper()
	full := filepath.Join(k.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// say runs a whole turn and gives its answer.
func (k *talk) say(ctx context.Context, texts ...string) (string, error) {
	messages := []providers.Message{{Role: providers.RoleSystem, Content: "You are Parley."}}
	for _, text := range texts {
		messages = append(messages, user(text))
	}
	res, err := tools.RunToolLoop(tools.WithInvocation(ctx, tools.Invocation{Space: k.dir, Level: tools.LevelRead}),
		tools.ToolLoopConfig{Provider: k.model, Tools: k.registry}, messages, "console", "1")
	if err != nil {
		return "", err
	}
	return res.Content, nil
}

func TestWithTheRealTools(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.write(t, "notes/todo.txt", "call Ada")
	tests := []struct {
		texts []string
		want  []string
	}{
		{[]string{"what is 17*23?"}, []string{"17*23 = 391"}},
		{[]string{"list the files in the workspace"}, []string{"MEMORY.md (9 bytes)", "notes/"}},
		{[]string{"what is 17*23?", "list the files in the workspace"}, []string{"391", "MEMORY.md"}},
		{[]string{"show MEMORY.md"}, []string{"Buy milk."}},
		{[]string{"read notes/todo.txt"}, []string{"call Ada"}},
		{[]string{"find files named *.md"}, []string{"- MEMORY.md (9 bytes)"}},
		{[]string{"which files mention Ada?"}, []string{"notes/todo.txt, line 1: call Ada"}},
		{[]string{"how big is MEMORY.md?"}, []string{"MEMORY.md is a file of 9 bytes"}},
		{[]string{"what time is it in Tokyo"}, []string{"It is 21:00:00 on Saturday, 21 November 2026 (Asia/Tokyo, UTC+09:00)."}},
		{[]string{"what is 1/0"}, []string{"division by zero"}},
		{[]string{"read nothing.txt"}, []string{"not_found"}},
		{[]string{"read ../../etc/passwd"}, []string{"security_violation"}},
		{[]string{`/tool calculator {"expression":"2^10"}`}, []string{"2^10 = 1024"}},
		{[]string{`/tool calculator {"expression":`}, []string{"calculator failed (invalid_arguments)"}},
		{[]string{`/tool calculator {"expr":"1"}`}, []string{"invalid_arguments", "expr"}},
		{[]string{"/tool reboot {}"}, []string{"The tool reboot is not available"}},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.texts, ", "), func(t *testing.T) {
			t.Parallel()
			got, err := k.say(t.Context(), tt.texts...)
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for _, w := range tt.want {
				i := strings.Index(got[at:], w)
				if i < 0 {
					t.Fatalf("%q is missing, or too early, in %q", w, got)
				}
				at += i
			}
			direct := strings.HasPrefix(tt.texts[0], "/tool ") // it is no word to a model
			if strings.Contains(got, "I am Parley's offline model") == direct {
				t.Errorf("the first answer says what it is: %t; it is %q", !direct, got)
			}
		})
	}
}

// TestGeneratedArithmetic asks for generated values in many words.
func TestGeneratedArithmetic(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := rapid.Int64Range(0, 1e12).Draw(rt, "a"), rapid.Int64Range(0, 1e12).Draw(rt, "b"), rapid.Int64Range(0, 1e6).Draw(rt, "c")
		x, y, z := big.NewInt(a), big.NewInt(b), big.NewInt(c)
		forms := map[string]*big.Int{
			"%d+%d*%d":                     new(big.Int).Add(x, new(big.Int).Mul(y, z)),
			"(%d + %d) * %d":               new(big.Int).Mul(new(big.Int).Add(x, y), z),
			"%d - %d - %d":                 new(big.Int).Sub(new(big.Int).Sub(x, y), z),
			"%d times %d plus %d":          new(big.Int).Add(new(big.Int).Mul(x, y), z),
			"%d multiplied by %d minus %d": new(big.Int).Sub(new(big.Int).Mul(x, y), z),
			"max(%d, %d, %d)":              big.NewInt(max(a, b, c)),
			"%d x %d x %d":                 new(big.Int).Mul(new(big.Int).Mul(x, y), z),
		}
		form := rapid.SampledFrom([]string{
			"%d+%d*%d", "(%d + %d) * %d", "%d - %d - %d", "%d times %d plus %d", "%d multiplied by %d minus %d", "max(%d, %d, %d)", "%d x %d x %d",
		}).Draw(rt, "form")
		ask := rapid.SampledFrom([]string{
			"what is %s?", "What's %s", "calculate %s", "please compute %s.",
			"how much is %s?", "%s", "%s = ?", "can you tell me what is %s?",
		}).Draw(rt, "ask")
		text := fmt.Sprintf(ask, fmt.Sprintf(form, a, b, c))
		got, err := k.say(t.Context(), text)
		if want := " = " + forms[form].String() + "\n"; err != nil || !strings.Contains(got, want) {
			rt.Fatalf("%s\ngot %q, %v; want %s", text, got, err, want)
		}
	})
}

// TestGeneratedFiles writes files of any name and asks for them.
func TestGeneratedFiles(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	rapid.Check(t, func(rt *rapid.T) {
		// Words like here and root mean the workspace.
		part := rapid.StringMatching(`[A-Za-z0-9äé]([A-Za-z0-9äé_.+-]{0,11}[A-Za-z0-9äé_+-])?`).Filter(func(s string) bool {
			return !regexp.MustCompile(`(?i)^(here|there|root|box|chat|space|dir|files?|folder)$`).MatchString(s)
		})
		folder := part.Draw(rt, "folder")
		name := part.Draw(rt, "name") + rapid.StringMatching(`\.[a-z]{1,5}`).Draw(rt, "ending")
		text := rapid.StringMatching(`[A-Za-z][A-Za-z ,.!]{3,60}[a-z]`).Draw(rt, "text")
		dir := filepath.Join(k.dir, folder)
		if err := os.Mkdir(dir, 0o700); err != nil {
			rt.Skip("there is such a file already")
		}
		defer os.RemoveAll(dir)
		path := folder + "/" + name
		k.write(t, path, text)
		form := rapid.SampledFrom([]string{
			"read %s", "show %s", "show me %s, please", "open %q", "what is in %s?", "cat `%s`", "please read the file %s",
		}).Draw(rt,
			"form")
		ask := fmt.Sprintf(form, path)
		if got, err := k.say(t.Context(), ask); err != nil || !strings.HasPrefix(got, path+":\n"+text) {
			rt.Fatalf("%s\ngot %q, %v", ask, got, err)
		}
		ask = "list the files in " + folder
		if got, err := k.say(t.Context(), ask); err != nil ||
			!strings.HasPrefix(got, fmt.Sprintf("In %s:\n- %s (%d bytes)", folder, name, len(text))) {
			rt.Fatalf("%s\ngot %q, %v", ask, got, err)
		}
		ask = "find files named " + name
		if got, err := k.say(t.Context(), ask); err != nil || !strings.Contains(got, fmt.Sprintf("- %s (%d bytes)", path, len(text))) {
			rt.Fatalf("%s\ngot %q, %v", ask, got, err)
		}
	})
}
