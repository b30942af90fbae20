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

// TestDecodeArgumentsKeepsNumbers: a number is a float64 where that gives its value
// back, however it is spelled, and else what was written.
func TestDecodeArgumentsKeepsNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"0": 0.0, "-0": 0.0, "0.0e999999999999999999999": 0.0, "7": 7.0, "7.0": 7.0,
		"7e0": 7.0, "0.1": 0.1, "1.50": 1.5, "1e2": 100.0, "100e-1": 10.0,
		"9007199254740991": 9007199254740991.0, "9007199254740992": 9007199254740992.0,
		"1e300": 1e300, "123456789012345680000": 1.2345678901234568e20,
		"5e-324": 5e-324, "-2.5E+3": -2500.0, "0.30000000000000004": 0.30000000000000004,
		"9007199254740993": json.Number("9007199254740993"), "-9007199254740993": json.Number("-9007199254740993"),
		"1152921504606846976":  json.Number("1152921504606846976"), // 2^60, which no float64 prints
		"1152921504606847000":  json.Number("1152921504606847000"), // which a float64 prints, and is not
		"-9223372036854775807": json.Number("-9223372036854775807"), "18446744073709552000": 18446744073709551616.0,
		"12345678901234567890": json.Number("12345678901234567890"), "9007199254740993e0": json.Number("9007199254740993e0"),
		"0.1000000000000000001": json.Number("0.1000000000000000001"), "1.0000000000000000001": json.Number("1.0000000000000000001"),
		"4e-324": json.Number("4e-324"),
	} {
		got, err := providers.DecodeArguments(`{"a":[{"b":` + text + `}]}`)
		if d := cmp.Diff(map[string]any{"a": []any{map[string]any{"b": want}}}, got); err != nil || d != "" {
			t.Errorf("%s: %v, %s", text, err, d)
		}
	}
	for text, fault := range map[string]string{
		"1e309": "out of range", "-1e309": "out of range", "1e-400": "too close to 0", "9007199254740993.5": "fraction",
		"0." + strings.Repeat("1", 1000): "1002 bytes long", "1" + strings.Repeat("0", 1000): "1001 bytes long",
	} {
		got, err := providers.DecodeArguments(`{"a":` + text + `}`)
		if got != nil || err == nil || !strings.Contains(err.Error(), fault) || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("%.30s: %v, %v", text, got, err)
		}
	}
}

func TestDecodeArgumentsRefusesHalvesOfPairs(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		`\ud83d\ude00`: true, `\\ud800`: true, `\ud83d\uDE00x`: true, `\u00e9`: true, `\uffff`: true,
		`\ud800`: false, `x\uD800y`: false, `\ude00\ud83d`: false, `\ud83d\u0041`: false, `\ud83d`: false, `\ud83d\ude00\ud800`: false, `\ud83d ude00`: false, `\\\ud800`: false,
	} {
		for _, raw := range []string{`{"a":"` + text + `"}`, `{"` + text + `":1}`, `{"a":[["` + text + `"]],"b":"\ud83d\ude00"}`} {
			got, err := providers.DecodeArguments(raw)
			if fine != (err == nil) || !fine && !strings.Contains(err.Error(), "surrogate") {
				t.Errorf("%s: %v, %v", raw, got, err)
			}
		}
	}
}

// TestSpelled: a person reads the object that runs, and it decodes to the same.
func TestSpelled(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": "{}", " null ": "{}", "{ }": "{}",
		`{"b": 1.50, "a": [ {"c": null}, true, [], {} ]}`:            `{"b":1.50,"a":[{"c":null},true,[],{}]}`,
		`{"id": 9007199254740993, "x": 1e2}`:                         `{"id":9007199254740993,"x":1e2}`,
		`"{\"id\": 12345678901234567890}"`:                           `{"id":12345678901234567890}`,
		`{"c\u006dd": "\u0072m <a> & \u2028 \ud83d\ude00 \u202e\n"}`: `{"cmd":"rm <a> & \u2028 😀 ` + "\u202e" + `\n"}`,
	} {
		c := providers.ToolCall{RawArguments: raw, Arguments: map[string]any{"other": 1}}
		got, err := c.Spelled()
		if raw == "" {
			want = `{"other":1}`
		}
		if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", raw, got, err, want)
		}
		if raw == "" {
			continue
		}
		if d := cmp.Diff(decoded(t, raw), decoded(t, got)); d != "" {
			t.Errorf("%s: %s", raw, d)
		}
	}
	for _, bad := range []string{"[]", `{"a":1,"a":2}`, `"x"`, `{"a":"\ud800"}`} {
		if got, err := (&providers.ToolCall{RawArguments: bad}).Spelled(); err == nil {
			t.Errorf("%s: %s", bad, got)
		}
	}
}

func decoded(t *testing.T, raw string) map[string]any {
	t.Helper()
	m, err := providers.DecodeArguments(raw)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSettle: the text has the word, and becomes that of the object.
func TestSettle(t *testing.T) {
	t.Parallel()
	rounded := map[string]any{"id": 9007199254740992.0}
	exact := map[string]any{"id": json.Number("9007199254740993")}
	for name, c := range map[string]struct{ in, want providers.ToolCall }{
		"text and map":  {providers.ToolCall{RawArguments: `{"id":9007199254740993}`, Arguments: rounded}, providers.ToolCall{RawArguments: `{"id":9007199254740993}`, Arguments: exact}},
		"text alone":    {providers.ToolCall{RawArguments: ` {"id":9007199254740993} `}, providers.ToolCall{RawArguments: ` {"id":9007199254740993} `, Arguments: exact}},
		"encoded twice": {providers.ToolCall{RawArguments: `"{\"id\":9007199254740993}"`}, providers.ToolCall{RawArguments: `{"id":9007199254740993}`, Arguments: exact}},
		"empty, twice":  {providers.ToolCall{RawArguments: `"{}"`}, providers.ToolCall{RawArguments: `{}`, Arguments: map[string]any{}}},
		"null":          {providers.ToolCall{RawArguments: "null"}, providers.ToolCall{RawArguments: "null", Arguments: map[string]any{}}},
		"map alone":     {providers.ToolCall{Arguments: rounded}, providers.ToolCall{Arguments: rounded}},
		"bad": {
			providers.ToolCall{RawArguments: "[]"},
			providers.ToolCall{RawArguments: "[]", BadArguments: "the arguments must be a JSON object"},
		},
		"known to be so": {providers.ToolCall{RawArguments: `{"id":1}`, BadArguments: "cut"}, providers.ToolCall{RawArguments: `{"id":1}`, BadArguments: "cut"}},
	} {
		if c.in.Settle(); !cmp.Equal(c.in, c.want) {
			t.Errorf("%s: %s", name, cmp.Diff(c.want, c.in))
		}
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
		near := cmp.FilterValues(func(a, b any) bool {
			_, x := a.(json.Number)
			_, y := b.(json.Number)
			return x != y
		}, cmp.Comparer(func(a, b any) bool { return floatOf(a) == floatOf(b) }))
		if len(want) != len(got) || len(got) > 0 && !cmp.Equal(want, got, near) {
			t.Fatal(cmp.Diff(want, got, near))
		}
		spelled, err := (&providers.ToolCall{RawArguments: raw}).Spelled()
		if err != nil || !cmp.Equal(decoded(t, spelled), got) {
			t.Fatalf("spelled %q, %v", spelled, err)
		}
	})
}

func floatOf(v any) float64 {
	if n, ok := v.(json.Number); ok {
		f, _ := n.Float64()
		return f
	}
	f, _ := v.(float64)
	return f
}
