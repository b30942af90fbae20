package composed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/pkg/tools"
)

// Spec is a composed tool as the operator writes it.
type Spec struct {
	Name        string
	Description string
	// Parameters are the model's arguments, all of them texts: their descriptions, by
	// name.
	Parameters map[string]string
	Steps      []Step
}

// Step is one call. In the texts of Arguments, {{NAME}} stands for a parameter and
// {{N}} for the result of step N, counted from 1.
type Step struct {
	Tool      string
	Arguments map[string]any
}

const (
	maxSteps = 20
	// The longest that a sequence may take.
	maxTime = 10 * time.Minute
)

// New makes the tool. It asks annotations about the tools that it calls; an unknown
// one may have any effect.
func New(s Spec, annotations func(tool string) (tools.Annotations, bool)) tools.Tool {
	return &sequence{spec: s, known: annotations}
}

// sequence is a composed tool.
type sequence struct {
	spec  Spec
	known func(tool string) (tools.Annotations, bool)
}

func (q *sequence) Name() string        { return q.spec.Name }
func (q *sequence) Description() string { return q.spec.Description }

func (q *sequence) Parameters() map[string]any {
	properties := map[string]any{}
	for name, about := range q.spec.Parameters {
		properties[name] = map[string]any{"type": "string", "description": about}
	}
	required := []any{}
	for _, name := range slices.Sorted(maps.Keys(q.spec.Parameters)) {
		required = append(required, name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// Annotations are the sum of those of the steps: as careful as the most careful one.
func (q *sequence) Annotations() tools.Annotations {
	sum := tools.Annotations{ReadOnly: true, Idempotent: true, Composed: true, Speaks: true, Searches: true, Level: tools.LevelChat}
	for _, step := range q.spec.Steps {
		a := q.annotations(step.Tool)
		sum.ReadOnly = sum.ReadOnly && a.ReadOnly
		sum.Idempotent = sum.Idempotent && (a.Idempotent || a.ReadOnly)
		sum.Destructive = sum.Destructive || a.Destructive
		sum.Ordered = sum.Ordered || a.Ordered
		sum.OpenWorld = sum.OpenWorld || a.OpenWorld
		sum.Searches = sum.Searches && a.Searches == a.OpenWorld
		sum.Executes = sum.Executes || a.Executes
		sum.Volatile = sum.Volatile || a.Volatile
		sum.Speaks = sum.Speaks && (a.Speaks || a.ReadOnly)
		if higher(a.Level, sum.Level) {
			sum.Level = a.Level
		}
		sum.Timeout = min(sum.Timeout+max(a.Timeout, 30*time.Second), maxTime)
	}
	return sum
}

// annotations describe a tool; an unknown one may have any effect.
func (q *sequence) annotations(tool string) tools.Annotations {
	if a, ok := q.known(tool); ok {
		return a
	}
	return tools.Annotations{Destructive: true, OpenWorld: true, Executes: true, Level: tools.LevelWrite}
}

func higher(a, b tools.Level) bool {
	order := []tools.Level{tools.LevelNone, tools.LevelChat, tools.LevelRead, tools.LevelWrite, tools.LevelExec}
	return slices.Index(order, a) > slices.Index(order, b)
}

// Examine implements [tools.Examiner]: it speaks for all steps.
func (q *sequence) Examine(ctx context.Context, args map[string]any) (tools.Examination, error) {
	var sum tools.Examination
	var text, state strings.Builder
	outside := false
	for i, step := range q.spec.Steps {
		given := fill(step.Arguments, args, func(n int) string { return fmt.Sprintf("(the result of step %d)", n) })
		a := q.annotations(step.Tool)
		ex, err := q.examineStep(ctx, step, given, a)
		if err != nil {
			return sum, err
		}
		if ex.Text, err = orArguments(ex.Text, given); err != nil {
			return sum, fmt.Errorf("step %d: %w", i+1, err)
		}
		fmt.Fprintf(&text, "step %d: %s\n%s\n", i+1, step.Tool, ex.Text)
		fmt.Fprintf(&state, "%d:%s\n", len(ex.State), ex.State)
		sum.Destructive = sum.Destructive || ex.Destructive
		sum.Always = sum.Always || ex.Always
		sum.Destination = cmp.Or(sum.Destination, ex.Destination)
		ex.Taints = ex.Taints || outside
		sum.Taints = sum.Taints || ex.Taints && (!a.ReadOnly || !outside)
		sum.Brings = sum.Brings || ex.Brings
		outside = outside || ex.Taints || ex.Brings || a.OpenWorld
		sum.Steps = append(sum.Steps, tools.ExaminedStep{Tool: step.Tool, Annotations: a, Examination: ex})
	}
	sum.Text, sum.State = strings.TrimSuffix(text.String(), "\n"), state.String()
	return sum, nil
}

// orArguments is how a step is shown: by its own text, else by its arguments.
func orArguments(text string, given map[string]any) (string, error) {
	if text != "" {
		return text, nil
	}
	b, err := json.MarshalIndent(given, "", "  ")
	return string(b), err
}

// examineStep examines one step. The effects of a step that depends on earlier
// results are unknown: it counts as the worst that its tool does.
func (q *sequence) examineStep(ctx context.Context, step Step, given map[string]any, a tools.Annotations) (tools.Examination, error) {
	depends := slices.ContainsFunc(names(step.Arguments), func(name string) bool {
		_, err := strconv.Atoi(name)
		return err == nil
	})
	ex, err := tools.ExamineTool(ctx, step.Tool, given)
	switch {
	case err != nil && refused(err, depends):
		return ex, err
	case err != nil:
		ex = tools.Examination{Destructive: a.Destructive, Always: a.Executes, Taints: brings(a), Keeps: !a.ReadOnly}
		if a.OpenWorld {
			ex.Destination = "(an address that an earlier step gives)"
		}
	case depends:
		ex.Destructive = ex.Destructive || a.Destructive
		ex.Taints = ex.Taints || ex.Examined && brings(a)
		ex.Keeps = ex.Keeps || ex.Examined && !a.ReadOnly
	}
	return ex, nil
}

// brings says whether a tool may return untrusted content, if that depends on the
// arguments: the content of a file, or the output of a program or a sequence.
func brings(a tools.Annotations) bool { return a.ReadOnly || a.Executes || a.Composed }

// refused says whether an examination's error holds whatever earlier steps do.
func refused(err error, depends bool) bool {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return false
	}
	switch e.Type {
	case tools.ErrExecutionFailed:
		return strings.Contains(e.Message, "max_tool_depth")
	case tools.ErrInvalidArguments, tools.ErrSecurityViolation, tools.ErrNotFound:
		return !depends // made of words that stand for a result
	default:
		return true
	}
}

// step is the model's report of one step that ran.
type stepResult struct {
	Tool   string `json:"tool"`
	Result string `json:"result"`
}

// Execute runs the steps in order. The first failed step ends the sequence; its error
// names the step and lists the earlier ones.
func (q *sequence) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	var done []stepResult
	var shown []string
	for i, step := range q.spec.Steps {
		tools.Progress(ctx, fmt.Sprintf("step %d of %d: %s", i+1, len(q.spec.Steps), step.Tool))
		given := fill(step.Arguments, args, func(n int) string { return done[n-1].Result })
		res := tools.CallTool(ctx, step.Tool, given)
		if res.IsError {
			return failed(i+1, step.Tool, res, done)
		}
		done = append(done, stepResult{step.Tool, res.ForLLM})
		if res.ForUser != "" && !res.Silent {
			shown = append(shown, res.ForUser)
		}
	}
	b, err := json.Marshal(map[string]any{"steps": done})
	if err != nil {
		return tools.Fail(tools.ErrExecutionFailed, "the results cannot be shown", nil).Because(err).Result()
	}
	out := tools.NewToolResult(string(b))
	out.ForUser = strings.Join(shown, "\n\n")
	return out
}

// failed keeps the type of the step's error.
func failed(n int, tool string, res *tools.ToolResult, done []stepResult) *tools.ToolResult {
	var e struct {
		Type    tools.ErrorType `json:"type"`
		Message string          `json:"message"`
	}
	if json.Unmarshal([]byte(res.ForLLM), &e) != nil || e.Type == "" {
		e.Type, e.Message = tools.ErrExecutionFailed, res.ForLLM
	}
	return tools.Fail(e.Type, fmt.Sprintf("step %d (%s): %s", n, tool, e.Message), map[string]any{"done": done}).Because(res.Err).Result()
}
