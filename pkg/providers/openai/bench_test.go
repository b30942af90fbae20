package openai_test

import (
	"fmt"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
)

// BenchmarkChatStream is one question over loopback HTTP with a history of the
// given length; the fake server's own work is in it.
func BenchmarkChatStream(b *testing.B) {
	for _, n := range []int{1, 60, 200} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			srv := fakemodel.New(fakemodel.Options{Keep: -1, Script: func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("hello") }})
			defer srv.Close()
			p := openai.New(openai.Options{BaseURL: srv.URL()})
			defer p.Close()
			msgs := []providers.Message{{Role: providers.RoleSystem, Content: "You are a bot."}}
			for i := range n {
				role := providers.RoleUser
				if i%2 == 1 {
					role = providers.RoleAssistant
				}
				msgs = append(msgs, providers.Message{Role: role, Content: "a message of usual length, that is to say not long"})
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.ChatStream(b.Context(), msgs, nil, "m", nil, func(providers.StreamEvent) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
