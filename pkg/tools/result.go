package tools

import "parley/pkg/tools/internal/output"

// noOutput is shown to the model for a call without any output.
const noOutput = "(no output)"

// ToolResult is the only return type of a tool: the text for the model, the text for
// the person, and how the outcome is to be treated.
type ToolResult struct {
	// ForLLM is the text that goes back to the model.
	ForLLM string `json:"for_llm"`
	// ForUser is shown to the person unless Silent is set.
	ForUser string `json:"for_user,omitempty"`
	// Silent keeps ForUser from being shown.
	Silent bool `json:"silent"`
	// IsError marks a failure.
	IsError bool `json:"is_error"`
	// Async means that the work goes on and ends with the callback.
	Async bool `json:"async"`
	// Err is the cause of a failure, for logs; the model sees it only where ForLLM is empty.
	Err error `json:"-"`
}

// NewToolResult is a plain result for the model.
func NewToolResult(forLLM string) *ToolResult { return &ToolResult{ForLLM: forLLM} }

// SilentResult is a result for the model that the person does not see.
func SilentResult(forLLM string) *ToolResult { return &ToolResult{ForLLM: forLLM, Silent: true} }

// AsyncResult tells the model that the work has begun and goes on in the background.
func AsyncResult(forLLM string) *ToolResult { return &ToolResult{ForLLM: forLLM, Async: true} }

// ErrorResult is a failure, told to the model in plain words. [Fail] gives it a type.
func ErrorResult(message string) *ToolResult { return &ToolResult{ForLLM: message, IsError: true} }

// UserResult shows the same text to the model and to the person.
func UserResult(content string) *ToolResult { return &ToolResult{ForLLM: content, ForUser: content} }

// WithError sets Err and returns tr.
func (tr *ToolResult) WithError(err error) *ToolResult {
	tr.Err = err
	return tr
}

// finish makes a tool's result fit to be stored and sent: not nil, not empty, within
// limit, valid UTF-8, without secrets. The tool's own value is left alone.
func finish(res *ToolResult, limit int, redact func(string) string) *ToolResult {
	out := ToolResult{}
	if res != nil {
		out = *res
	}
	if out.ForLLM == "" && out.Err != nil {
		out.ForLLM = out.Err.Error()
	}
	if out.ForLLM == "" {
		out.ForLLM = noOutput
	}
	out.ForLLM = output.Tidy(out.ForLLM, limit, redact)
	out.ForUser = output.Tidy(out.ForUser, limit, redact)
	return &out
}
