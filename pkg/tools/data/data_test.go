package data_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/pkg/tools"
	"parley/pkg/tools/data"
)

// format calls the tool as a model does.
func format(tb testing.TB, args map[string]any) *tools.ToolResult {
	tb.Helper()
	return registry(tb).Execute(tb.Context(), "format_data", args)
}

func registry(tb testing.TB) *tools.ToolRegistry {
	tb.Helper()
	r := tools.NewToolRegistry()
	if err := r.RegisterWith(data.New(), tools.RegisterOptions{}); err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args map[string]any
		want string
	}{
		"json": {
			map[string]any{"data": `{"b":[1,{}],"a":"<é>","n":null,"e":[]}`, "from": "json"},
			"{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": \"<é>\",\n  \"n\": null,\n  \"e\": []\n}",
		},
		"one line": {map[string]any{"data": "{\"a\": [1, 2]}", "from": "json", "indent": 0}, `{"a":[1,2]}`},
		"big numbers": {
			map[string]any{"data": "[12345678901234567890123, 0.10000000000000000000001, 1e400, -0]", "from": "json", "indent": 0},
			"[12345678901234567890123,0.10000000000000000000001,1e400,-0]",
		},
		"json to yaml": {
			map[string]any{"data": `{"name":"Ann Lee","ids":[1,[2,3],{"x":1,"y":{"z":[]}}],"yes":"yes","no":true,"empty":"","date":"2024-01-01","long":12345678901234567890123,"lines":"a\nb"}`, "from": "json", "to": "yaml"},
			"name: Ann Lee\nids:\n  - 1\n  - - 2\n    - 3\n  - x: 1\n    \"y\":\n      z: []\n\"yes\": \"yes\"\n\"no\": true\n" +
				"empty: \"\"\ndate: \"2024-01-01\"\nlong: 12345678901234567890123\nlines: \"a\\nb\"",
		},
		"yaml to json": {
			map[string]any{
				"data":   "a: 1 # one\nb: [0x1F, 0o17, 017, .5, 5., +3, 1_0, ~, yes, 2024-01-01, '1']\nc: |\n  x\n  y\nd: >\n  x\n  y\n1: !!str 2\n",
				"from":   "yaml",
				"to":     "json",
				"indent": 0,
			},
			`{"a":1,"b":[31,15,"017",0.5,5.0,3,"1_0",null,"yes","2024-01-01","1"],"c":"x\ny\n","d":"x y\n","1":"2"}`,
		},
		"yaml aliases": {
			map[string]any{
				"data":   "base: &b {x: 1, y: 2}\none:\n  <<: *b\n  y: 3\ntwo: *b\nthree:\n  <<: [*b, {z: 4}]\n",
				"from":   "yaml",
				"to":     "json",
				"indent": 0,
			},
			`{"base":{"x":1,"y":2},"one":{"y":3,"x":1},"two":{"x":1,"y":2},"three":{"x":1,"y":2,"z":4}}`,
		},
		"yaml of one word": {map[string]any{"data": "---\nhello\n...\n", "from": "yaml", "to": "json"}, `"hello"`},
		"empty yaml":       {map[string]any{"data": "# nothing\n", "from": "yaml", "to": "json"}, `null`},
		"yaml infinity":    {map[string]any{"data": "[-.inf, .nan]", "from": "yaml"}, "- -.inf\n- .nan"},
		"xml": {
			map[string]any{"data": `<?xml version="1.0" encoding="ISO-8859-1"?><a:x y='1 &lt; "2"'><!-- c --><b>t &amp; u</b><c/><d>one <i>two</i> three</d></a:x>`, "from": "xml"},
			"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a:x y=\"1 &lt; &quot;2&quot;\">\n  <!-- c -->\n  <b>t &amp; u</b>\n" +
				"  <c/>\n  <d>one <i>two</i> three</d>\n</a:x>",
		},
		"xml in one line": {map[string]any{"data": "<a>\n  <b>1</b>\n  <b>2</b>\n</a>", "from": "xml", "indent": 0}, "<a><b>1</b><b>2</b></a>"},
		"xml to json": {
			map[string]any{"data": `<r id="7"><p>1</p><q>x<b>y</b></q><p>2</p><e/></r>`, "from": "xml", "to": "json", "indent": 0},
			`{"r":{"@id":"7","p":["1","2"],"q":{"b":"y","#text":"x"},"e":""}}`,
		},
		"json to xml": {
			map[string]any{"data": `{"r":{"@id":7,"p":[1,[2,3]],"t":"a<b","n":null,"#text":"end"}}`, "from": "json", "to": "xml", "indent": 0},
			`<r id="7"><p>1</p><p><item>2</item><item>3</item></p><t>a&lt;b</t><n/>end</r>`,
		},
		"json list to xml": {
			map[string]any{"data": `[1,{"a":true}]`, "from": "json", "to": "xml"},
			"<root>\n  <item>1</item>\n  <item>\n    <a>true</a>\n  </item>\n</root>",
		},
		"csv to json":  {map[string]any{"data": "\ufeffid,name\r\n007,\"Lee, Ann\"\r\n8,\"a\nb\"\n", "from": "csv", "to": "json", "indent": 0}, `[{"id":"007","name":"Lee, Ann"},{"id":"8","name":"a\nb"}]`},
		"json to csv":  {map[string]any{"data": `[{"a":1,"b":"x,y"},{"b":null,"c":[1,2]}]`, "from": "json", "to": "csv"}, "a,b,c\n1,\"x,y\",\n,,\"[1,2]\""},
		"rows to csv":  {map[string]any{"data": `[[1,2],["a;b",""]]`, "from": "json", "to": "csv", "delimiter": ";"}, "1;2\n\"a;b\";"},
		"texts to csv": {map[string]any{"data": `["a",""]`, "from": "json", "to": "csv"}, "value\na\n\"\""},
		"csv":          {map[string]any{"data": "a;b\n1;2\n", "from": "csv", "delimiter": ";"}, "a;b\n1;2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := format(t, c.args)
			if got.IsError || got.ForLLM != c.want {
				t.Errorf("error %v\n%s\nwant\n%s", got.IsError, got.ForLLM, c.want)
			}
		})
	}
}

// bomb is ten levels of lists that each name the one before ten times.
func bomb() string {
	var b strings.Builder
	b.WriteString("a: &a [x, x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c <= 'k'; c++ {
		b.WriteString(string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 9) + "*" + string(c-1) + "]\n")
	}
	return b.String()
}

func TestHostileData(t *testing.T) {
	t.Parallel()
	const deep = 20_000
	for name, c := range map[string]struct{ from, to, data, want string }{
		"json brackets":     {"json", "", strings.Repeat("[", deep), "line 1, column 101: it is nested more than 100 levels"},
		"json objects":      {"json", "", strings.Repeat(`{"a":`, deep), "nested more than 100 levels"},
		"json closed":       {"json", "yaml", strings.Repeat("[", deep) + strings.Repeat("]", deep), "nested more than 100 levels"},
		"json trailing":     {"json", "", "{} {}", "line 1, column 4: there is more after the end"},
		"json cut":          {"json", "", "{\n \"a\": [1,", "line 2, column 10: the JSON ends too early"},
		"json twice":        {"json", "", "{\n \"a\": 1,\n \"a\": 2}", "line 3, column 5: the key \"a\" is there twice"},
		"json twice, spelt": {"json", "", `{"a":1,"\u0061":2}`, "the key \"a\" is there twice"},
		"json comma":        {"json", "", "[1,\n 2,]", "line 2, column 4: this is not JSON"},
		"json quotes":       {"json", "", "{'a': 1}", "line 1, column 2: this is not JSON"},
		"json NaN":          {"json", "", "[NaN]", "line 1, column 2: this is not JSON"},
		"json zero":         {"json", "", "[01]", "this is not JSON"},
		"json empty":        {"json", "", "", "the JSON ends too early"},
		"json many":         {"json", "", "[" + strings.Repeat("1,", 110_000) + "1]", "more than 100000 values"},
		"too long":          {"json", "", `"` + strings.Repeat("x", 256<<10) + `"`, "longer than 262144 bytes"},
		"long result": {
			"json", "", strings.Repeat("[", 99) + strings.Repeat("1,", 10_000) + "1" + strings.Repeat("]", 99),
			"the result would be longer",
		},
		"yaml bomb":          {"yaml", "json", bomb(), "the aliases stand for more than"},
		"yaml merge bomb":    {"yaml", "json", strings.ReplaceAll(bomb(), "x, x", "{x: 1}, {y: 2}"), "the aliases stand for more than"},
		"yaml itself":        {"yaml", "json", "a: &a [*a]", "names nothing before it"},
		"yaml unknown alias": {"yaml", "json", "a: 1\nb: *x", "line 2, column 4: the alias \"x\" names nothing"},
		"yaml high alias": {
			"yaml", "json",
			"a: &a " + strings.Repeat("[", 60) + strings.Repeat("]", 60) + "\nb: " + strings.Repeat("[", 60) + "*a" + strings.Repeat("]", 60),
			"or 100 levels",
		},
		"yaml brackets":      {"yaml", "", strings.Repeat("[", deep), "nested more than 100 levels"},
		"yaml braces":        {"yaml", "", strings.Repeat("{a: ", deep), "nested more than 100 levels"},
		"yaml dashes":        {"yaml", "", strings.Repeat("- ", deep), "nested more than 100 levels"},
		"yaml keys in a row": {"yaml", "", strings.Repeat("a: ", deep), "nested more than 100 levels"},
		"yaml question":      {"yaml", "", strings.Repeat("? ", deep), "in a row"},
		"yaml tags":          {"yaml", "", strings.Repeat("!!a ", deep), "in a row"},
		"yaml anchors":       {"yaml", "", strings.Repeat("&a ", deep), "in a row"},
		"yaml many keys":     {"yaml", "", strings.Repeat("a: b\n", deep), "more than 4000 keys"},
		"yaml staircase":     {"yaml", "", staircase(300), "nested more than 100 levels"},
		"yaml twice":         {"yaml", "json", "a: 1\nb: 2\na: 3", "line 3, column 1: the key \"a\" is there twice"},
		"yaml tag":           {"yaml", "json", "a: !Ref x", "the tag \"!Ref\" cannot be carried over"},
		"yaml python":        {"yaml", "json", "a: !!python/object/apply:os.system [\"id\"]", "cannot be carried over"},
		"yaml tab":           {"yaml", "json", "a:\n\t- b", "this is not YAML"},
		"yaml documents":     {"yaml", "json", "a: 1\n---\nb: 2", "line 3, column 2: a second document"},
		"yaml complex key":   {"yaml", "json", "? [a, b]\n: c", ""},
		"yaml infinity":      {"yaml", "json", "[.inf]", "JSON has no number .inf"},
		"xml entity":         {"xml", "json", "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>", "document types and other directives are refused"},
		"xml laughs": {
			"xml", "", "<!DOCTYPE l [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;\">]><l>&b;</l>",
			"document types and other directives are refused",
		},
		"xml external": {
			"xml", "json", "<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><x/>",
			"document types and other directives are refused",
		},
		"xml unknown entity": {"xml", "", "<x>&file;</x>", "invalid character entity"},
		"xml deep":           {"xml", "", strings.Repeat("<a>", deep), "nested more than 100 levels"},
		"xml open":           {"xml", "", "<a>\n<b></b>", "the element \"a\" is not closed"},
		"xml crossed":        {"xml", "json", "<a><b></a></b>", "line 1, column 11: the element \"a\" is closed, and \"b\" is open"},
		"xml two":            {"xml", "", "<a/><b/>", "a second element starts here"},
		"xml text outside":   {"xml", "", "x<a/>", "text outside"},
		"xml twice":          {"xml", "", "<a b='1' b='2'/>", "the attribute \"b\" is there twice"},
		"xml nothing":        {"xml", "", "<!-- -->", "there is no element"},
		"xml name":           {"json", "xml", `{"a b":1,"c":2}`, "\"a b\" cannot be the name of an XML element"},
		"xml injection":      {"json", "xml", `{"a><b":1,"c":2}`, "cannot be the name"},
		"xml attribute":      {"json", "xml", `{"r":{"@a b":1}}`, "cannot be the name of an XML attribute"},
		"xml nested value":   {"json", "xml", `{"r":{"@a":[1]}}`, "must be a single value"},
		"xml control":        {"json", "xml", `{"a":"\u0001"}`, "XML cannot hold the character U+0001"},
		"csv ragged":         {"csv", "json", "a,b\n1,2\n3", "line 3, column 1: this row has more or fewer cells"},
		"csv quote":          {"csv", "json", "a,b\n1,\"2", "this is not CSV"},
		"csv twice":          {"csv", "json", "a,b,a\n1,2,3", "line 1, column 5: the column \"a\" is there twice"},
		"csv empty":          {"csv", "json", "", "no first row"},
		"csv many":           {"csv", "json", "a\n" + strings.Repeat("1\n", 110_000), "more than 100000 values"},
		"csv no table":       {"json", "csv", "1", "a table needs a list"},
		"csv wide":           {"json", "csv", wide(), "more than 262144 cells"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := map[string]any{"data": c.data, "from": c.from}
			if c.to != "" {
				args["to"] = c.to
			}
			start := time.Now()
			got := format(t, args)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if !got.IsError || !strings.Contains(got.ForLLM, `"type":"invalid_arguments"`) {
				t.Fatalf("not refused: %.200s", got.ForLLM)
			}
			var told struct{ Message string }
			if err := json.Unmarshal([]byte(got.ForLLM), &told); err != nil ||
				!strings.Contains(told.Message, c.want) || strings.Contains(told.Message, "\n") {
				t.Errorf("told %q, want %q", told.Message, c.want)
			}
		})
	}
}

func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// wide is a list of objects that have no key in common.
func wide() string {
	var parts []string
	for i := range 2000 {
		parts = append(parts, `{"k`+strings.Repeat("x", i%7)+string(rune('a'+i%26))+time.Duration(i).String()+`":1}`)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]map[string]any{
		"no format":      {"data": "1"},
		"unknown format": {"data": "1", "from": "toml"},
		"case":           {"data": "1", "from": "JSON"},
		"unknown to":     {"data": "1", "from": "json", "to": "../yaml"},
		"indent":         {"data": "1", "from": "json", "indent": 9},
		"less":           {"data": "1", "from": "json", "indent": -1},
		"delimiter":      {"data": "1", "from": "csv", "delimiter": "ab"},
		"quote":          {"data": "1", "from": "csv", "delimiter": "\""},
		"line break":     {"data": "1", "from": "csv", "delimiter": "\n"},
		"extra":          {"data": "1", "from": "json", "file": "/etc/passwd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := format(t, args); !got.IsError || !strings.Contains(got.ForLLM, `"type":"invalid_arguments"`) {
				t.Errorf("not refused: %s", got.ForLLM)
			}
		})
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	a := tools.AnnotationsOf(data.New())
	if !a.ReadOnly || a.Level != tools.LevelChat || a.Destructive || a.OpenWorld {
		t.Errorf("%+v", a)
	}
}

// FuzzFormat holds every format against itself: readable data can be written as YAML
// and read again without loss.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0,1e400,"x\ny",null,true,{}],"\u0000é":"- a: b #c"}`, "a: &x [1, *x]\n? b\n: c", bomb(),
		"<a b='1'>x<!--y--><c/>&amp;</a>", "a,b\n1,\"2\n\"", "- - a\n  - {b: [c, 'd']}\n", "k: |+\n  x\n\n", "\"\\ud800\"",
		strings.Repeat("[", 300), strings.Repeat("- ", 300), "x: !!str\ny: !!int '3'", "<<: {a: 1}",
	} {
		f.Add(seed)
	}
	r := registry(f)
	format := func(t *testing.T, args map[string]any) *tools.ToolResult {
		t.Helper()
		return r.Execute(t.Context(), "format_data", args)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		for _, from := range []string{"json", "yaml", "xml", "csv"} {
			first := format(t, map[string]any{"data": text, "from": from, "to": "json", "indent": 0})
			for _, to := range []string{"xml", "csv", from} {
				format(t, map[string]any{"data": text, "from": from, "to": to})
			}
			if first.IsError {
				continue
			}
			if !json.Valid([]byte(first.ForLLM)) {
				t.Fatalf("%s: not JSON: %s", from, first.ForLLM)
			}
			as := format(t, map[string]any{"data": first.ForLLM, "from": "json", "to": "yaml"})
			if as.IsError { // too long, perhaps
				continue
			}
			back := format(t, map[string]any{"data": as.ForLLM, "from": "yaml", "to": "json", "indent": 0})
			if back.ForLLM != first.ForLLM && !strings.Contains(back.ForLLM, "more than 4000 keys") {
				t.Fatalf("%s\nYAML\n%s\nback\n%s", first.ForLLM, as.ForLLM, back.ForLLM)
			}
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
