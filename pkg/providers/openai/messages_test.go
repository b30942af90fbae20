package openai_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
)

// Whatever a text holds, the server reads the same text.
func TestTextsArriveAsTheyWere(t *testing.T) {
	t.Parallel()
	var got []providers.Message
	srv := fakemodel.New(fakemodel.Options{Script: func(r fakemodel.Request) fakemodel.Answer {
		got = r.Messages
		return fakemodel.Say("ok")
	}})
	defer srv.Close()
	p := openai.New(openai.Options{BaseURL: srv.URL()})
	defer p.Close()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`"`, `\`, "\n\t\r", "<&>", "\u2028", `{"messages":null}`, "plain"})).
		Filter(func(s string) bool {
			return strings.TrimSpace(s) != "" && !strings.ContainsRune(s, 0) && utf8.ValidString(s)
		})
	rapid.Check(t, func(rt *rapid.T) {
		want := make([]providers.Message, rapid.IntRange(1, 5).Draw(rt, "n"))
		for i := range want {
			want[i] = providers.Message{Role: providers.RoleUser, Content: text.Draw(rt, "text")}
		}
		if _, err := p.Chat(rt.Context(), want, nil, `a model "messages":null`, nil); err != nil {
			rt.Fatal(err)
		}
		for i := range want {
			if len(got) != len(want) || got[i].Content != want[i].Content {
				rt.Fatalf("sent %+v, read %+v", want, got)
			}
		}
	})
}
