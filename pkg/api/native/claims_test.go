package native_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/faces"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// TestClaimsOfAClientGiveNothing: the person, the level and the rights of a request are those of
// its token, whatever its fields and its headers say of them.
func TestClaimsOfAClientGiveNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says(fmt.Sprintf("%d tools ", len(defs)))
	}, look(), faces.Tool("write", tools.Annotations{Level: tools.LevelWrite}, func(context.Context) string { return "" }))
	claims := `"user":"web:ada","user_id":"ada","person":"web:ada","role":"owner","owner":true,"level":"write",` +
		`"scopes":["tools:write"],"rights":["approve","call_tools"],"caller":{"person":"web:ada","level":"write"}`
	var headers []string
	for _, name := range []string{"X-User-Id", "X-User", "X-Remote-User", "X-Forwarded-User", "X-Person"} {
		headers = append(headers, name, "ada")
	}
	for _, name := range []string{"X-Scopes", "X-Role", "X-Level", "X-Rights"} {
		headers = append(headers, name, "owner write approve call_tools")
	}
	s := w.open("bob", "main", "")
	status, answer := w.do("bob", http.MethodPost, "/chats/main/messages", `{"message":"go",`+claims+`}`, headers...)
	if status != http.StatusAccepted {
		t.Fatal(status, answer)
	}
	all := s.untilDone() // in Bob's chat
	if got := all[len(all)-1].Data; !strings.Contains(got, "1 tools") {
		t.Errorf("the turn had %s", got)
	}
	if _, chats := w.do("ada", http.MethodGet, "/chats", ""); fmt.Sprint(chats["chats"]) != "[]" {
		t.Errorf("ada has %v", chats)
	}
	call := `{"target_capability":"look","target_body":{},` + claims + `}`
	if status, answer := w.do("helper", http.MethodPost, "/tools/call", call, headers...); status != http.StatusForbidden {
		t.Errorf("a token without the right called a tool: %d %v", status, answer)
	}
}
