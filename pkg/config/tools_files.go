package config

// FileTools bound the tools that read and write files.
type FileTools struct{}

func defaultFileTools() FileTools { return FileTools{} }
