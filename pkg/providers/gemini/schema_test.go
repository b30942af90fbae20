package gemini_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakegemini"
	"parley/pkg/providers"
	"parley/pkg/providers/gemini"
)

// offer gives the declaration that the server gets of a tool with a schema.
func offer(t *testing.T, schema string) map[string]any {
	t.Helper()
	s := serve(t, fakegemini.Options{})
	tool := providers.ToolDefinition{Type: "function", Function: providers.FunctionDefinition{Name: "t", Encoded: json.RawMessage(schema)}}
	if err := offerTo(t, provider(t, s.URL()), tool); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s.Requests()[0].Body["tools"].([]any)[0].(map[string]any)["functionDeclarations"].([]any)[0].(map[string]any)
}

// offerTo asks with tools.
func offerTo(t *testing.T, p *gemini.Provider, tools ...providers.ToolDefinition) error {
	t.Helper()
	_, err := p.Chat(t.Context(), []providers.Message{user("hi")}, tools, "gemini-3-pro", nil)
	return err
}

// TestSchemas holds the schema of a property against its form in the protocol.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2]string{
		"types": {
			`{"type":"object","title":"T","properties":{"s":{"type":"string","description":"d"},"b":{"type":"boolean"}},
			"required":["s","s","x"],"additionalProperties":false}`,
			`{"type":"OBJECT","properties":{"s":{"type":"STRING","description":"d"},"b":{"type":"BOOLEAN"}},"required":["s"]}`,
		},
		"bounds": {
			`{"type":"integer","minimum":1,"maximum":20}`, `{"type":"INTEGER","minimum":1,"maximum":20}`,
		},
		"bounds that do not count": {
			`{"type":"integer","description":"n","exclusiveMinimum":0,"exclusiveMaximum":9,"multipleOf":2}`,
			`{"type":"INTEGER","minimum":1,"maximum":8,"description":"n (a multiple of 2)"}`,
		},
		"bounds of a number that do not count": {
			`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.5}`, `{"type":"NUMBER","description":"(more than 0; less than 0.5)"}`,
		},
		"lengths": {
			`{"type":"string","minLength":1,"maxLength":9,"pattern":"^a+$","format":"date-time","default":"a"}`,
			`{"type":"STRING","minLength":1,"maxLength":9,"pattern":"^a+$","format":"date-time","description":"(default \"a\")"}`,
		},
		"a pattern and a format of others": {
			`{"type":"string","pattern":"^(?!a)","format":"uri"}`, `{"type":"STRING","description":"(pattern ^(?!a); format uri)"}`,
		},
		"values":            {`{"enum":["a","b"]}`, `{"type":"STRING","enum":["a","b"]}`},
		"values and none":   {`{"type":["string","null"],"enum":["a",null]}`, `{"type":"STRING","enum":["a"],"nullable":true}`},
		"the empty value":   {`{"type":"string","enum":["a",""]}`, `{"type":"STRING","description":"(one of \"a\", \"\")"}`},
		"values of numbers": {`{"type":"integer","enum":[1,2]}`, `{"type":"INTEGER","description":"(one of 1, 2)"}`},
		"a constant":        {`{"const":"a"}`, `{"type":"STRING","enum":["a"]}`},
		"a constant number": {`{"const":1.5}`, `{"type":"NUMBER","description":"(one of 1.5)"}`},
		"several types": {
			`{"type":["string","integer"],"description":"d"}`, `{"anyOf":[{"type":"STRING","description":"d"},{"type":"INTEGER"}]}`,
		},
		"any value": {`true`, `{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"}]}`},
		"a list": {
			`{"type":"array","items":{"type":"string"},"minItems":1,"uniqueItems":true}`,
			`{"type":"ARRAY","items":{"type":"STRING"},"minItems":1,"description":"(no item twice)"}`,
		},
		"a list of anything": {
			`{"type":"array"}`, `{"type":"ARRAY","items":{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"}]}}`,
		},
		"a list of places": {
			`{"prefixItems":[{"type":"string"},{"type":"integer"}]}`, `{"type":"ARRAY","items":{"anyOf":[{"type":"STRING"},{"type":"INTEGER"}]}}`,
		},
		"an object of any": {`{"type":"object"}`, `{"type":"OBJECT"}`},
		"an object by values": {
			`{"type":"object","additionalProperties":{"type":"integer"}}`,
			`{"type":"OBJECT","description":"(keys of your choice with values of type integer)"}`,
		},
		"alternatives": {
			`{"description":"d","oneOf":[{"type":"string"},{"type":"integer","minimum":1}]}`,
			`{"anyOf":[{"type":"STRING","description":"d"},{"type":"INTEGER","minimum":1}]}`,
		},
		"an alternative to none": {
			`{"description":"d","anyOf":[{"type":"string"},{"type":"null"}]}`, `{"type":"STRING","description":"d","nullable":true}`,
		},
		"a reference": {
			`{"$ref":"#/$defs/point","description":"d"}`, `{"type":"OBJECT","properties":{"x":{"type":"NUMBER"}},"description":"d"}`,
		},
		"a lost reference": {`{"$ref":"https://example.org/s"}`, `{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"}]}`},
		"all of them": {
			`{"allOf":[{"$ref":"#/$defs/point"},{"properties":{"y":{"type":"number"}},"required":["y"]}],"required":["x"]}`,
			`{"type":"OBJECT","properties":{"x":{"type":"NUMBER"},"y":{"type":"NUMBER"}},"required":["x","y"]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := offer(t, `{"type":"object","properties":{"p":`+c[0]+`},"$defs":{"point":{"type":"object","properties":{"x":{"type":"number"}}}}}`)
			p := got["parameters"].(map[string]any)["properties"].(map[string]any)["p"]
			if d := cmp.Diff(any(object(t, c[1])), p); d != "" {
				t.Errorf("(-want +sent):\n%s", d)
			}
		})
	}
}

// TestSchemasOfArguments holds whole schemas against their form in the protocol.
func TestSchemasOfArguments(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{`{}`, ``},
		{`{"type":"object","properties":{}}`, ``},
		{`null`, ``},
		{
			`{"properties":{"a":true},"required":["a"]}`,
			`{"type":"OBJECT","properties":{"a":{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"}]}},"required":["a"]}`,
		},
		{
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b":{"type":"STRING"}}}`,
		},
		{
			`{"oneOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}}}]}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b":{"type":"STRING"}}}`,
		},
	} {
		got := offer(t, c[0])
		if c[1] == "" {
			if p, there := got["parameters"]; there {
				t.Errorf("%s: parameters %v", c[0], p)
			}
			continue
		}
		if d := cmp.Diff(any(object(t, c[1])), got["parameters"]); d != "" {
			t.Errorf("%s (-want +sent):\n%s", c[0], d)
		}
	}
}

// TestSchemasWithoutAnEnd refer to themselves, once and many times.
func TestSchemasWithoutAnEnd(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`{"$ref":"#/$defs/a"},`, 40) + `{"type":"string"}`
	for _, schema := range []string{
		`{"type":"object","properties":{"p":{"$ref":"#"}}}`,
		`{"type":"object","properties":{"p":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`,
		`{"type":"object","properties":{"p":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[` + many + `]}}}`,
		`{"type":"object","properties":{"p":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[` + many + `]}}}`,
		`{"$ref":"#"}`,
	} {
		s := serve(t, fakegemini.Options{})
		tool := providers.ToolDefinition{Function: providers.FunctionDefinition{Name: "t", Encoded: json.RawMessage(schema)}}
		if err := offerTo(t, provider(t, s.URL()), tool); err != nil {
			t.Errorf("%.80s: %v", schema, err)
		}
	}
}

// FuzzSchemas offers tools with any schema: the strict server takes each that is JSON.
func FuzzSchemas(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":["string","null","array"],"enum":["",null,1],
			"items":[true,{}],"minItems":-1}},"required":[7]}`,
		`{"anyOf":[{"$ref":"#"},{"allOf":[{"oneOf":[{"type":"null"}]}]}],"properties":{"":{"const":{}}}}`,
		`{"properties":{"":{"minimum":1e700}}}`,
		`{"properties":{"a":{"format":5,"pattern":"(","minimum":1e999,"exclusiveMinimum":"x","additionalProperties":{"type":"STRING"}}}}`,
	} {
		f.Add(s)
	}
	srv := fakegemini.New(fakegemini.Options{})
	f.Cleanup(srv.Close)
	p := gemini.New(gemini.Options{BaseURL: srv.URL()})
	f.Cleanup(p.Close)
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) {
			t.Skip()
		}
		tool := providers.ToolDefinition{Function: providers.FunctionDefinition{Name: "t", Encoded: json.RawMessage(schema)}}
		if err := offerTo(t, p, tool); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	})
}

// TestEveryToolFits offers the tools that come with the gateway, as their pages show them.
func TestEveryToolFits(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "tools", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var tools []providers.ToolDefinition
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for block := range strings.SplitSeq(string(text), "```json\n") {
			var tool providers.ToolDefinition
			block, _, _ = strings.Cut(block, "\n```")
			if json.Unmarshal([]byte(block), &tool) == nil && tool.Type == "function" {
				tools = append(tools, tool)
			}
		}
	}
	if len(tools) < 20 {
		t.Fatalf("only %d tools found", len(tools))
	}
	s := serve(t, fakegemini.Options{})
	if err := offerTo(t, provider(t, s.URL()), tools...); err != nil {
		t.Fatal(err)
	}
	sent := s.Requests()[0].Body["tools"].([]any)[0].(map[string]any)["functionDeclarations"].([]any)
	for i, tool := range tools {
		parameters, _ := sent[i].(map[string]any)["parameters"].(map[string]any)
		properties, _ := parameters["properties"].(map[string]any)
		for name := range tool.Function.Parameters["properties"].(map[string]any) {
			if properties[name] == nil {
				t.Errorf("%s lost its argument %s", tool.Function.Name, name)
			}
		}
	}
}
