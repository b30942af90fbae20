package toolset

import (
	"time"

	"parley/pkg/config"
	"parley/pkg/gateway/files"
	"parley/pkg/tools"
	"parley/pkg/tools/code"
	"parley/workspace"
)

// codeTools run code in the sandbox.
func codeTools(cfg *config.Config, boxes sandboxes) []tools.Tool {
	c := cfg.Tools.Code
	return []tools.Tool{code.New(code.Options{
		Runner: boxes.of(c.Unsafe), Prepare: workspace.EnsureSpace, Python: c.Python, JavaScript: c.JavaScript,
		Timeout: time.Duration(c.Timeout), MaxTimeout: time.Duration(c.MaxTimeout),
		Network: c.Network, Readable: c.Readable, Outside: files.Inbox,
	})}
}
