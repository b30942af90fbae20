package config

// ScriptTools bound the operator's own tools, the folders below tools/ in the workspace.
type ScriptTools struct{}

func defaultScriptTools() ScriptTools { return ScriptTools{} }
