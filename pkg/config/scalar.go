package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"parley/pkg/text"
)

// scalar stores a single value; its Go type says what the file must write.
func (w *walker) scalar(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if node.Type() == ast.NullType {
		w.problem(node, path, "has no value: write one, or leave the key out")
		return
	}
	switch v.Interface().(type) {
	case Duration:
		w.duration(node, v, path, tag)
		return
	case ID:
		w.id(node, v, path)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		if n, ok := node.(*ast.BoolNode); ok {
			v.SetBool(n.Value)
			return
		}
		w.problem(node, path, "must be true or false, not %s", describe(node))
	case reflect.String:
		if s, ok := stringOf(node); ok {
			v.SetString(s)
			if w.visible(node, s, path, tag) {
				w.enum(node, s, path, tag)
			}
			return
		}
		w.problem(node, path, "must be a text, not %s: put it in quotes", describe(node))
	case reflect.Int, reflect.Float64:
		w.numeric(node, v, path, tag)
	default:
		w.problem(node, path, "cannot be set")
	}
}

// numeric stores a number, a whole one where v is an integer.
func (w *walker) numeric(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	n, ok := number(node)
	switch whole := v.Kind() == reflect.Int; {
	case whole && (!ok || n != math.Trunc(n) || math.Abs(n) > 1<<53):
		w.problem(node, path, "must be a whole number, not %s", describe(node))
		return
	case !ok:
		w.problem(node, path, "must be a number, not %s", describe(node))
		return
	case whole:
		v.SetInt(int64(n))
	default:
		v.SetFloat(n)
	}
	w.bounds(node, n, path, tag)
}

func (w *walker) secret(node ast.Node, into *Secret, path string) {
	s, ok := stringOf(node)
	if !ok {
		w.problem(node, path, "must be env:NAME, file:PATH or credential:NAME")
		return
	}
	if !w.visible(node, s, path, "") {
		return
	}
	if _, _, err := splitReference(s); err != nil {
		w.problem(node, path, "%v", err)
		return
	}
	into.set = true
	w.references = append(w.references, reference{path: path, text: s, into: into})
}

func (w *walker) duration(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	s, ok := stringOf(node)
	d, err := time.ParseDuration(s)
	if !ok || err != nil {
		w.problem(node, path, "must be a time span such as 30s or 5m, not %s", describe(node))
		return
	}
	low, lowErr := time.ParseDuration(tag.Get("min"))
	high, highErr := time.ParseDuration(tag.Get("max"))
	if lowErr == nil && d < low || highErr == nil && d > high {
		w.problem(node, path, "%s is out of range: write a time span from %s to %s", d, low, high)
		return
	}
	v.SetInt(int64(d))
}

func (w *walker) id(node ast.Node, v reflect.Value, path string) {
	if s, ok := stringOf(node); ok {
		v.SetString(s)
		return
	}
	if n, ok := node.(*ast.IntegerNode); ok {
		v.SetString(fmt.Sprint(n.Value))
		return
	}
	w.problem(node, path, "must be an id, not %s", describe(node))
}

// enum holds a text against the words that its field's tag lists.
func (w *walker) enum(node ast.Node, s, path string, tag reflect.StructTag) {
	words := tagValues(tag, "enum")
	if len(words) == 0 || slices.Contains(words, s) {
		return
	}
	w.problem(node, path, "%s is not understood: write one of %s", quote(s), strings.Join(words, ", "))
}

// bounds holds a number against the limits in its field's tag.
func (w *walker) bounds(node ast.Node, n float64, path string, tag reflect.StructTag) {
	low, high := math.Inf(-1), math.Inf(1)
	for _, s := range tagValues(tag, "minimum") {
		low, _ = strconv.ParseFloat(s, 64)
	}
	for _, s := range tagValues(tag, "maximum") {
		high, _ = strconv.ParseFloat(s, 64)
	}
	if n < low || n > high || math.IsNaN(n) {
		w.problem(node, path, "%v is out of range: write a number from %.0f to %.0f", n, low, high)
	}
}

func tagValues(tag reflect.StructTag, name string) []string {
	var out []string
	for part := range strings.SplitSeq(tag.Get("jsonschema"), ",") {
		if value, ok := strings.CutPrefix(part, name+"="); ok {
			out = append(out, value)
		}
	}
	return out
}

func stringOf(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	default:
		return "", false
	}
}

func number(node ast.Node) (float64, bool) {
	switch n := node.(type) {
	case *ast.IntegerNode:
		switch i := n.Value.(type) {
		case int64:
			return float64(i), true
		case uint64:
			return float64(i), true
		}
	case *ast.FloatNode:
		return n.Value, true
	case *ast.InfinityNode:
		return n.Value, true
	}
	return 0, false
}

// describe names what stands in the file, without repeating texts: a text in
// the wrong place may be a secret.
func describe(node ast.Node) string {
	switch n := node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a block of keys"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.BoolNode:
		return strconv.FormatBool(n.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.NullNode:
		return "nothing"
	default:
		return "this"
	}
}

// quote shows a word of the file, cut short.
func quote(s string) string { return text.Quote(s, 40) }
