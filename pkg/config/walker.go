package config

import (
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml/ast"

	"parley/pkg/strictyaml"
)

// maxDepth is deeper than any key of the configuration.
const maxDepth = 16

// walker reads the file. It remembers its secrets, which are resolved last.
type walker struct {
	yaml       *strictyaml.Walker
	references []reference
}

// reference is a secret that waits to be resolved.
type reference struct {
	path, text string
	into       *Secret
}

// repeats says whether another key of the same model is the same.
func (r reference) repeats(other reference) bool {
	return r.text == other.text && modelOf(r.path) == modelOf(other.path)
}

func newWalker(file string) *walker {
	w := &walker{yaml: &strictyaml.Walker{File: file, MaxDepth: maxDepth}}
	w.yaml.Special = w.special
	return w
}

// at reports a problem with the value of a key.
func (w *walker) at(path, format string, args ...any) { w.yaml.At(path, format, args...) }

// special stores the types with a text form other than that of their Go type.
func (w *walker) special(node ast.Node, v reflect.Value, path string) bool {
	switch into := v.Addr().Interface().(type) {
	case *Secret:
		w.secret(node, into, path)
	case *ID:
		if node.Type() == ast.NullType {
			return false
		}
		w.id(node, into, path)
	default:
		return false
	}
	return true
}

func (w *walker) secret(node ast.Node, into *Secret, path string) {
	s, ok := strictyaml.Text(node)
	if !ok {
		cure := ""
		if node.Type() == ast.MappingType { // a list in braces has env:NAME as a key with its value
			cure = ": put it in quotes here"
		}
		w.yaml.Refuse(node, path, "must be env:NAME, file:PATH or credential:NAME%s", cure)
		return
	}
	if !w.yaml.Visible(node, s, path, "") {
		return
	}
	if _, _, err := splitReference(s); err != nil {
		w.yaml.Refuse(node, path, "%v", err)
		return
	}
	into.set = true
	w.references = append(w.references, reference{path: path, text: s, into: into})
}

func (w *walker) id(node ast.Node, into *ID, path string) {
	if s, ok := strictyaml.Text(node); ok {
		*into = ID(s)
		return
	}
	if n, ok := node.(*ast.IntegerNode); ok {
		*into = ID(fmt.Sprint(n.Value))
		return
	}
	w.yaml.Problem(node, path, "must be an id, not %s", strictyaml.Describe(node))
}
