package main

import (
	"parley/pkg/config"
	"parley/pkg/tools"
	"parley/pkg/tools/files"
	"parley/workspace"
)

func fileOptions() files.Options { return files.Options{Prepare: workspace.EnsureSpace} }

// fileTools read and write the files of a chat's space.
func fileTools(*config.Config) []tools.Tool { return files.New(fileOptions()) }
