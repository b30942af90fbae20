package approval

import (
	"fmt"
	"strings"

	"parley/pkg/policy"
	"parley/pkg/text"
	"parley/pkg/tools"
	"parley/pkg/visible"
)

// maxObject is how much of an object the first sentence of a question shows, in
// characters. The question shows the whole call below.
const maxObject = 80

// Headline is the first sentence of a question, such as: Allow `write_file` to overwrite
// `a.md`? Where tells for whom or at which place the call would run, "" for nowhere else
// than here. A reason follows unless the action
// is named and says it.
func Headline(tool string, ex *tools.Examination, where string, why policy.Reason) string {
	action := textRun
	if ex.Action != "" {
		action = fmt.Sprintf(textAction, ex.Action, code(ex.Object))
	}
	sentence := fmt.Sprintf(textAllow, code(tool), action, where)
	if !why.Evident || ex.Action == "" {
		sentence += fmt.Sprintf(textReason, why.Text)
	}
	return sentence
}

// code is a name on one line in visible characters without markup.
func code(name string) string {
	line := text.Clip(visible.Text(strings.Join(strings.Fields(name), " ")), maxObject)
	return "`" + strings.ReplaceAll(line, "`", "'") + "`"
}
