package script

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/strictyaml"
	"parley/pkg/tools"
)

// manifestName is the file that describes a tool.
const manifestName = "tool.yaml"

const (
	maxManifest    = 64 << 10
	maxDescription = 2000
	maxTextDepth   = 100
	maxSchemaDepth = 32
	maxProblems    = 5
)

// Manifest is the content of tool.yaml.
type Manifest struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description" text:"lines"`
	// Parameters is a JSON Schema object.
	Parameters map[string]any `yaml:"parameters" text:"lines"`
	// ReadOnly, Destructive, Idempotent, OpenWorld and Level become the annotations.
	ReadOnly    bool        `yaml:"read_only"`
	Destructive bool        `yaml:"destructive"`
	Idempotent  bool        `yaml:"idempotent"`
	OpenWorld   bool        `yaml:"open_world"`
	Level       tools.Level `yaml:"level" jsonschema:"enum=chat,enum=read,enum=write,enum=exec"`
	// Approval is destructive, side_effects or never; empty: as for all tools.
	Approval string `yaml:"approval" jsonschema:"enum=destructive,enum=side_effects,enum=never"`
	// Timeout is 0 if the file gives no time.
	Timeout time.Duration `yaml:"timeout" min:"100ms"`
	Enabled bool          `yaml:"enabled"`
	// Network: the operator lets the program reach the network.
	Network bool `yaml:"network"`
	// Command is the name of the executable in the folder.
	Command string `yaml:"command"`
}

// parseManifest reads the text of a tool.yaml. The error is one line that lists all
// problems, each with line and column.
func parseManifest(text string) (*Manifest, error) {
	root, problem := strictyaml.Parse(text, maxTextDepth)
	if problem != nil {
		problem.File = manifestName
		return nil, inOneLine(*problem)
	}
	if root == nil {
		return nil, inOneLine(strictyaml.Problem{File: manifestName, Message: "it is empty: write at least name and description"})
	}
	m := &Manifest{Enabled: true, Command: "run"}
	w := &strictyaml.Walker{File: manifestName, MaxDepth: maxSchemaDepth}
	w.Walk(root, m)
	if len(w.Problems()) == 0 {
		m.finish(w)
	}
	if problems := w.Problems(); len(problems) > 0 {
		return nil, inOneLine(problems...)
	}
	return m, nil
}

// inOneLine joins the first problems.
func inOneLine(problems ...strictyaml.Problem) error {
	var shown []string
	for _, p := range problems[:min(len(problems), maxProblems)] {
		shown = append(shown, oneLine(p.String()))
	}
	line := strings.Join(shown, "; ")
	if more := len(problems) - len(shown); more > 0 {
		line += fmt.Sprintf("; and %d more", more)
	}
	return errors.New(line)
}

// finish checks the keys against each other.
func (m *Manifest) finish(w *strictyaml.Walker) {
	m.Description = strings.TrimSpace(m.Description)
	switch {
	case m.Name == "":
		w.At("name", "is missing: write the name of the folder")
	case m.Description == "":
		w.At("description", "is missing: say what the tool does and when to use it")
	case len(m.Description) > maxDescription:
		w.At("description", "is longer than %d bytes", maxDescription)
	case m.ReadOnly && m.Destructive:
		w.At("destructive", "a tool cannot be both read_only and destructive")
	}
	if !w.Written("open_world") {
		m.OpenWorld = m.Network // content from the network was written by others
	}
	if c := m.Command; c == "" || strings.HasPrefix(c, ".") || c == manifestName || strings.ContainsAny(c, "/\\") {
		w.At("command", "must be the name of a file in this folder, such as run")
	}
}
