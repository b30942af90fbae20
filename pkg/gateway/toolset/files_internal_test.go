package toolset

import (
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/tools"
)

// TestRootsAreForChosenChats gives a folder to the chats that the configuration
// names, also after one of them moved.
func TestRootsAreForChosenChats(t *testing.T) {
	t.Parallel()
	known := func(a channels.Address) []channels.Address {
		former := a
		former.Chat = strings.TrimPrefix(a.Chat, "moved-")
		return []channels.Address{a, former}
	}
	roots := fileRoots(map[string]config.FileRoot{
		"docs":   {Path: "/srv/docs", Chats: []string{"telegram:5", "slack:T1/C1", "console:"}},
		"shared": {Path: "/srv/shared", Mode: "rw", Chats: []string{"telegram:5#7"}},
	}, known)
	for _, tc := range []struct {
		inv  tools.Invocation
		want string
	}{
		{tools.Invocation{Channel: "telegram", Chat: "5"}, "docs"},
		{tools.Invocation{Channel: "telegram", Chat: "moved-5"}, "docs"},
		{tools.Invocation{Channel: "telegram", Chat: "5", Account: "help", Thread: "7"}, "docs shared(rw)"},
		{tools.Invocation{Channel: "telegram", Chat: "55"}, ""},
		{tools.Invocation{Channel: "slack", Account: "T1", Chat: "C1"}, "docs"},
		{tools.Invocation{Channel: "slack", Account: "T2", Chat: "C1"}, ""},
		{tools.Invocation{Channel: "console", Chat: "local"}, "docs"},
		{tools.Invocation{}, ""},
	} {
		var got []string
		for _, r := range roots(tc.inv) {
			if r.Writable {
				r.Name += "(rw)"
			}
			got = append(got, r.Name)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%+v: %v, want %s", tc.inv, got, tc.want)
		}
	}
	if fileRoots(nil, known) != nil {
		t.Error("without roots each call asks for them")
	}
}
