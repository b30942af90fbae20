package config

// WebTools bound what the agent searches and reads on the web.
type WebTools struct{}

func defaultWebTools() WebTools { return WebTools{} }
