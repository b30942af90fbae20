package config

// ShellTools say whether and how the agent runs commands.
type ShellTools struct{}

func defaultShellTools() ShellTools { return ShellTools{} }
