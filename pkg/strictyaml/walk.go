package strictyaml

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// maxWord is the longest key for which a likely one is looked up.
const maxWord = 64

// position is where a value stands.
type position struct{ line, column int }

// Walker carries a document over into Go types. It collects all problems instead of
// ending at the first, which the library's own decoder does.
type Walker struct {
	// File is the name of the file in problems.
	File string
	// MaxDepth bounds the nesting of keys.
	MaxDepth int
	// Special stores a value of a type of its own, such as a secret; false leaves the
	// value to the walker. Nil knows no such type.
	Special func(node ast.Node, v reflect.Value, path string) bool

	problems  []Problem
	notes     []Problem
	positions map[string]position
	refused   map[string]bool // paths whose value could not be read
}

// Defaulter is a value behind a pointer that has defaults; they are set before its keys
// are read.
type Defaulter interface{ SetDefaults() }

// Walk stores the document in the struct that into points to. An empty document (nil)
// changes nothing.
func (w *Walker) Walk(root ast.Node, into any) {
	w.positions, w.refused = map[string]position{}, map[string]bool{}
	if root != nil {
		w.value(root, reflect.ValueOf(into).Elem(), "", "")
	}
}

// Problems lists all problems, in the order of the file.
func (w *Walker) Problems() []Problem { return inOrder(w.problems) }

// Err is an [*Error] of all problems; nil for none.
func (w *Walker) Err() error { return NewError(w.problems...) }

// Written says whether the document has the key.
func (w *Walker) Written(path string) bool {
	_, ok := w.positions[path]
	return ok
}

// Problem reports a problem with a node.
func (w *Walker) Problem(at ast.Node, path, format string, args ...any) {
	pos := positionOf(at)
	w.problems = append(w.problems, Problem{
		File: w.File, Line: pos.line, Column: pos.column, Path: path, Message: fmt.Sprintf(format, args...),
	})
}

// Refuse reports a value that is left unread, such as one of another type than its key's:
// later remarks of [Walker.At] on it would speak of a value that the document does not have.
func (w *Walker) Refuse(node ast.Node, path, format string, args ...any) {
	w.refused[path] = true
	w.Problem(node, path, format, args...)
}

// At reports a problem with the value of a key, which may be a default: then the place
// is that of the key around it. A value that was refused, or lies in one, is reported as
// such alone.
func (w *Walker) At(path, format string, args ...any) {
	if !unread(w, path) {
		w.problems = append(w.problems, w.remark(path, format, args...))
	}
}

// unread says whether the value of a key, or one around it, was refused.
func unread(w *Walker, path string) bool {
	for p := path; p != ""; p = around(p) {
		if w.refused[p] {
			return true
		}
	}
	return w.refused[""]
}

// around is the key in whose value a key lies, "" for the document.
func around(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// Understood says whether all keys in the block at a path are known ones with a value that
// could be read.
func (w *Walker) Understood(path string) bool {
	for p := range w.refused {
		if strings.HasPrefix(p, path+".") {
			return false
		}
	}
	return !unread(w, path)
}

// Note keeps a remark on the value of a key that is no problem.
func (w *Walker) Note(path, format string, args ...any) {
	w.notes = append(w.notes, w.remark(path, format, args...))
}

// Notes lists the remarks of [Walker.Note], in the order of the file.
func (w *Walker) Notes() []Problem { return inOrder(w.notes) }

func (w *Walker) remark(path, format string, args ...any) Problem {
	pos := w.positions[path]
	for p := path; pos.line == 0 && p != ""; pos = w.positions[p] {
		p = around(p)
	}
	return Problem{File: w.File, Line: pos.line, Column: pos.column, Path: path, Message: fmt.Sprintf(format, args...)}
}

func positionOf(n ast.Node) position {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return position{}
	}
	p := n.GetToken().Position
	return position{line: p.Line, column: p.Column}
}

// Every value passes here: node is stored in v, and tag holds the limits of the
// field that v is, or lies in.
func (w *Walker) value(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if v.Kind() == reflect.Pointer { // never nil, whatever is wrong with the node
		v.Set(reflect.New(v.Type().Elem()))
		if d, ok := reflect.TypeAssert[Defaulter](v); ok {
			d.SetDefaults()
		}
		if node.Type() == ast.NullType {
			w.Refuse(node, path, "has no value: write one, or leave the key out")
			return
		}
		w.value(node, v.Elem(), path, tag)
		return
	}
	if strings.Count(path, ".")+strings.Count(path, "[") > w.MaxDepth {
		w.Problem(node, path, "is nested too deeply")
		return
	}
	w.positions[path] = positionOf(node)
	if !w.plain(node, path) {
		return
	}
	if w.Special != nil && w.Special(node, v, path) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		w.structure(node, v, path)
	case reflect.Map:
		w.dictionary(node, v, path, tag)
	case reflect.Slice:
		w.list(node, v, path, tag)
	case reflect.Interface:
		w.anything(node, v, path, tag)
	default:
		w.scalar(node, v, path, tag)
	}
}

// plain refuses what makes a file hard to read: anchors, aliases and tags.
func (w *Walker) plain(node ast.Node, path string) bool {
	switch node.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		w.Problem(node, path, "anchors, aliases and tags are not understood here: write the value itself")
		return false
	default:
		return true
	}
}

type pair struct {
	key   string
	at    ast.Node
	value ast.Node
}

// pairs lists a mapping's entries; every key once.
func (w *Walker) pairs(node ast.Node, path, wanted string) []pair {
	if node.Type() == ast.NullType {
		return nil
	}
	mapping, ok := node.(ast.MapNode)
	if !ok {
		w.Refuse(node, path, "must be %s, not %s", wanted, Describe(node))
		return nil
	}
	var out []pair
	seen := map[string]position{}
	for it := mapping.MapRange(); it.Next(); {
		at := it.Key()
		if !w.plain(at, path) {
			continue
		}
		key := at.GetToken().Value
		if first, twice := seen[key]; twice {
			w.Problem(at, join(path, key), "is written twice, first in line %d: keep one", first.line)
			continue
		}
		seen[key] = positionOf(at)
		out = append(out, pair{key: key, at: at, value: it.Value()})
	}
	return out
}

func (w *Walker) structure(node ast.Node, v reflect.Value, path string) {
	fields := map[string]int{}
	var known []string
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if name == "" {
			continue // it is no key
		}
		fields[name] = i
		known = append(known, name)
	}
	slices.Sort(known)
	for _, p := range w.pairs(node, path, "a block of keys ("+strings.Join(known, ", ")+")") {
		i, ok := fields[p.key]
		if !ok {
			w.unknown(p, path, known)
			continue
		}
		w.value(p.value, v.Field(i), join(path, p.key), v.Type().Field(i).Tag)
	}
}

func (w *Walker) unknown(p pair, path string, known []string) {
	where := "here"
	if path != "" {
		where = "in " + path
	}
	if len(p.key) <= maxWord {
		if k := nearest(p.key, known); k != "" {
			w.Refuse(p.at, join(path, p.key), "unknown key: did you mean %s?", k)
			return
		}
	}
	w.Refuse(p.at, join(path, p.key), "unknown key: the keys %s are %s", where, strings.Join(known, ", "))
}

func (w *Walker) dictionary(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	v.Set(reflect.MakeMap(v.Type()))
	ours := v.Type().Elem().Kind() != reflect.Interface // and not a tool's arguments
	names := map[string]pair{}
	for _, p := range w.pairs(node, path, "a block of names with their keys") {
		if p.key == "" {
			w.Problem(p.at, path, "a name is empty: give it one")
			continue
		}
		if !w.Visible(p.at, p.key, path, "") {
			continue
		}
		folded := strings.ToLower(p.key)
		if first, taken := names[folded]; taken && ours {
			w.Problem(p.at, join(path, p.key), "differs from %s in line %d by its case only: choose another name",
				first.key, positionOf(first.at).line)
			continue
		}
		names[folded] = p
		element := reflect.New(v.Type().Elem()).Elem()
		w.value(p.value, element, join(path, p.key), tag)
		w.positions[join(path, p.key)] = positionOf(p.at)
		v.SetMapIndex(reflect.ValueOf(p.key), element)
	}
}

func (w *Walker) list(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	if node.Type() == ast.NullType {
		return
	}
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		w.Refuse(node, path, "must be a list such as [a, b], not %s", Describe(node))
		return
	}
	seen := map[any]int{}
	for i, item := range seq.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		element := reflect.New(v.Type().Elem()).Elem()
		w.value(item, element, at, tag)
		v.Set(reflect.Append(v, element))
		if kind := element.Kind(); kind != reflect.String && kind != reflect.Int || element.IsZero() {
			continue
		}
		if first, twice := seen[element.Interface()]; twice {
			w.Problem(item, at, "is in this list already, as entry %d: keep one", first+1)
			continue
		}
		seen[element.Interface()] = i
	}
}

// anything takes a value as JSON would have it: text, number, yes or no, list or map.
// A number that a float64 may change is a json.Number.
func (w *Walker) anything(node ast.Node, v reflect.Value, path string, tag reflect.StructTag) {
	as := reflect.TypeFor[string]()
	switch n := node.(type) {
	case *ast.NullNode:
		return
	case ast.MapNode:
		as = reflect.TypeFor[map[string]any]()
	case *ast.SequenceNode:
		as = reflect.TypeFor[[]any]()
	case *ast.BoolNode:
		as = reflect.TypeFor[bool]()
	case *ast.IntegerNode:
		if f, ok := number(node); ok && math.Abs(f) >= 1<<53 {
			v.Set(reflect.ValueOf(json.Number(fmt.Sprint(n.Value))))
			return
		}
		as = reflect.TypeFor[int]()
	case *ast.FloatNode:
		if text := n.GetToken().Value; text != strconv.FormatFloat(n.Value, 'f', -1, 64) && json.Valid([]byte(text)) {
			v.Set(reflect.ValueOf(json.Number(text)))
			return
		}
		as = reflect.TypeFor[float64]()
	}
	into := reflect.New(as).Elem()
	w.value(node, into, path, tag)
	v.Set(into)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
