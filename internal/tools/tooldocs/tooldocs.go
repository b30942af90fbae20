package tooldocs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley/internal/test/rig"
)

// Dir is where the pages are, below the root of the tree.
const Dir = "docs/tools"

// configuration switches every built-in tool on.
const configuration = `state_dir: state
models: {main: {provider: offline}}
corpora: {handbook: {path: /srv/handbook, chats: ["console:local"]}}
tools: {lazy: true, scripts: {enabled: false}, shell: {enabled: true}, code: {enabled: true}}
`

// tool is the page of one tool, as gateway tool show --json tells it.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Level       string `json:"level"`
	Changes     string `json:"changes"`
	Asked       string `json:"asked"`
	Page        string `json:"page"`
}

// Pages returns the text of each page by its file's name.
func Pages(ctx context.Context) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "tooldocs")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin, err := rig.Build(ctx, dir, "gateway")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "parley.yaml")
	const private = 0o600
	if err := os.WriteFile(config, []byte(configuration), private); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, bin, "tool", "show", "--json", "--config", config) //nolint:gosec // the binary that was just built
	cmd.Dir = dir
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("gateway tool show: %w: %s", err, complaint.Bytes())
	}
	return pages(bytes.NewReader(out))
}

// pages makes the files from the gateway's answer.
func pages(in io.Reader) (map[string]string, error) {
	all := map[string]string{}
	var index strings.Builder
	index.WriteString("# Tools\n\nThe tools that come with Parley. These pages are made from the code by `make docs`; " +
		"`parley tool show NAME` prints the same for\nany tool of your own gateway, your scripts included. " +
		"Which of them a chat is offered depends on its rights and on the configuration:\n" +
		"[configuration.md](../configuration.md). The protections: [security.md](../security.md).\n\n" +
		"| tool | purpose | needs the level | may change things | asks before |\n|---|---|---|---|---|\n")
	dec := json.NewDecoder(in)
	for {
		var t tool
		err := dec.Decode(&t)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("what gateway tool show told cannot be read: %w", err)
		}
		all[t.Name+".md"] = t.Page
		what, _, more := strings.Cut(t.Description, ". ")
		if more {
			what += "."
		}
		fmt.Fprintf(&index, "| [%s](%s.md) | %s | %s | %s | %s |\n", t.Name, t.Name,
			strings.NewReplacer("|", `\|`, "\n", " ").Replace(what), t.Level, t.Changes, t.Asked)
	}
	if len(all) == 0 {
		return nil, errors.New("gateway tool show told of no tool")
	}
	all["README.md"] = index.String()
	return all, nil
}

// Write makes the folder hold exactly the pages.
func Write(dir string, pages map[string]string) error {
	const folder, file = 0o755, 0o644
	if err := os.MkdirAll(dir, folder); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if _, stays := pages[filepath.Base(path)]; !stays {
			err = errors.Join(err, os.Remove(path))
		}
	}
	for name, text := range pages {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), file))
	}
	return err
}

// Compare returns a sentence for each page that the folder lacks, has differently
// or has too many.
func Compare(dir fs.FS, pages map[string]string) ([]string, error) {
	var found []string
	names, err := fs.Glob(dir, "*.md")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, ok := pages[name]; !ok {
			found = append(found, name+" is of no tool")
		}
	}
	for name, want := range pages {
		got, err := fs.ReadFile(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			found = append(found, name+" is not there")
		case err != nil:
			return nil, err
		case string(got) != want:
			found = append(found, name+" is not what the code says")
		}
	}
	return found, nil
}
