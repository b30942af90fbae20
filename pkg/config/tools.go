package config

import "time"

// defaultTools are the rules of a file without a word about tools.
func defaultTools() Tools {
	return Tools{
		On: true, Timeout: Duration(30 * time.Second), MaxParallel: 4, Approval: "destructive", MaxDepth: 3,
		Files: defaultFileTools(), Shell: defaultShellTools(), Code: defaultCodeTools(),
		Web: defaultWebTools(), Scripts: defaultScriptTools(),
	}
}
