package modelset_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/pkg/config"
	"parley/pkg/providers/check"
)

// counted are the requests of one server at a time, and the most there were.
type counted struct {
	mu        sync.Mutex
	now, most int
	all       *counted // those of all servers
}

func (c *counted) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += n
	c.most = max(c.most, c.now)
	if c.all != nil {
		c.all.add(n)
	}
}

// TestCheckSideBySide: several models are asked at once and few, those of one program here
// one after the other, and the reports keep the order of the names.
func TestCheckSideBySide(t *testing.T) {
	t.Parallel()
	const most = 4
	var all, shared counted
	together := make(chan struct{})
	met := sync.OnceFunc(func() { close(together) })
	serve := func(c *counted) string {
		c.all = &all
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.add(1)
			defer c.add(-1)
			all.mu.Lock()
			if all.now == most {
				met()
			}
			all.mu.Unlock()
			select {
			case <-together:
			case <-r.Context().Done():
			}
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error": {"message": "no"}}`)
		}))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	at := func(url string) func(*config.Model) { return func(m *config.Model) { m.BaseURL = url } }
	cfg := &config.Config{Agent: config.Agent{Model: "main"}, Models: map[string]*config.Model{"main": model("M", at(serve(&counted{})))}}
	one := serve(&shared)
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		url := one
		if i > 2 {
			url = serve(&counted{})
		} else if i == 1 { // the same program by another name
			url = strings.Replace(one, "127.0.0.1", "localhost", 1)
		}
		cfg.Models[name] = model(strings.ToUpper(name), at(url))
	}
	s := makeSet(t, cfg)
	names, err := s.Checked("")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := s.Check(t.Context(), names, func(r *check.Report) error {
		if r.Err == nil || r.Verdicts[check.Answers] != check.No {
			t.Errorf("%s: %v %v", r.Name, r.Verdicts, r.Err)
		}
		got = append(got, r.Name)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, names) || all.most != most || shared.most != 1 {
		t.Errorf("reports of %v, at most %d at once and %d at one program", got, all.most, shared.most)
	}
}

// TestCheckEnds with its context, and with the error of the caller, who gets no report
// after that.
func TestCheckEnds(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/main") {
			http.Error(w, `{"error": {"message": "no"}}`, http.StatusUnauthorized)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done() // the others never answer
	}))
	t.Cleanup(srv.Close)
	cfg := &config.Config{Agent: config.Agent{Model: "main"}, Models: map[string]*config.Model{}}
	for _, name := range []string{"main", "b"} {
		cfg.Models[name] = model(name, func(m *config.Model) { m.BaseURL = srv.URL + "/" + name })
	}
	s := makeSet(t, cfg)
	broken := errors.New("the screen is gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	for name, end := range map[string]func() error{
		"the caller": func() error { return broken }, "the context": func() error { cancel(broken); return nil },
	} {
		reports, within := 0, t.Context()
		if name == "the context" {
			within = ctx
		}
		err := s.Check(within, []string{"main", "b"}, func(*check.Report) error { reports++; return end() })
		if !errors.Is(err, broken) || reports != 1 {
			t.Errorf("%s: %v after %d reports", name, err, reports)
		}
	}
}

// TestChecked names the models, and the cure where one cannot be asked.
func TestChecked(t *testing.T) {
	t.Parallel()
	s := makeSet(t, &config.Config{
		Agent: config.Agent{Model: "main"},
		Models: map[string]*config.Model{
			"main": model("M"), "lost": model("X", func(m *config.Model) { m.APIKeys = []*config.Secret{{}} }),
		},
	})
	for name, want := range map[string]string{
		"lost": "the model lost cannot be asked: a key that models.lost names is missing", "mian": "there is no model mian: write one of main",
	} {
		if _, err := s.Checked(name); err == nil || err.Error() != want {
			t.Errorf("told %v, want %q", err, want)
		}
	}
	if names, err := s.Checked(""); err != nil || !slices.Equal(names, []string{"main"}) {
		t.Errorf("%v, %v", names, err)
	}
}
