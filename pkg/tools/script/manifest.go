package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"parley/pkg/tools"
	"parley/pkg/tools/data"
)

// manifestName is the file that describes a tool.
const manifestName = "tool.yaml"

const (
	maxManifest    = 64 << 10
	maxDescription = 2000
	maxSchemaDepth = 32
	maxProblems    = 5
)

// Manifest is the content of tool.yaml.
type Manifest struct {
	Name, Description string
	// Parameters is a JSON Schema object.
	Parameters map[string]any
	// ReadOnly, Destructive, Idempotent, OpenWorld and Level become the annotations.
	ReadOnly, Destructive, Idempotent, OpenWorld bool
	Level                                        tools.Level
	// Approval is destructive, side_effects or never; empty: as for all tools.
	Approval string
	// Timeout is 0 if the file has none.
	Timeout time.Duration
	Enabled bool
	// Network: the operator lets the program reach the network.
	Network bool
	// Command is the name of the executable in the folder.
	Command string
}

// parseManifest reads the text of a tool.yaml. The error is one line that lists the
// mistakes, each with line and column.
func parseManifest(text string) (*Manifest, error) {
	root, err := data.ParseYAML(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	m := &Manifest{Enabled: true, Command: "run"}
	r := &manifestReader{m: m, places: map[string]ast.Node{}}
	r.read(root)
	if len(r.problems) > 0 {
		return nil, r.joined()
	}
	return m, nil
}

// manifestReader carries tool.yaml over into a Manifest. It collects the mistakes.
type manifestReader struct {
	m        *Manifest
	places   map[string]ast.Node
	problems []string
}

func (r *manifestReader) problem(at ast.Node, format string, args ...any) {
	where := manifestName
	if at != nil && at.GetToken() != nil && at.GetToken().Position != nil {
		p := at.GetToken().Position
		where += ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	}
	r.problems = append(r.problems, where+": "+fmt.Sprintf(format, args...))
}

func (r *manifestReader) joined() error {
	shown := r.problems[:min(len(r.problems), maxProblems)]
	text := strings.Join(shown, "; ")
	if more := len(r.problems) - len(shown); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Errorf("%s", text)
}

// keys are the keys of tool.yaml, and how each is read.
func (r *manifestReader) keys() map[string]func(ast.Node) {
	m := r.m
	return map[string]func(ast.Node){
		"name":        func(n ast.Node) { r.text(n, "name", &m.Name) },
		"description": func(n ast.Node) { r.text(n, "description", &m.Description) },
		"parameters":  r.parameters,
		"read_only":   func(n ast.Node) { r.flag(n, "read_only", &m.ReadOnly) },
		"destructive": func(n ast.Node) { r.flag(n, "destructive", &m.Destructive) },
		"idempotent":  func(n ast.Node) { r.flag(n, "idempotent", &m.Idempotent) },
		"open_world":  func(n ast.Node) { r.flag(n, "open_world", &m.OpenWorld) },
		"enabled":     func(n ast.Node) { r.flag(n, "enabled", &m.Enabled) },
		"network":     func(n ast.Node) { r.flag(n, "network", &m.Network) },
		"command":     func(n ast.Node) { r.text(n, "command", &m.Command) },
		"timeout":     r.timeout,
		"level": func(n ast.Node) {
			r.word(n, "level", (*string)(&m.Level), "chat", "read", "write", "exec")
		},
		"approval": func(n ast.Node) {
			r.word(n, "approval", &m.Approval, "destructive", "side_effects", "never")
		},
	}
}

func (r *manifestReader) read(root ast.Node) {
	known := r.keys()
	if root == nil {
		r.problem(nil, "it is empty: write at least name and description")
		return
	}
	for _, p := range r.pairs(root, "the file") {
		read := known[p.name]
		if read == nil {
			r.problem(p.key, "%s: unknown key: the keys are %s", quote(p.name), strings.Join(sorted(known), ", "))
			continue
		}
		r.places[p.name] = p.value
		read(p.value)
	}
	if len(r.problems) == 0 {
		r.finish()
	}
}

// finish holds the keys against each other.
func (r *manifestReader) finish() {
	m := r.m
	m.Description = strings.TrimSpace(m.Description)
	switch {
	case m.Name == "":
		r.problem(r.places["name"], "name is missing: write the name of the folder")
	case m.Description == "":
		r.problem(r.places["description"], "description is missing: say what the tool does and when to use it")
	case len(m.Description) > maxDescription:
		r.problem(r.places["description"], "description is longer than %d bytes", maxDescription)
	case m.ReadOnly && m.Destructive:
		r.problem(r.places["destructive"], "a tool cannot be both read_only and destructive")
	}
	if _, said := r.places["open_world"]; !said {
		m.OpenWorld = m.Network // content from the network is from outside
	}
	if c := m.Command; c == "" || strings.HasPrefix(c, ".") || c == manifestName || strings.ContainsAny(c, "/\\\x00") {
		r.problem(r.places["command"], "command must be the name of a file in this folder, such as run")
	}
}

type pair struct {
	name       string
	key, value ast.Node
}

// pairs lists a mapping's entries: each key once, and plain keys only.
func (r *manifestReader) pairs(node ast.Node, what string) []pair {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		r.problem(node, "%s must be a block of keys", what)
		return nil
	}
	var out []pair
	seen := map[string]bool{}
	for it := mapping.MapRange(); it.Next(); {
		key := it.Key()
		_, merge := key.(*ast.MergeKeyNode)
		if _, isScalar := key.(ast.ScalarNode); merge || !isScalar {
			r.problem(key, "a key must be a plain word")
			continue
		}
		name := key.GetToken().Value
		if seen[name] {
			r.problem(key, "%s is written twice: keep one", quote(name))
			continue
		}
		seen[name] = true
		out = append(out, pair{name, key, it.Value()})
	}
	return out
}

func (r *manifestReader) text(n ast.Node, name string, into *string) {
	switch n := n.(type) {
	case *ast.StringNode:
		*into = n.Value
	case *ast.LiteralNode:
		*into = n.Value.Value
	default:
		r.problem(n, "%s must be a text: put it in quotes", name)
	}
}

func (r *manifestReader) flag(n ast.Node, name string, into *bool) {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		r.problem(n, "%s must be true or false", name)
		return
	}
	*into = b.Value
}

func (r *manifestReader) word(n ast.Node, name string, into *string, words ...string) {
	s, ok := n.(*ast.StringNode)
	if !ok || !slices.Contains(words, s.Value) {
		r.problem(n, "%s must be one of %s", name, strings.Join(words, ", "))
		return
	}
	*into = s.Value
}

func (r *manifestReader) timeout(n ast.Node) {
	s, ok := n.(*ast.StringNode)
	if ok {
		d, err := time.ParseDuration(s.Value)
		if err == nil && d >= 100*time.Millisecond {
			r.m.Timeout = d
			return
		}
	}
	r.problem(n, "timeout must be a time span of at least 100ms, such as 30s or 2m")
}

func (r *manifestReader) parameters(n ast.Node) {
	if v, ok := r.schema(n, maxSchemaDepth).(map[string]any); ok {
		r.m.Parameters = v
		return
	}
	r.problem(n, "parameters must be a JSON Schema: a block with type: object and properties")
}

// schema converts a node into the value that its JSON would decode to.
func (r *manifestReader) schema(n ast.Node, depth int) any {
	if depth == 0 {
		r.problem(n, "parameters are nested more than %d levels deep", maxSchemaDepth)
		return nil
	}
	switch n := n.(type) {
	case ast.MapNode:
		m := map[string]any{}
		node, _ := n.(ast.Node)
		for _, p := range r.pairs(node, "this") {
			m[p.name] = r.schema(p.value, depth-1)
		}
		return m
	case *ast.SequenceNode:
		s := []any{}
		for _, item := range n.Values {
			s = append(s, r.schema(item, depth-1))
		}
		return s
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.BoolNode:
		return n.Value
	case *ast.IntegerNode:
		return n.Value
	case *ast.FloatNode:
		return n.Value
	case *ast.NullNode:
		return nil
	default:
		r.problem(n, "anchors, aliases and tags are not understood here: write the value itself")
		return nil
	}
}
