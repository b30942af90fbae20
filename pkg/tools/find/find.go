package find

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/internal/offer"
)

// Name is the name of the tool.
const Name = "find_tools"

// The bounds of a query in bytes, of the tools that words find, and of those that names find.
const (
	maxQuery = 500
	maxFound = 5
	maxNamed = 20
)

// Weights of a query word found in a tool's name, its description and its parameters.
const (
	inName        = 6
	inDescription = 3
	inParameters  = 1
)

type arguments struct {
	Query string `json:"query" jsonschema:"names, or words for the purpose"`
}

// New makes the tool.
func New() tools.Tool {
	return tools.New(Name, "Find tools by name or purpose; you can call those found after that.",
		tools.Annotations{ReadOnly: true, Idempotent: true, Finds: true, Level: tools.LevelChat},
		func(ctx context.Context, in arguments) (any, error) {
			if strings.TrimSpace(in.Query) == "" || len(in.Query) > maxQuery {
				return nil, tools.Fail(tools.ErrInvalidArguments, textQuery, nil)
			}
			all := slices.DeleteFunc(slices.Clone(tools.Callable(ctx)), func(d providers.ToolDefinition) bool {
				return d.Function.Name == Name
			})
			return answer(all, in.Query), nil
		})
}

// answer tells which of the tools fit a query.
func answer(all []providers.ToolDefinition, query string) string {
	fitting := named(all, query)
	if len(fitting) == 0 {
		fitting = about(all, query)
	}
	if len(fitting) == 0 {
		names := make([]string, len(all))
		for i := range all {
			names[i] = all[i].Function.Name
		}
		return textNone + strings.Join(names, ", ") + "."
	}
	var b strings.Builder
	b.WriteString(textFound)
	for _, d := range fitting {
		b.WriteString("\n" + offer.Line(d.Function.Name, d.Function.Description))
	}
	return b.String()
}

// named are the tools of a query that has no other words than their names, in their order
// there.
func named(all []providers.ToolDefinition, query string) []*providers.ToolDefinition {
	var fitting []*providers.ToolDefinition
	for word := range strings.FieldsFuncSeq(query, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		i := slices.IndexFunc(all, func(d providers.ToolDefinition) bool { return strings.EqualFold(d.Function.Name, word) })
		if i < 0 {
			return nil
		}
		if len(fitting) < maxNamed && !slices.Contains(fitting, &all[i]) {
			fitting = append(fitting, &all[i])
		}
	}
	return fitting
}

// about are the tools that fit the words of a query best, the best first: those with half
// of the best one's score at least.
func about(all []providers.ToolDefinition, query string) []*providers.ToolDefinition {
	asked := slices.DeleteFunc(words(query), func(word string) bool { return slices.Contains(common(), word) })
	type scored struct {
		tool  *providers.ToolDefinition
		score int
	}
	var fitting []scored
	for i := range all {
		if n := score(&all[i].Function, asked); n > 0 {
			fitting = append(fitting, scored{&all[i], n})
		}
	}
	slices.SortStableFunc(fitting, func(a, b scored) int { return b.score - a.score })
	var best []*providers.ToolDefinition
	for i, f := range fitting {
		if i == maxFound || 2*f.score < fitting[0].score { //nolint:mnd // half
			break
		}
		best = append(best, f.tool)
	}
	return best
}

// score is how well a tool fits words.
func score(f *providers.FunctionDefinition, asked []string) int {
	properties, _ := f.Parameters["properties"].(map[string]any)
	var parameters []string
	for name, p := range properties {
		property, _ := p.(map[string]any)
		description, _ := property["description"].(string)
		parameters = append(parameters, words(name+" "+description)...)
	}
	places := []struct {
		words []string
		count int
	}{
		{words(f.Name), inName}, {words(f.Description), inDescription}, {parameters, inParameters},
	}
	n := 0
	for _, word := range asked {
		for _, place := range places {
			if slices.ContainsFunc(place.words, func(other string) bool { return alike(word, other) }) {
				n += place.count
				break
			}
		}
	}
	return n
}

// words are the words of a text in small letters, each once.
func words(s string) []string {
	var all []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}

// alike reports whether two words are the same, or two forms of one, such as "calculate"
// and "calculator".
func alike(a, b string) bool {
	const stem, ending = 4, 3 // the shortest beginning, and the longest rest, in bytes
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a == b || n >= stem && len(a)-n <= ending && len(b)-n <= ending
}

// common are words of a query that tell of no tool.
func common() []string {
	return strings.Fields("a an and the of to in on for with or is it me my i you can tool tools that which how do")
}
