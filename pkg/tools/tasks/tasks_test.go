package tasks_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/tasks"
)

// book has the tasks of a chat.
type book struct {
	all       []tasks.Task
	err       error
	cancelled []string
}

func (b *book) Tasks(context.Context) ([]tasks.Task, error) { return b.all, b.err }

func (b *book) Cancel(_ context.Context, id string) (string, error) {
	b.cancelled = append(b.cancelled, id)
	return "cancelled", b.err
}

func TestTheTool(t *testing.T) {
	t.Parallel()
	one := tasks.Task{ID: "abcd2345", Tool: "spawn", Name: "the work", State: "running", Started: "then", Until: "later"}
	refused := tools.Fail(tools.ErrPermissionDenied, "not yours", nil)
	for name, c := range map[string]struct {
		book      book
		args      string
		fails     bool
		want      string
		cancelled []string
	}{
		"none":               {args: `{"action":"list"}`, want: `{"tasks":[]}`},
		"one":                {book: book{all: []tasks.Task{one}}, args: `{"action":"list"}`, want: `{"tasks":[{"id":"abcd2345","tool":"spawn","name":"the work","state":"running","started":"then","until":"later"}]}`},
		"unreadable":         {book: book{err: errors.New("disk")}, args: `{"action":"list"}`, fails: true, want: "execution_failed"},
		"cancel":             {args: `{"action":"cancel","id":"abcd2345"}`, want: "cancelled", cancelled: []string{"abcd2345"}},
		"refused":            {book: book{err: refused}, args: `{"action":"cancel","id":"x"}`, fails: true, want: "permission_denied", cancelled: []string{"x"}},
		"cancel what":        {args: `{"action":"cancel"}`, fails: true, want: "invalid_arguments"},
		"another action":     {args: `{"action":"kill","id":"x"}`, fails: true, want: "invalid_arguments"},
		"of no action":       {args: `{}`, fails: true, want: "invalid_arguments"},
		"of another chat":    {args: `{"action":"list","chat":"2"}`, fails: true, want: "invalid_arguments"},
		"id of another type": {args: `{"action":"cancel","id":7}`, fails: true, want: "invalid_arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tools.NewToolRegistry()
			r.Register(tasks.New(&c.book))
			args, err := providers.DecodeArguments(c.args)
			if err != nil {
				t.Fatal(err)
			}
			res := r.Execute(t.Context(), "tasks", args)
			if res.IsError != c.fails || !strings.Contains(res.ForLLM, c.want) || !slices.Equal(c.book.cancelled, c.cancelled) {
				t.Errorf("%q, failed %v, cancelled %q", res.ForLLM, res.IsError, c.book.cancelled)
			}
		})
	}
}
