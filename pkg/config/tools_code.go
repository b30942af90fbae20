package config

// CodeTools say whether and how the agent runs code that it wrote.
type CodeTools struct {
	Enabled    bool     `yaml:"enabled" jsonschema_description:"Whether there is run_code. Default false."`
	Python     string   `yaml:"python" jsonschema_description:"Absolute path of the Python interpreter; looked for in the system's folders when left out."`
	JavaScript string   `yaml:"javascript" jsonschema_description:"Absolute path of Node.js; looked for in the system's folders when left out."`
	Timeout    Duration `yaml:"timeout" min:"1s" max:"1h" jsonschema_description:"Longest run where the call names no time. Default 30s."`
	MaxTimeout Duration `yaml:"max_timeout" min:"1s" max:"1h" jsonschema_description:"The longest time that a call may name. Default 5m."`
	Network    bool     `yaml:"network" jsonschema_description:"Gives code the gateway's network, this machine's own addresses included. Default false."`
	Readable   []string `yaml:"readable" jsonschema_description:"Absolute paths that code may read beside the workspace and the system's programs."`
	Unsafe     bool     `yaml:"unsafe" jsonschema_description:"Runs code without the sandbox, with all the rights of the gateway. Default false."`
}

func defaultCodeTools() CodeTools {
	return CodeTools{Timeout: defaultRunTime, MaxTimeout: defaultMaxRunTime}
}
