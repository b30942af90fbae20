package strictyaml

import (
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
func (w *Walker) scalar(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if node.Type() == ast.NullType {
		w.Refuse(node, path, "has no value: write one, or leave the key out")
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		if n, ok := node.(*ast.BoolNode); ok {
			v.SetBool(n.Value)
			return
		}
		w.Refuse(node, path, "must be true or false, not %s", Describe(node))
	case reflect.String:
		if s, ok := Text(node); ok {
			v.SetString(s)
			if w.Visible(node, s, path, tag) {
				w.enum(node, s, path, tag)
			}
			return
		}
		switch node.(type) {
		case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
			w.Refuse(node, path, "must be a text, not %s", Describe(node))
		default:
			w.Refuse(node, path, "must be a text, not %s: put it in quotes", Describe(node))
		}
	case reflect.Int, reflect.Float64:
		w.numeric(node, v, path, tag)
	case reflect.Int64:
		w.duration(node, v, path, tag)
	default:
		w.Problem(node, path, "cannot be set")
	}
}

// numeric stores a number, a whole one where v is an integer.
func (w *Walker) numeric(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	n, ok := number(node)
	switch whole := v.Kind() == reflect.Int; {
	case whole && (!ok || n != math.Trunc(n) || math.Abs(n) > 1<<53):
		w.Refuse(node, path, "must be a whole number, not %s", Describe(node))
		return
	case !ok:
		w.Refuse(node, path, "must be a number, not %s", Describe(node))
		return
	case whole:
		v.SetInt(int64(n))
	default:
		v.SetFloat(n)
	}
	w.bounds(node, n, path, tag)
}

// duration stores a time span, which is every int64.
func (w *Walker) duration(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	s, ok := Text(node)
	d, err := time.ParseDuration(s)
	if !ok || err != nil {
		w.Refuse(node, path, "must be a time span such as 30s or 5m, not %s", Describe(node))
		return
	}
	low, lowErr := time.ParseDuration(tag.Get("min"))
	high, highErr := time.ParseDuration(tag.Get("max"))
	if highErr != nil && lowErr == nil && d < low {
		w.Problem(node, path, "%s is too short: write a time span of at least %s", d, low)
		return
	}
	if lowErr == nil && d < low || highErr == nil && d > high {
		w.Problem(node, path, "%s is out of range: write a time span from %s to %s", d, low, high)
		return
	}
	v.SetInt(int64(d))
}

// enum holds a text against the words that its field's tag lists.
func (w *Walker) enum(node ast.Node, s, path string, tag reflect.StructTag) {
	words := TagValues(tag, "enum")
	if len(words) == 0 || slices.Contains(words, s) {
		return
	}
	w.Problem(node, path, "%s is not understood: write one of %s", Quote(s), strings.Join(words, ", "))
}

// bounds holds a number against the limits in its field's tag.
func (w *Walker) bounds(node ast.Node, n float64, path string, tag reflect.StructTag) {
	low, high := math.Inf(-1), math.Inf(1)
	for _, s := range TagValues(tag, "minimum") {
		low, _ = strconv.ParseFloat(s, 64)
	}
	for _, s := range TagValues(tag, "maximum") {
		high, _ = strconv.ParseFloat(s, 64)
	}
	if n < low || n > high || math.IsNaN(n) {
		w.Problem(node, path, "%v is out of range: write a number from %.0f to %.0f", n, low, high)
	}
}

// TagValues are the values of a word in the tag jsonschema.
func TagValues(tag reflect.StructTag, name string) []string {
	var out []string
	for part := range strings.SplitSeq(tag.Get("jsonschema"), ",") {
		if value, ok := strings.CutPrefix(part, name+"="); ok {
			out = append(out, value)
		}
	}
	return out
}

// Text is the value of a text; false for any other node.
func Text(node ast.Node) (string, bool) {
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

// Describe names a value without repeating texts: a text in the wrong place may be a
// secret.
func Describe(node ast.Node) string {
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

// Quote shows a word of the file, cut short.
func Quote(s string) string { return text.Quote(s, 40) }
