package config

import "time"

// ScriptTools bound the operator's own tools, the folders below tools/ in the workspace.
type ScriptTools struct {
	Enabled    bool     `yaml:"enabled" jsonschema_description:"Whether the operator's own tools, the folders in tools/ of the workspace, are loaded. Default true."`
	MaxTimeout Duration `yaml:"max_timeout" min:"1s" max:"1h" jsonschema_description:"The longest time-out that a tool.yaml may name. Default 5m."`
	MaxOutput  int      `yaml:"max_output_kb" jsonschema:"minimum=1,maximum=1024" jsonschema_description:"Kilobytes that such a tool may tell the model, and once more the person. Default 64."`
}

func defaultScriptTools() ScriptTools {
	return ScriptTools{Enabled: true, MaxTimeout: Duration(5 * time.Minute), MaxOutput: 64}
}
