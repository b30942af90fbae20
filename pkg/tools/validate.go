package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/pkg/providers"
)

// The limits of a call's arguments, whoever wrote them.
const (
	maxArgumentBytes = 1 << 20
	maxArgumentDepth = 64
	maxProblems      = 20
	maxProblemBytes  = 200
)

// validate checks arguments against a schema; it lists everything that is wrong.
// Exact are the arguments as JSON has them, where a number among them is none that a
// float64 gives back; else nil.
func validate(s *jsonschema.Resolved, args map[string]any) (exact map[string]any, fail *Error) {
	defer func() {
		if p := recover(); p != nil {
			fail = Fail(ErrInvalidArguments, "the arguments cannot be checked", nil).Because(fmt.Errorf("validation panicked: %v", p))
		}
	}()
	size := meter{left: maxArgumentBytes}
	if !size.fits(args, maxArgumentDepth) {
		return nil, Fail(ErrInvalidArguments, fmt.Sprintf(
			"the arguments are too large: at most %d bytes and %d levels are allowed", maxArgumentBytes, maxArgumentDepth), nil)
	}
	instance := args
	if size.foreign || size.exact {
		b, err := json.Marshal(args)
		if err == nil {
			instance, err = providers.DecodeArguments(string(b))
		}
		if err != nil {
			return nil, Fail(ErrInvalidArguments, "the arguments are not JSON: "+clip(err.Error(), maxProblemBytes), nil)
		}
		size = meter{left: maxArgumentBytes}
		size.fits(instance, maxArgumentDepth)
	}
	if !size.exact {
		return nil, check(s, instance)
	}
	for _, way := range []float64{math.Inf(-1), math.Inf(1)} {
		if fail := check(s, beside(instance, way)); fail != nil {
			return nil, fail
		}
	}
	return instance, nil
}

// check holds a value against a schema.
func check(s *jsonschema.Resolved, instance any) *Error {
	err := s.Validate(instance)
	if err == nil {
		return nil
	}
	f := problems{root: s.Schema()}
	f.find(f.root, instance, "")
	if f.count == 0 {
		f.add("", reason(err))
	}
	return f.fail()
}

// meter measures arguments before anything else walks them.
type meter struct {
	left int // bytes
	// foreign: a caller in Go passed what JSON would not give, such as []string.
	foreign bool
	// exact: a number is not a float64, because none gives it back.
	exact bool
}

// fits says whether a value is small and flat enough.
func (m *meter) fits(v any, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case string:
		m.left -= len(v)
	case map[string]any:
		for k, e := range v {
			if m.left -= len(k); !m.fits(e, depth-1) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !m.fits(e, depth-1) {
				return false
			}
		}
	case nil, bool, float64:
	case json.Number:
		m.left -= len(v)
		m.exact = true
	default:
		m.foreign = true
	}
	m.left--
	return m.left >= 0
}

// problems is what is wrong with arguments. The validator stops at the first, and a
// model that is told of one at a time asks again for each.
type problems struct {
	root  *jsonschema.Schema
	count int
	lines []string
	list  []map[string]any
}

// find looks at a value: what is wrong with each of its properties or items, and
// then with the rest of it.
func (f *problems) find(s *jsonschema.Schema, v any, path string) {
	rest := *s
	switch v := v.(type) {
	case map[string]any:
		if s.UnevaluatedProperties == nil {
			f.properties(s, v, path)
			rest.Properties, rest.AdditionalProperties, rest.Required = nil, nil, nil
		}
	case []any:
		if s.Items != nil && len(s.PrefixItems) == 0 && s.UnevaluatedItems == nil {
			for i, e := range v {
				f.find(s.Items, e, path+"/"+strconv.Itoa(i))
			}
			rest.Items = nil
		}
	}
	if path != "" && rest.Defs == nil {
		rest.Defs = f.root.Defs // what it refers to
	}
	whole, err := rest.Resolve(nil)
	if err != nil {
		whole, err = s.Resolve(nil)
	}
	if err != nil {
		return // it refers to what only the whole schema has
	}
	if err := whole.Validate(v); err != nil {
		f.add(path, reason(err))
	}
}

// properties looks at the properties of an object, those that are missing and those
// that it must not have.
func (f *problems) properties(s *jsonschema.Schema, v map[string]any, path string) {
	var missing []string
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		f.add(path, "missing: "+quoted(missing))
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch own := s.Properties[name]; {
		case own != nil:
			f.find(own, v[name], path+"/"+name)
		case s.AdditionalProperties == nil || patterned(s, name):
		case s.AdditionalProperties.Not != nil: // false
			unknown = append(unknown, name)
		default:
			f.find(s.AdditionalProperties, v[name], path+"/"+name)
		}
	}
	if unknown != nil {
		f.add(path, "unknown: "+quoted(unknown))
	}
}

// patterned says whether a property is one of a pattern.
func patterned(s *jsonschema.Schema, name string) bool {
	for pattern := range s.PatternProperties {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
			return true
		}
	}
	return false
}

func quoted(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == maxProblems {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		b.WriteString(" " + strconv.Quote(clip(name, maxProblemBytes)))
	}
	return b.String()[1:]
}

// reason is a validator's word without the way that it took.
func reason(err error) string {
	text := err.Error()
	for strings.HasPrefix(text, "validating ") {
		_, rest, ok := strings.Cut(text, ": ")
		if !ok {
			break
		}
		text = rest
	}
	return text
}

func (f *problems) add(path, text string) {
	if f.count++; f.count > maxProblems {
		return
	}
	path, text = clip("/"+strings.TrimPrefix(path, "/"), maxProblemBytes), clip(text, maxProblemBytes)
	f.list = append(f.list, map[string]any{"path": path, "problem": text})
	f.lines = append(f.lines, path+": "+text)
}

func (f *problems) fail() *Error {
	msg := "the arguments do not fit: " + strings.Join(f.lines, "; ")
	if f.count > maxProblems {
		msg += fmt.Sprintf("; and %d more", f.count-maxProblems)
	}
	return Fail(ErrInvalidArguments, msg, map[string]any{"errors": f.list})
}
