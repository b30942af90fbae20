package spec_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/apidoc"
	"parley/pkg/api/spec"
	"parley/pkg/httpd"
)

// TestTheDocumentIsServed to everyone, as one document of OpenAPI 3.1.
func TestTheDocumentIsServed(t *testing.T) {
	t.Parallel()
	apidoc.Load(t) // a valid one
	server := httpd.New(httpd.Options{Listen: "127.0.0.1:8080"})
	for _, route := range spec.Routes() {
		server.Handle(route)
	}
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/api/openapi.json", http.NoBody)
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	var doc struct {
		OpenAPI string
		Paths   map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %v", w.Code, err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Paths["/api/chats"] == nil || doc.Paths["/v1/responses"] == nil || doc.Paths["/agui"] == nil {
		t.Errorf("%s with %d paths", doc.OpenAPI, len(doc.Paths))
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type: %s", got)
	}
}

// TestTheDocumentHasEachField: the schemas have the fields that the handlers read and write, and no others. The
// rooms' types are read from their source.
func TestTheDocumentHasEachField(t *testing.T) {
	t.Parallel()
	raw, err := spec.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ file, typ, schema string }{
		{"../native/post.go", "request", "NewMessage"},
		{"../native/post.go", "stored", "Stored"},
		{"../native/call.go", "toolCall", "ToolCallRequest"},
		{"../native/call.go", "called", "ToolCallResult"},
		{"../native/reading/chats.go", "ListedChat", "ListedChat"},
		{"../native/chat.go", "history", "Chat"},
		{"../native/reading/message.go", "Message", "Message"},
		{"../native/chat.go", "question", "Question"},
		{"../native/chat.go", "listedTool", "Tool"},
		{"../native/reading/conversations.go", "Conversation", "Conversation"},
		{"../native/reading/conversations.go", "Answer", "LastAnswer"},
		{"../../gateway/commands.go", "wireCommand", "Command"},
		{"../../gateway/commands.go", "wireArgument", "CommandArgument"},
		{"../../gateway/telemetry/telemetry.go", "Row", "TelemetryRow"},
		{"../../gateway/telemetry/serve.go", "answer", "Telemetry"},
		{"../openai/chat.go", "chatRequest", "CompletionRequest"},
		{"../openai/chat.go", "chatMessage", "CompletionMessage"},
		{"../openai/chat.go", "chatTool", "CompletionTool"},
		{"../openai/wish.go", "function", "Function"},
		{"../openai/input.go", "responseRequest", "ResponseRequest"},
		{"../openai/input.go", "responseItem", "InputItem"},
		{"../openai/models.go", "model", "Model"},
		{"../openai/completion.go", "usage", "Usage"},
		{"../openai/completion.go", "toolCall", "ToolCall"},
		{"../openai/completion.go", "chunk", "CompletionChunk"},
		{"../agui/input.go", "input", "RunInput"},
		{"../agui/input.go", "message", "RunMessage"},
		{"../agui/input.go", "tool", "Function"},
		{"../agui/wire.go", "frame", "RunEvent"},
		{"../agui/wire.go", "interrupt", "Interrupt"},
		{"../agui/wire.go", "said", "SnapshotMessage"},
		{"../../events/event.go", "TurnBegun", "TurnEvent"},
		{"../../events/event.go", "Joined", "JoinedEvent"},
		{"../../events/event.go", "Token", "TextEvent"},
		{"../../events/event.go", "Reasoning", "TextEvent"},
		{"../../events/event.go", "Restart", "RestartEvent"},
		{"../../events/event.go", "CallDelta", "ToolCallDeltaEvent"},
		{"../../events/event.go", "Call", "ToolCallEvent"},
		{"../../events/event.go", "Executing", "ToolExecutingEvent"},
		{"../../events/event.go", "Progress", "ToolProgressEvent"},
		{"../../events/event.go", "Question", "ConfirmationRequired"},
		{"../../events/event.go", "Resolved", "ConfirmationResolvedEvent"},
		{"../../events/event.go", "Result", "ToolResultEvent"},
		{"../../events/event.go", "Message", "MessageEvent"},
		{"../../events/event.go", "Notice", "NoticeEvent"},
		{"../../events/event.go", "Failure", "ErrorEvent"},
		{"../../events/event.go", "Done", "DoneEvent"},
	} {
		described := slices.Sorted(maps.Keys(doc.Components.Schemas[row.schema].Properties))
		if d := cmp.Diff(fieldsOf(t, row.file, row.typ), described); d != "" {
			t.Errorf("the type %s in %s and the schema %s in pkg/api/spec/document (-type +schema):\n%s", row.typ, row.file, row.schema, d)
		}
	}
}

// fieldsOf are the names of a type's fields on the wire.
func fieldsOf(t *testing.T, file, typ string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != typ {
			return true
		}
		structure, ok := spec.Type.(*ast.StructType)
		if !ok {
			return false
		}
		for _, f := range structure.Fields.List {
			if f.Tag == nil {
				continue
			}
			tag, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				t.Fatal(err)
			}
			if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name != "" && name != "-" {
				names = append(names, name)
			}
		}
		return false
	})
	if len(names) == 0 {
		t.Fatalf("%s has no type %s with fields: say here where it is", file, typ)
	}
	slices.Sort(names)
	return names
}
