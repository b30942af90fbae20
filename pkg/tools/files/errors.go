package files

import "parley/pkg/tools"

// fail makes a failure about a path; p may be empty.
func fail(t tools.ErrorType, p, message string) error {
	if p == "" {
		return tools.Fail(t, message, nil)
	}
	return tools.Fail(t, p+": "+message, map[string]any{"path": p})
}
