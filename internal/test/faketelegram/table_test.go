package faketelegram_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/test/corpora"
	"parley/internal/test/faketelegram"
)

// TestTableCorpus compares the table of methods with the published one.
func TestTableCorpus(t *testing.T) {
	t.Parallel()
	api := decode[struct {
		Methods map[string]struct {
			Fields []struct {
				Name     string
				Types    []string
				Required bool
			}
		}
	}](t, corpora.Read(t, "telegram", "bot-api-10.1-api.json"))
	for _, m := range faketelegram.Methods() {
		published, ok := api.Methods[m.Name]
		if !ok {
			t.Errorf("%s is not a method of the Bot API", m.Name)
			continue
		}
		var want []faketelegram.Param
		for _, f := range published.Fields {
			want = append(want, faketelegram.Param{Name: f.Name, Types: f.Types, Required: f.Required})
		}
		byName := cmpopts.SortSlices(func(a, b faketelegram.Param) bool { return a.Name < b.Name })
		if diff := cmp.Diff(want, m.Params, byName); diff != "" {
			t.Errorf("%s: -published +table\n%s", m.Name, diff)
		}
	}
}

// TestRefusalsCorpus compares the words that the server itself speaks with the published ones.
func TestRefusalsCorpus(t *testing.T) {
	t.Parallel()
	words := map[string]bool{}
	for _, c := range decode[[]struct{ Text string }](t, corpora.Read(t, "telegram", "botapi-server-error-texts.json")) {
		words[plainWords(c.Text)] = true
	}
	for _, text := range faketelegram.ServerWords() {
		if !words[plainWords(text)] {
			t.Errorf("%q is not among the published words", text)
		}
	}
}

// plainWords takes off the server's additions, and the case of the first letter, which
// it changes.
func plainWords(text string) string {
	for _, prefix := range []string{"Bad Request: ", "Forbidden: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	text = strings.ReplaceAll(text, `\"`, `"`)
	return strings.ToLower(text[:1]) + text[1:]
}

func TestViolations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method string
		params map[string]string
		want   []string
		status int
	}{
		"nothing wrong":        {"getUpdates", map[string]string{"offset": "1", "timeout": "0"}, nil, 200},
		"method in capitals":   {"GETME", nil, nil, 200},
		"an unknown method":    {"sendTelegram", nil, []string{"unknown method sendTelegram"}, 404},
		"an unknown parameter": {"getMe", map[string]string{"x": "1"}, []string{"getMe: unknown parameter x"}, 200},
		"an old parameter": {
			"sendMessage",
			map[string]string{"chat_id": "1", "text": "x", "reply_to_message_id": "1"},
			[]string{"sendMessage: unknown parameter reply_to_message_id"},
			400,
		},
		"a parameter is missing": {"sendMessage", map[string]string{"chat_id": "1"}, []string{"sendMessage: no text"}, 400},
		"not a number":           {"getUpdates", map[string]string{"offset": "x"}, []string{"getUpdates: offset is not of type Integer"}, 200},
		"not a list": {
			"getUpdates",
			map[string]string{"allowed_updates": "message"},
			[]string{"getUpdates: allowed_updates is not of type Array of String"},
			200,
		},
		"not an object": {
			"sendMessage",
			map[string]string{"chat_id": "1", "text": "x", "link_preview_options": "[]"},
			[]string{"sendMessage: link_preview_options is not of type LinkPreviewOptions"},
			400,
		},
		"not a boolean": {
			"deleteWebhook",
			map[string]string{"drop_pending_updates": "on"},
			[]string{"deleteWebhook: drop_pending_updates is not of type Boolean"},
			200,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := faketelegram.New(t)
			r := newClient(t, srv, srv.Token()).call(tc.method, tc.params)
			if r.Status != tc.status {
				t.Errorf("status %d, want %d: %s", r.Status, tc.status, r.Description)
			}
			if diff := cmp.Diff(tc.want, srv.Violations()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			srv.ForgetViolations()
		})
	}
}
