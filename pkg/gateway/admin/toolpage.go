package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/pkg/tools"
)

// toolPage is a tool's page for a person. It also has the definition that a model gets.
func toolPage(of *tools.ToolRegistry, name string) (string, error) {
	t, _ := of.Get(name)
	an, _ := of.Annotations(name)
	raw, err := json.Marshal(tools.DefinitionOf(t))
	if err != nil {
		return "", err
	}
	var definition bytes.Buffer
	if err := json.Indent(&definition, raw, "", "  "); err != nil {
		return "", err
	}
	_, changes := changesOf(an)
	_, asked := askedOf(t, an)
	_, async := t.(tools.AsyncTool)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n| | |\n|---|---|\n", name, t.Description())
	for _, row := range [][2]string{
		{textPageChanges, changes},
		{textPageAsks, asked},
		{textPageLevel, string(an.Level)},
		{"Result", originOf(an)},
		{textPageRepeat, repeatOf(an, async)},
		{textPageBeside, besideOf(an)},
		{textPageCrash, againOf(an)},
		{textPageTime, timeOf(an)},
		{textPageLongest, fmt.Sprintf(textPageCut, an.MaxOutput)},
	} {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	b.WriteString("\n## Arguments\n\n" + argumentTable(t.Parameters()))
	fmt.Fprintf(&b, "\n## As the model sees it\n\n```json\n%s\n```\n", definition.String())
	return b.String(), nil
}

// timeOf says how long a call may take.
func timeOf(an tools.Annotations) string {
	if an.BackgroundLimit > 0 {
		return an.Timeout.String() + "; in the background " + an.BackgroundLimit.String()
	}
	return an.Timeout.String()
}

// changesOf says whether a tool changes something, in a word and in a sentence.
func changesOf(an tools.Annotations) (word, sentence string) {
	switch {
	case an.ReadOnly:
		return "no", textPageReads
	case an.Executes:
		return "yes", textPageExecutes
	case an.Destructive:
		return "yes", textPageDestroys
	default:
		return "yes", "Yes."
	}
}

// askedOf says whether a person is asked for a call, in words and in a sentence. The
// operator's tools.rules come before it.
func askedOf(t tools.Tool, an tools.Annotations) (words, sentence string) {
	_, examines := t.(tools.Examiner)
	switch {
	case an.Executes:
		return "always", textPageEveryCall
	case an.Destructive && !examines:
		return "yes", textPageUnless
	case examines && (!an.ReadOnly || an.OpenWorld):
		return "it depends", textPageDepends
	case an.ReadOnly:
		return "no", "No."
	case an.Keeps:
		return "not by default", textPageKeeps
	default:
		return "not by default", textPageNotByDefault
	}
}

func originOf(an tools.Annotations) string {
	if an.OpenWorld {
		return textPageUntrusted
	}
	return textPageInside
}

func repeatOf(an tools.Annotations, async bool) string {
	switch {
	case !an.ReadOnly || async:
		return textPageRunsAgain
	case an.OpenWorld, an.Volatile:
		return textPageRunsAnew
	default:
		return textPageMemory
	}
}

func besideOf(an tools.Annotations) string {
	if an.Destructive || an.Ordered {
		return textPageAlone
	}
	return textPageRunsBeside
}

func againOf(an tools.Annotations) string {
	if an.Rerunnable() {
		return textPageRerun
	}
	return textPageNotRerun
}

// argumentTable lists the arguments of a schema.
func argumentTable(schema map[string]any) string {
	var rows strings.Builder
	argumentRows(&rows, "", schema)
	if rows.Len() == 0 {
		return "None.\n"
	}
	return "| name | type | required | meaning |\n|---|---|---|---|\n" + rows.String()
}

// argumentRows writes a row for each property, those of objects within too.
func argumentRows(b *strings.Builder, prefix string, schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	required := words(schema["required"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p, _ := properties[name].(map[string]any)
		must := "no"
		if slices.Contains(required, name) {
			must = "yes"
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", prefix, name, typeOf(p), must, cell(describe(p)))
		argumentRows(b, prefix+name+".", p)
		if items, ok := p["items"].(map[string]any); ok {
			argumentRows(b, prefix+name+"[].", items)
		}
	}
}

func typeOf(p map[string]any) string {
	list := words(p["type"])
	if items, ok := p["items"].(map[string]any); ok {
		return "array of " + typeOf(items)
	}
	if len(list) == 0 {
		return "any"
	}
	return strings.Join(list, " or ")
}

// describe joins a property's description and its bounds.
func describe(p map[string]any) string {
	var parts []string
	if d, ok := p["description"].(string); ok {
		parts = append(parts, d)
	}
	for _, bound := range []struct{ key, text string }{
		{"enum", "one of %s"},
		{"const", "always %s"},
		{"default", "default %s"},
		{"minimum", "at least %s"},
		{"maximum", "at most %s"},
		{"minLength", "at least %s characters"},
		{"maxLength", "at most %s characters"},
		{"minItems", "at least %s"},
		{"maxItems", "at most %s"},
		{"pattern", "matches %s"},
	} {
		if v, ok := p[bound.key]; ok {
			parts = append(parts, fmt.Sprintf(bound.text, plainValue(v)))
		}
	}
	return strings.Join(parts, "; ")
}

func plainValue(v any) string {
	if list, ok := v.([]any); ok {
		var all []string
		for _, e := range list {
			all = append(all, plainValue(e))
		}
		return strings.Join(all, ", ")
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return "`" + strings.Trim(string(raw), `"`) + "`"
}

// words reads a string or a list of strings of a schema.
func words(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		var all []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}

// cell keeps a text in its cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}
