package config

// CodeTools say whether and how the agent runs code that it wrote.
type CodeTools struct{}

func defaultCodeTools() CodeTools { return CodeTools{} }
