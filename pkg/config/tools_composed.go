package config

// ComposedTool is a fixed sequence of calls to other tools.
type ComposedTool struct {
	Description string            `yaml:"description" text:"lines" jsonschema:"required" jsonschema_description:"What the model reads of it."`
	Parameters  map[string]string `yaml:"parameters" text:"lines" jsonschema_description:"What the model gives, all of it text: what each parameter is, by name."`
	Steps       []ComposedStep    `yaml:"steps" jsonschema:"required" jsonschema_description:"The calls, in order, at most 20."`
}

// ComposedStep is one call of a composed tool.
type ComposedStep struct {
	Tool      string         `yaml:"tool" jsonschema:"required" jsonschema_description:"The name of the tool."`
	Arguments map[string]any `yaml:"arguments" text:"lines" jsonschema_description:"Its arguments. In a text {{NAME}} stands for a parameter and {{N}} for the result of step N."`
}
