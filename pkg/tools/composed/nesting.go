package composed

import (
	"fmt"
	"slices"
	"strings"
)

// Nesting gives the reason why no call of the sequence name could end, as far as its
// steps show: a step leads back to a running sequence, or the sequences below it go
// deeper than depth allows. A sequence has no conditions, so each call of it makes
// all of its steps. A sequence outside a circle that only calls it has no problem of
// its own.
//
// Steps are the tools that each sequence calls, in order, by its name; any other tool
// counts as one without calls. Depth counts the sequence itself and the last tool as
// well; the cure names most, the largest possible depth.
func Nesting(name string, steps map[string][]string, depth, most int) []SpecError {
	if path := circle(name, steps); path != nil {
		if slices.Min(path) != name {
			return nil // the first of the circle speaks for it
		}
		text := "calls itself, and so no call of it can end: take this step out"
		if len(path) > 1 {
			text = fmt.Sprintf("leads back to %s (%s), and so no call of it can end: take a step out of one of them",
				name, strings.Join(append(path, name), ", then "))
		}
		return []SpecError{{slices.Index(steps[name], append(path, name)[1]) + 1, text}}
	}
	path := deepest(name, steps, map[string][]string{})
	if len(path) <= depth {
		return nil
	}
	cure := fmt.Sprintf("write max_tool_depth: %d, or call fewer", len(path))
	if len(path) > most {
		cure = "call fewer"
	}
	text := fmt.Sprintf("goes %d deep (%s), and max_tool_depth is %d: %s", len(path), strings.Join(path, ", then "), depth, cure)
	return []SpecError{{slices.Index(steps[name], path[1]) + 1, text}}
}

// circle is the shortest way from a sequence back to it: the sequences on it, from
// name on, or nil.
func circle(name string, steps map[string][]string) []string {
	from := map[string]string{}
	for next := []string{name}; len(next) > 0; next = next[1:] {
		for _, tool := range steps[next[0]] {
			if tool == name {
				path := []string{}
				for at := next[0]; at != name; at = from[at] {
					path = append(path, at)
				}
				path = append(path, name)
				slices.Reverse(path)
				return path
			}
			if _, seen := from[tool]; !seen {
				from[tool] = next[0]
				next = append(next, tool)
			}
		}
	}
	return nil
}

// deepest is the longest way down from a tool, itself included. It is nil from a
// circle on, which speaks for itself. Known keeps the ways that were found.
func deepest(name string, steps, known map[string][]string) []string {
	if path, ok := known[name]; ok {
		return path
	}
	known[name] = nil // met again below itself: a circle
	longest := []string{}
	for _, tool := range steps[name] {
		below := deepest(tool, steps, known)
		if below == nil {
			return nil
		}
		if len(below) > len(longest) {
			longest = below
		}
	}
	known[name] = append([]string{name}, longest...)
	return known[name]
}
