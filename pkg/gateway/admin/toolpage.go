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
	raw, err := json.Marshal(tools.ToolToSchema(t))
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
		{"May it change things?", changes},
		{"Is a person asked before?", asked},
		{"Level that the chat needs", string(an.Level)},
		{"Result", originOf(an)},
		{"The same call again in a turn", repeatOf(an, async)},
		{"Beside other calls of an answer", besideOf(an)},
		{"After a crash in the middle", againOf(an)},
		{"Time limit", timeOf(an)},
		{"Longest result", fmt.Sprintf("%d bytes; a longer one is cut in the middle", an.MaxOutput)},
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
		return "no", "No, it only reads."
	case an.Executes:
		return "yes", "Yes: it runs commands or code."
	case an.Destructive:
		return "yes", "Yes: it may overwrite or delete."
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
		return "always", "Yes, for every call. Only `approval: never` for this tool by name waives it, except for calls that always ask."
	case an.Destructive && !examines:
		return "yes", "Yes, unless the operator has set `approval: never` for this tool by name."
	case examines && (!an.ReadOnly || an.OpenWorld):
		return "it depends", "It depends on the call: yes where it would overwrite, delete or execute something, or reach a new destination."
	case an.ReadOnly:
		return "no", "No."
	default:
		return "not by default", "Not by default; yes with `approval: side_effects`, and in a turn that has read untrusted content."
	}
}

func originOf(an tools.Annotations) string {
	if an.OpenWorld {
		return "Untrusted content: afterwards, calls that write, execute or reach a new destination ask."
	}
	return "No content from outside."
}

func repeatOf(an tools.Annotations, async bool) string {
	switch {
	case !an.ReadOnly || async:
		return "Runs again."
	case an.OpenWorld, an.Volatile:
		return "Runs again: the answer may be another."
	default:
		return "Is answered from memory, with a note, until a call may have changed something."
	}
}

func besideOf(an tools.Annotations) string {
	if an.Destructive || an.Ordered {
		return "Runs alone."
	}
	return "Runs beside them."
}

func againOf(an tools.Annotations) string {
	if an.Rerunnable() {
		return "It is run again."
	}
	return "It is not run again: the model is told that it is unknown whether it took effect."
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
