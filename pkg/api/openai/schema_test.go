package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"parley/internal/test/corpora"
)

// document is the OpenAI API as its maker describes it.
func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(corpora.Read(t, "openapi", "openai-2.3.0-openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// fits holds a value against a schema of the document.
func fits(t *testing.T, doc *openapi3.T, schema string, raw []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	ref := doc.Components.Schemas[schema]
	if ref == nil {
		t.Fatalf("the document has no %s", schema)
	}
	if err := ref.Value.VisitJSON(v); err != nil {
		t.Errorf("%s is no %s: %v", raw, schema, err)
	}
}

// TestAnswersFitTheDocument of the OpenAI API: models, completions and the chunks of streams.
func TestAnswersFitTheDocument(t *testing.T) {
	t.Parallel()
	doc := document(t)
	w := newWorld(t, scripted, look(), erase())
	whole := func(method, path, body, schema string) {
		t.Helper()
		status, answer := w.do("ada", method, path, body)
		raw, err := json.Marshal(answer)
		if err != nil || status != http.StatusOK {
			t.Fatalf("%d %v", status, err)
		}
		fits(t, doc, schema, raw)
	}
	whole(http.MethodGet, "/models", "", "ListModelsResponse")
	whole(http.MethodGet, "/models/parley", "", "Model")
	for _, body := range []string{
		chat("hi"), chat("call look"), chat("call look theirs", theirs), chat("call erase"), chat("long"), chat("nothing"),
	} {
		whole(http.MethodPost, "/chat/completions", body, "CreateChatCompletionResponse")
		stream := strings.TrimSuffix(body, "}") + `,"stream":true,"stream_options":{"include_usage":true}}`
		_, frames := w.frames(stream)
		for _, f := range frames[:len(frames)-1] {
			if !strings.Contains(f, `"usage":null`) {
				fits(t, doc, "CreateChatCompletionStreamResponse", []byte(f))
				continue
			}
			// the document has no null there, which servers of its maker send
			fits(t, doc, "CreateChatCompletionStreamResponse", []byte(strings.Replace(f, `,"usage":null`, "", 1)))
		}
	}
}
