package openai_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/internal/test/faces"
	"parley/pkg/agent/approval"
	"parley/pkg/agent/turn"
	"parley/pkg/api/openai"
	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/shelf"
	"parley/pkg/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ring has beside the tokens of all faces one of Ada with models, of which one is unknown.
func ring() faces.Ring {
	r := faces.People()
	chooser := faces.Of("ada", policy.LevelWrite, "t5", httpd.RightCallTools)
	chooser.Models = []string{"small", "vendor/large", "gone"}
	r["chooser"] = chooser
	return r
}

// model answers as the test says.
type model func(msgs []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse

// world is an agent behind the OpenAI API.
type world struct {
	*faces.World

	brought *atomic.Int32 // how many messages have their files stored
}

func newWorld(tb testing.TB, answers model, all ...tools.Tool) *world {
	tb.Helper()
	return newLoggedWorld(tb, zerolog.Nop(), answers, all...)
}

func newLoggedWorld(tb testing.TB, log zerolog.Logger, answers model, all ...tools.Tool) *world {
	tb.Helper()
	brought := &atomic.Int32{}
	return &world{brought: brought, World: faces.Open(tb, faces.Options{
		Models: turn.Model{Provider: faces.Answers(answers), Name: "script"}, Tools: all, Keyring: ring(),
		Routes: func(w *faces.World) []httpd.Route {
			return openai.New(openai.Options{
				Channel: "web", Hub: w.Hub, Store: w.Parts(), Post: w.Post, Bodies: httpd.NewBodies(),
				Bring: func(ctx context.Context, chat, item string, all []shelf.Upload) ([]channels.Attachment, error) {
					defer brought.Add(1)
					return w.Files.Bring(ctx, chat, item, all)
				},
				Press:   func(q *session.Approval, allow bool) string { return approval.PressOf(q.ID, allow, false) },
				TakesIn: func() bool { return true }, Models: func() []string { return []string{"small", "vendor/large"} },
				Formats: func(_ channels.Address, model string, object bool) bool {
					return model != "small" && (model != "vendor/large" || !object)
				},
				ChatHeaders: []string{"X-Chat"}, Redact: func(s string) string { return s }, Log: log,
			}).Routes()
		},
	})}
}

// do makes a request and decodes its answer.
func (w *world) do(token, method, path, body string, header ...string) (status int, answer map[string]any) {
	w.T.Helper()
	return w.Do(method, "/v1"+path, token, body, header...)
}

// frames are the data of a stream.
func (w *world) frames(body string) (status int, all []string) {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(w.T.Context(), faces.Patience)
	defer cancel()
	resp := w.send(ctx, "/chat/completions", body)
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case ok:
			all = append(all, data)
		case lines.Text() != "" && !strings.HasPrefix(lines.Text(), ":"):
			all = append(all, "NO DATA: "+lines.Text())
		}
	}
	return resp.StatusCode, all
}

// send posts a body as Ada.
func (w *world) send(ctx context.Context, path, body string, header ...string) *http.Response {
	w.T.Helper()
	return w.Send(ctx, http.MethodPost, "/v1"+path, "ada", body, header...)
}
