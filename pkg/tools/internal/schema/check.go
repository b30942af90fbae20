package schema

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

	"parley/pkg/panics"
	"parley/pkg/providers"
	"parley/pkg/text"
)

// The limits of a call's arguments.
const (
	maxArgumentBytes = 1 << 20
	maxArgumentDepth = 64
	maxProblems      = 20
)

// MaxProblemBytes bounds the text of one problem.
const MaxProblemBytes = 200

// MismatchError names the fault of arguments, in words for the model.
type MismatchError struct {
	Message string
	// Problems has an entry for each problem, with "path" and "problem"; nil where
	// the arguments could not be checked at all.
	Problems []map[string]any
	// Err is the cause, for logs.
	Err error
}

// Error gives the message.
func (e *MismatchError) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *MismatchError) Unwrap() error { return e.Err }

// Check holds arguments against the schema. The error is a [*MismatchError].
// Exact is nil where every number is a float64; otherwise it holds the arguments
// as JSON has them, each number that no float64 gives back as a json.Number.
func (s *Schema) Check(args map[string]any) (exact map[string]any, err error) {
	if p := panics.Catch(func() { exact, err = s.check(args) }); p != nil {
		return nil, &MismatchError{Message: textUncheckable, Err: fmt.Errorf("validation panicked: %v", p.Value)}
	}
	return exact, err
}

func (s *Schema) check(args map[string]any) (exact map[string]any, err error) {
	size := meter{left: maxArgumentBytes}
	if !size.fits(args, maxArgumentDepth) {
		return nil, &MismatchError{Message: fmt.Sprintf(textTooLarge, maxArgumentBytes, maxArgumentDepth)}
	}
	instance := args
	if size.foreign || size.exact {
		b, err := json.Marshal(args)
		if err == nil {
			instance, err = providers.DecodeArguments(string(b))
		}
		if err != nil {
			return nil, &MismatchError{Message: fmt.Sprintf(textNotJSON, text.ClipBytes(err.Error(), MaxProblemBytes))}
		}
		size = meter{left: maxArgumentBytes}
		size.fits(instance, maxArgumentDepth)
	}
	if !size.exact {
		return nil, check(s.resolved, instance)
	}
	for _, direction := range []float64{math.Inf(-1), math.Inf(1)} {
		if err := check(s.resolved, nearest(instance, direction)); err != nil {
			return nil, err
		}
	}
	return instance, nil
}

// check holds a value against a schema.
func check(s *jsonschema.Resolved, instance any) error {
	err := s.Validate(instance)
	if err == nil {
		return nil
	}
	f := problems{root: s.Schema()}
	f.find(f.root, instance, "")
	if f.count == 0 {
		f.add("", fmt.Sprintf(textOther, reason(err)))
	}
	return f.mismatch()
}

// meter measures arguments before anything else walks them.
type meter struct {
	left int // bytes
	// foreign: a caller in Go passed a type that JSON does not give, such as []string.
	foreign bool
	// exact: a number is a json.Number, because no float64 gives it back.
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

// problems collects everything that is wrong with arguments. The validator stops at
// the first problem, and a model that hears of one at a time asks again for each.
type problems struct {
	root  *jsonschema.Schema
	count int
	lines []string
	list  []map[string]any
}

// find checks each property or item of a value, and then the rest of the value.
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
		rest.Defs = f.root.Defs // its references lead there
	}
	whole, err := rest.Resolve(nil)
	if err != nil {
		whole, err = s.Resolve(nil)
	}
	if err != nil {
		return // it refers to a part that only the whole schema has
	}
	if err := whole.Validate(v); err != nil {
		problem := fault(&rest, v)
		if problem == "" {
			problem = fmt.Sprintf(textOther, reason(err))
		}
		f.add(path, problem)
	}
}

// properties checks the properties of an object, and finds missing and unknown ones.
func (f *problems) properties(s *jsonschema.Schema, v map[string]any, path string) {
	var missing []string
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		f.names(path, missing, [3]string{textMissing, textMissingMany, textMissingIn})
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
		f.names(path, unknown, [3]string{textUnknown, textUnknownMany, textUnknownIn})
	}
}

// patterned says whether a pattern of the schema covers a property.
func patterned(s *jsonschema.Schema, name string) bool {
	for pattern := range s.PatternProperties {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
			return true
		}
	}
	return false
}

// names adds a problem with some members of an object: its texts are for one argument,
// for several, and for members of a value inside the arguments.
func (f *problems) names(path string, names []string, texts [3]string) {
	list := quoted(names)
	switch {
	case path != "":
		problem := fmt.Sprintf(texts[2], list)
		f.record(path, problem, fmt.Sprintf(textIn, problem, place(path)))
	case len(names) == 1:
		problem := fmt.Sprintf(texts[0], list)
		f.record(path, problem, problem)
	default:
		problem := fmt.Sprintf(texts[1], list)
		f.record(path, problem, problem)
	}
}

func quoted(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == maxProblems {
			return b.String() + fmt.Sprintf(textMoreNames, len(names)-i)
		}
		if i > 0 {
			b.WriteString(textListedChoice)
		}
		b.WriteString(strconv.Quote(text.ClipBytes(name, MaxProblemBytes)))
	}
	return b.String()
}

// reason is a validator's message without the path that leads to it.
func reason(err error) string {
	problem := err.Error()
	for strings.HasPrefix(problem, "validating ") {
		_, rest, ok := strings.Cut(problem, ": ")
		if !ok {
			break
		}
		problem = rest
	}
	return problem
}

// place is the path of a value as a sentence names it.
func place(path string) string {
	return text.ClipBytes(strings.TrimPrefix(path, "/"), MaxProblemBytes)
}

// add adds a problem with the value at a path.
func (f *problems) add(path, problem string) {
	problem = text.ClipBytes(problem, MaxProblemBytes)
	if path == "" {
		f.record(path, problem, fmt.Sprintf(textAtArguments, problem))
		return
	}
	f.record(path, problem, fmt.Sprintf(textAtArgument, place(path), problem))
}

func (f *problems) record(path, problem, line string) {
	if f.count++; f.count > maxProblems {
		return
	}
	f.list = append(f.list, map[string]any{"path": "/" + place(path), "problem": text.ClipBytes(problem, MaxProblemBytes)})
	f.lines = append(f.lines, line)
}

func (f *problems) mismatch() *MismatchError {
	msg := strings.Join(f.lines, "; ")
	if f.count > maxProblems {
		msg += fmt.Sprintf(textMore, f.count-maxProblems)
	}
	return &MismatchError{Message: msg, Problems: f.list}
}
