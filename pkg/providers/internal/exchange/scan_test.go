package exchange_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers/internal/exchange"
)

// scanned is an object with each kind of value that a [exchange.Scan] reads.
type scanned struct {
	Text  exchange.LooseText `json:"text"`
	Count int                `json:"count"`
	List  []struct {
		Name exchange.LooseText `json:"name"`
	} `json:"list"`
}

func scan(text []byte) (v scanned, ok bool) {
	s := exchange.NewScan(text)
	s.Fields([]string{"text", "count", "list"}, func(name string) {
		switch {
		case name == "text":
			v.Text = exchange.LooseText(s.Same("known"))
		case name == "count":
			v.Count = s.Int()
		case s.Null():
		default:
			v.List = make([]struct {
				Name exchange.LooseText `json:"name"`
			}, 0)
			s.Array(func() {
				var e struct {
					Name exchange.LooseText `json:"name"`
				}
				s.Fields([]string{"name"}, func(string) { e.Name = exchange.LooseText(s.Text()) })
				v.List = append(v.List, e)
			})
		}
	})
	return v, s.Done()
}

// FuzzScan: a text that is read without reflection is JSON, and has the values that
// encoding/json reads.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`{"text":"known","count":7,"list":[{"name":"a"},{"name":null,"x":[1,-0.5,true,false,null,{"y":"\u00e9\\"}]}]}`,
		` { "text" : "a\n\t\"\\\/\b\f\r" , "count" : null , "list" : [ ] } `, `{"list":null}`, `{}`, `[]`, `"a"`, ``, `{"count":0}`,
		`{"count":01}`, `{"count":-1}`, `{"count":1.0}`, `{"count":1e3}`, `{"count":99999999999}`, `{"text":7}`, `{"Text":"a"}`,
		`{"text":"a","text":"b"}`, `{"text":"\ud800"}`, "{\"text\":\"\xff\"}", "{\"text\":\"\n\"}", `{"text":"\x"}`, `{"x":01}`, `{"x":1.}`,
		`{"x":-}`, `{"x":nul}`, `{"x":}`, `{"x":1,}`, `{"x" 1}`, `{"x":[1 2]}`, `{"x":[}`, `{"x":"`, `{"x":"\u12"}`, `{} {}`, `{"text":"a"}x`,
		`{"x":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := scan(text)
		if !ok {
			return // encoding/json reads it
		}
		var want scanned
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q is read as %+v, but %v", text, got, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-encoding/json +scan):\n%s", text, d)
		}
	})
}

// TestScanReadsTheUsual: the short way is taken for texts as servers write them.
func TestScanReadsTheUsual(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"id":"x","text":"Guten Tag: \"é\" \\ \u00e9\n","count":12,"list":[{"name":"a"}],"more":{"a":[0.25,true,null,"b"]}}`,
		` { "text" : null , "list" : null , "count" : null } `,
	} {
		if v, ok := scan([]byte(text)); !ok {
			t.Errorf("%s is left to encoding/json, %+v", text, v)
		}
	}
}

// TestTextsEncodeOnce: a text that comes again has the bytes that it had, also when
// others have pushed it out between.
func TestTextsEncodeOnce(t *testing.T) {
	t.Parallel()
	var texts exchange.Texts
	first := texts.Of("say \"hi\"\n")
	if string(first) != `"say \"hi\"\n"` {
		t.Errorf("%s", first)
	}
	if again := texts.Of("say \"hi\"\n"); &again[0] != &first[0] {
		t.Error("it was encoded twice")
	}
	for n := range 100 {
		other := string(rune('a' + n))
		if got, want := string(texts.Of(other)), `"`+other+`"`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if again := texts.Of("say \"hi\"\n"); !bytes.Equal(again, first) {
		t.Errorf("%s", again)
	}
}
