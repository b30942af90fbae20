package providers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
)

func TestDecodeArguments(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}" }
	for _, c := range []struct {
		name, raw string
		want      map[string]any
		fault     string // part of the error
	}{
		{name: "object", raw: `{"a":1,"b":"x","c":[true,null,{"d":1.5}]}`, want: map[string]any{"a": 1.0, "b": "x", "c": []any{true, nil, map[string]any{"d": 1.5}}}},
		{name: "white space", raw: " \n{ }\t", want: map[string]any{}},
		{name: "nothing", raw: "", want: map[string]any{}},
		{name: "blank", raw: " \n", want: map[string]any{}},
		{name: "null", raw: "null", want: map[string]any{}},
		{name: "encoded twice", raw: `"{\"a\":\"b\"}"`, want: map[string]any{"a": "b"}},
		{name: "encoded three times", raw: `"\"{}\""`, fault: "must be a JSON object"},
		{name: "encoded twice, no object", raw: `"hello"`, fault: "not valid JSON"},
		{name: "keys that differ in case", raw: `{"a":1,"A":2}`, want: map[string]any{"a": 1.0, "A": 2.0}},
		{name: "key twice", raw: `{"a":1,"a":2}`, fault: `"a" appears twice`},
		{name: "key twice, escaped", raw: `{"a":1,"\u0061":2}`, fault: `"a" appears twice`},
		{name: "key twice, deep", raw: `{"x":[{"y":{"a":1,"a":1}}]}`, fault: `"x.[].y.a" appears twice`},
		{name: "key twice, encoded twice", raw: `"{\"a\":1,\"a\":2}"`, fault: "appears twice"},
		{name: "same key in two objects", raw: `{"a":{"k":1},"b":{"k":1}}`, want: map[string]any{"a": map[string]any{"k": 1.0}, "b": map[string]any{"k": 1.0}}},
		{name: "list", raw: `[1]`, fault: "must be a JSON object"},
		{name: "number", raw: `7`, fault: "must be a JSON object"},
		{name: "cut", raw: `{"a":`, fault: "not valid JSON"},
		{name: "text after it", raw: `{} {}`, fault: "not valid JSON"},
		{name: "comma after the last", raw: `{"a":1,}`, fault: "not valid JSON"},
		{name: "invalid UTF-8", raw: "{\"a\":\"\xff\"}", fault: "UTF-8"},
		{name: "half a surrogate pair", raw: "{\"a\":\"\xed\xa0\x80\"}", fault: "UTF-8"},
		{name: "number out of range", raw: `{"a":1e999}`, fault: `"a" cannot be decoded`},
		{name: "64 levels", raw: deep(64), want: nil},
		{name: "65 levels", raw: deep(65), fault: "nested deeper than 64"},
		{name: "20,000 levels", raw: strings.Repeat("[", 20000), fault: "not valid JSON"},
		{name: "20,000 levels, closed", raw: deep(20000), fault: "not valid JSON"},
		{name: "too long", raw: `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, fault: "at most 1048576"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := providers.DecodeArguments(c.raw)
			switch {
			case c.fault != "":
				if err == nil || !strings.Contains(err.Error(), c.fault) || got != nil {
					t.Errorf("%v, %v; want an error with %q", got, err, c.fault)
				}
			case err != nil:
				t.Error(err)
			case c.want != nil && !cmp.Equal(c.want, got):
				t.Error(cmp.Diff(c.want, got))
			}
		})
	}
}

// FuzzDecodeArguments never panics, gives either a map or an error, and agrees
// with encoding/json wherever it takes something.
func FuzzDecodeArguments(f *testing.F) {
	for _, s := range []string{"", "null", "\vnull", "{}", `{"a":[1,{"b":null}]}`, `"{\"a\":1}"`, `{"a":1,"a":2}`, strings.Repeat(`{"a":`, 100), "{\"\xff\":1}", `{"\ud800":1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := providers.DecodeArguments(raw)
		if (got == nil) != (err != nil) {
			t.Fatalf("%v, %v: neither arguments nor an error, or both", got, err)
		}
		if err != nil || strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), `"`) {
			return
		}
		want := map[string]any{}
		if strings.Trim(raw, " \t\r\n") != "" && json.Unmarshal([]byte(raw), &want) != nil {
			t.Fatalf("%q was taken", raw)
		}
		if len(want) != len(got) || len(got) > 0 && !cmp.Equal(want, got) {
			t.Fatal(cmp.Diff(want, got))
		}
	})
}
