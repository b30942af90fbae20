package modelset

import (
	"cmp"

	"parley/pkg/config"
	"parley/pkg/providers"
	"parley/pkg/providers/kinds"
	"parley/pkg/providers/toolmode"
)

// withTools offers tools to a model in the way that its configuration names, or its row in
// the table of kinds.
func withTools(p providers.LLMProvider, m *config.Model, opts *Options) providers.LLMProvider {
	row, _ := kinds.Of(m.Kind, m.BaseURL, m.Model)
	o := toolmode.Options{Mode: toolmode.Mode(cmp.Or(m.ToolMode, row.Traits.ToolMode)), Grammar: row.Traits.Grammar}
	o.OnRefusal = func(model string, next toolmode.Mode, refusal *providers.Error) {
		opts.Log.Info().Err(refusal).Str("model", model).Str("tool_mode", string(next)).Msg("asking the model in another way for an hour")
	}
	return toolmode.New(p, o)
}
