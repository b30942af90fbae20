package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/pkg/strictyaml"
)

// ShellTools say whether and how the agent runs commands.
type ShellTools struct {
	Enabled         bool     `yaml:"enabled" jsonschema_description:"Whether there is run_command. Default false."`
	Mode            string   `yaml:"mode" jsonschema:"enum=argv,enum=shell" jsonschema_description:"argv: programs of the list allow, without a shell (the default); shell: scripts for /bin/sh too."`
	Allow           []string `yaml:"allow" jsonschema_description:"The programs that may be run: names, looked for in the system's folders, or absolute paths. Default none."`
	Timeout         Duration `yaml:"timeout" min:"1s" max:"1h" jsonschema_description:"Longest run where the call names no time. Default 30s."`
	MaxTimeout      Duration `yaml:"max_timeout" min:"1s" max:"1h" jsonschema_description:"The longest time that a call may name. Default 5m."`
	BackgroundLimit Duration `yaml:"background_limit" min:"1s" max:"24h" jsonschema_description:"Longest run of a command in the background, and the time of one whose call names none. Default 1h."`
	Network         bool     `yaml:"network" jsonschema_description:"Gives commands the gateway's network, this machine's own addresses included. Default false."`
	Readable        []string `yaml:"readable" jsonschema_description:"Absolute paths that commands may read beside the workspace and the system's programs."`
	Unsafe          bool     `yaml:"unsafe" jsonschema_description:"Runs commands without the sandbox, with all the rights of the gateway. Default false."`
}

func defaultShellTools() ShellTools {
	return ShellTools{Mode: "argv", Timeout: defaultRunTime, MaxTimeout: defaultMaxRunTime, BackgroundLimit: Duration(time.Hour)}
}

// How long a program runs without a word about it.
const (
	defaultRunTime    = Duration(30 * time.Second)
	defaultMaxRunTime = Duration(5 * time.Minute)
)

// programs checks the settings of tools that run programs.
func (c programChecker) programs() {
	shell, code := c.cfg.Tools.Shell, c.cfg.Tools.Code
	for i, p := range shell.Allow {
		path := fmt.Sprintf("tools.shell.allow[%d]", i)
		switch {
		case strings.ContainsAny(p, "*?["):
			c.at(path, "%s is a pattern: name each program", strictyaml.Quote(p))
		case p == "" || strings.Contains(p, "/") && !cleanPath(p):
			c.at(path, "%s must be a name, such as ls, or an absolute path, such as /usr/bin/ls", strictyaml.Quote(p))
		}
	}
	c.readable("tools.shell.readable", shell.Readable)
	c.readable("tools.code.readable", code.Readable)
	for path, p := range map[string]string{"tools.code.python": code.Python, "tools.code.javascript": code.JavaScript} {
		if p != "" && !cleanPath(p) {
			c.at(path, "must be an absolute path, such as /usr/bin/python3")
		}
	}
	c.runTimes("tools.shell", shell.Timeout, shell.MaxTimeout)
	c.runTimes("tools.code", code.Timeout, code.MaxTimeout)
}

func (c programChecker) runTimes(path string, usual, most Duration) {
	if usual > most {
		c.at(path+".timeout", "is longer than max_timeout, %s", most)
	}
}

// readable refuses paths that would show the gateway's own files, or those of other chats, to programs.
func (c programChecker) readable(path string, paths []string) {
	for i, p := range paths {
		at := fmt.Sprintf("%s[%d]", path, i)
		inSpaces := func(name string) bool { return within(resolved(filepath.Join(c.cfg.Workspace, name)), resolved(p)) }
		switch {
		case !cleanPath(p) || p == "/":
			c.at(at, "%s must be an absolute path of a file or folder, without .. and not the root", strictyaml.Quote(p))
		case within(resolved(c.cfg.StateDir), resolved(p)):
			c.at(at, "%s lies in state_dir, which no program may read: take it out", strictyaml.Quote(p))
		case slices.ContainsFunc([]string{"home", "chats"}, inSpaces):
			c.at(at, "%s holds the files of chats, which no other chat may read: take it out", strictyaml.Quote(p))
		case slices.ContainsFunc(kernelFolders(), func(folder string) bool { return within(resolved(folder), resolved(p)) }):
			c.at(at, "%s belongs to the system, and a program has its own: take it out", strictyaml.Quote(p))
		}
	}
}

func cleanPath(p string) bool { return filepath.IsAbs(p) && filepath.Clean(p) == p }
