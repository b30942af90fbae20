package composed

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// placeholder is {{NAME}} or {{N}}.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{ *([A-Za-z0-9_]+) *\}\}`) }) //nolint:gochecknoglobals // compiled once

// names are the texts between braces in the texts of a value, sorted.
func names(v any) []string {
	found := map[string]bool{}
	walk(v, func(s string) string {
		for _, m := range placeholder().FindAllStringSubmatch(s, -1) {
			found[m[1]] = true
		}
		return s
	})
	return slices.Sorted(maps.Keys(found))
}

// fill replaces names by parameters and results. It does not scan the inserted texts,
// so a result cannot name another.
func fill(args, given map[string]any, result func(n int) string) map[string]any {
	out, _ := walk(args, func(s string) string {
		return placeholder().ReplaceAllStringFunc(s, func(match string) string {
			name := placeholder().FindStringSubmatch(match)[1]
			if n, err := strconv.Atoi(name); err == nil {
				return result(n)
			}
			return fmt.Sprint(given[name])
		})
	}).(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	return out
}

// walk copies a value, with f of each text in it.
func walk(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = walk(e, f)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = walk(e, f)
		}
		return out
	default:
		return v
	}
}
