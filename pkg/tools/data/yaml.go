package data

import (
	"math/big"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"parley/pkg/strictyaml"
)

// readYAML reads one document. Aliases stand for their values and count as these;
// plain words are read as the core schema of YAML 1.2 reads them.
func readYAML(text string) (*value, error) {
	root, problem := strictyaml.Parse(text, maxDepth)
	if problem != nil {
		return nil, wrong(problem.Line, problem.Column, "%s", problem.Message)
	}
	r := &yamlReader{anchors: map[string]*value{}}
	return r.value(root, 1)
}

// at places a mistake at a token.
func at(t *token.Token, format string, args ...any) *SyntaxError {
	if t == nil || t.Position == nil {
		return wrong(0, 0, format, args...)
	}
	return wrong(t.Position.Line, t.Position.Column, format, args...)
}

type yamlReader struct {
	anchors map[string]*value
	// shared counts the values that aliases stand for.
	shared int
}

func (r *yamlReader) value(node ast.Node, depth int) (*value, error) {
	if node == nil {
		return scalar(kindNull, "null"), nil
	}
	if depth > maxDepth {
		return nil, at(node.GetToken(), "it is nested more than %d levels deep", maxDepth)
	}
	switch n := node.(type) {
	case *ast.AnchorNode:
		v, err := r.value(n.Value, depth)
		if err == nil {
			r.anchors[n.Name.GetToken().Value] = v
		}
		return v, err
	case *ast.AliasNode:
		return r.alias(n, depth)
	case *ast.TagNode:
		return r.tagged(n, depth)
	case *ast.SequenceNode:
		var items []*value
		for _, item := range n.Values {
			v, err := r.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		return list(items), nil
	case ast.MapNode:
		return r.object(n, depth)
	default:
		return leaf(node)
	}
}

func (r *yamlReader) alias(n *ast.AliasNode, depth int) (*value, error) {
	name := n.Value.GetToken().Value
	v := r.anchors[name]
	if v == nil {
		return nil, at(n.GetToken(), "the alias %s names nothing before it", shorten(name))
	}
	if r.shared += v.size; r.shared > maxValues || depth+v.height > maxDepth+1 {
		return nil, at(n.GetToken(), "the aliases stand for more than %d values or %d levels", maxValues, maxDepth)
	}
	return v, nil
}

// tagged reads a value with a tag of YAML's own; others have no counterpart.
func (r *yamlReader) tagged(n *ast.TagNode, depth int) (*value, error) {
	tag := n.Start.Value
	v, err := r.value(n.Value, depth)
	if err != nil {
		return nil, err
	}
	kinds := map[string]kind{
		"!!map":   kindObject,
		"!!seq":   kindList,
		"!!bool":  kindBool,
		"!!int":   kindNumber,
		"!!float": kindNumber,
		"!!null":  kindNull,
	}
	switch want, known := kinds[tag]; {
	case tag == "!!str" && n.Value == nil:
		return scalar(kindText, ""), nil
	case tag == "!!str" && v.plain():
		return scalar(kindText, n.Value.GetToken().Value), nil
	case known && v.kind == want:
		return v, nil
	default:
		return nil, at(n.GetToken(), "the tag %s cannot be carried over", shorten(tag))
	}
}

func (r *yamlReader) object(n ast.MapNode, depth int) (*value, error) {
	var fields []field
	var merged []*value
	seen := map[string]bool{}
	for it := n.MapRange(); it.Next(); {
		v, err := r.value(it.Value(), depth+1)
		if err != nil {
			return nil, err
		}
		key := it.Key()
		if _, merge := key.(*ast.MergeKeyNode); merge {
			from, err := mergeable(key, v)
			if err != nil {
				return nil, err
			}
			merged = append(merged, from...)
			continue
		}
		name, err := keyOf(key)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, at(key.GetToken(), "the key %s is there twice", shorten(name))
		}
		seen[name] = true
		fields = append(fields, field{name, v})
	}
	for _, from := range merged {
		for _, f := range from.fields {
			if !seen[f.name] {
				seen[f.name] = true
				fields = append(fields, f)
			}
		}
	}
	return object(fields), nil
}

// mergeable lists the objects that a merge key takes its keys from.
func mergeable(key ast.Node, v *value) ([]*value, error) {
	from := []*value{v}
	if v.kind == kindList {
		from = v.items
	}
	if slices.ContainsFunc(from, func(w *value) bool { return w.kind != kindObject }) {
		return nil, at(key.GetToken(), "only keys can be merged here")
	}
	return from, nil
}

func keyOf(node ast.MapKeyNode) (string, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, nil
	default:
		return "", at(node.GetToken(), "a key must be a plain word or a text")
	}
}

// leaf reads a scalar.
func leaf(node ast.Node) (*value, error) {
	switch n := node.(type) {
	case *ast.LiteralNode:
		return scalar(kindText, n.Value.Value), nil
	case *ast.StringNode:
		if t := n.Token.Type; t == token.SingleQuoteType || t == token.DoubleQuoteType {
			return scalar(kindText, n.Value), nil
		}
		return word(n.Value), nil
	case *ast.NullNode:
		return scalar(kindNull, "null"), nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return word(node.GetToken().Value), nil
	default:
		return nil, at(node.GetToken(), "this cannot be carried over")
	}
}

var (
	yamlDecimal = compiled(`^([-+]?)(?:(0|[1-9][0-9]*)(?:\.([0-9]*))?|\.([0-9]+))([eE][-+]?[0-9]+)?$`) //nolint:gochecknoglobals // compiled once
	yamlBased   = compiled(`^0(?:x[0-9a-fA-F]{1,64}|o[0-7]{1,64})$`)                                   //nolint:gochecknoglobals // compiled once
)

// word is the value of a plain word. A number with leading zeros, which one version
// of YAML reads in base ten and another in base eight, stays a text.
func word(s string) *value {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return scalar(kindNull, "null")
	case "true", "True", "TRUE":
		return scalar(kindBool, "true")
	case "false", "False", "FALSE":
		return scalar(kindBool, "false")
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return scalar(kindNumber, ".inf")
	case "-.inf", "-.Inf", "-.INF":
		return scalar(kindNumber, "-.inf")
	case ".nan", ".NaN", ".NAN":
		return scalar(kindNumber, ".nan")
	}
	if m := yamlDecimal().FindStringSubmatch(s); m != nil {
		number := strings.TrimPrefix(m[1], "+")
		number += m[2]
		if m[2] == "" {
			number += "0"
		}
		switch {
		case m[3]+m[4] != "":
			number += "." + m[3] + m[4]
		case strings.Contains(s, "."):
			number += ".0"
		}
		return scalar(kindNumber, number+m[5])
	}
	if yamlBased().MatchString(s) {
		if n, ok := new(big.Int).SetString(s, 0); ok {
			return scalar(kindNumber, n.String())
		}
	}
	return scalar(kindText, s)
}
