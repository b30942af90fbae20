package fakeslack_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/fakeslack"
)

// A response_url takes five answers, of a text each.
func TestAResponseURLTakesFiveAnswers(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ann := srv.User("Ann")
	event := srv.Channel("general", ann).Command("hello")
	var command struct {
		URL string `json:"response_url"`
	}
	if err := json.Unmarshal(event.Raw, &command); err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		body := strings.NewReader(`{"response_type":"ephemeral","text":"to you"}`)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, command.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if want := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[n < 5]; resp.StatusCode != want {
			t.Errorf("answer %d: %s", n+1, resp.Status)
		}
	}
	if got := srv.Responses(); len(got) != 5 || got[0].User != ann.ID || got[0].InChannel || got[0].Text != "to you" {
		t.Errorf("responses: %+v", got)
	}
}
