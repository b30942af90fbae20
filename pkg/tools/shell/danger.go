package shell

import (
	"path"
	"slices"
	"strings"

	"parley/pkg/tools/internal/program"
)

// dangerous gives the reason why a program always asks: it deletes, overwrites,
// changes rights, ends other processes, or runs commands from its arguments or files.
func dangerous(names, args []string) string {
	for _, name := range names {
		name = path.Base(name)
		for why, list := range map[string][]string{
			"it changes or deletes": {
				"rm", "rmdir", "unlink", "shred", "dd", "mv", "cp", "ln", "install", "truncate", "tee", "split", "csplit", "uniq", "xxd", "patch",
				"chmod", "chown", "chgrp", "chattr", "setfacl", "setfattr", "setcap", "touch", "mkfifo", "mknod",
				"kill", "pkill", "killall", "mount", "umount", "losetup", "wipefs", "fdisk", "sfdisk", "parted", "mke2fs", "fsck", "swapon",
				"shutdown", "reboot", "halt", "poweroff", "useradd", "userdel", "usermod", "passwd", "crontab",
			},
			"it runs other programs": {
				"env", "nice", "ionice", "nohup", "setsid", "timeout", "time", "stdbuf", "taskset", "chrt", "prlimit", "numactl", "xargs", "parallel",
				"busybox", "toybox", "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "chroot", "unshare", "nsenter",
				"sudo", "su", "doas", "pkexec", "runuser", "setpriv", "capsh", "strace", "ltrace", "gdb", "lldb", "valgrind", "perf", "script", "watch",
				"entr", "flock", "exec", "command", "eval", "systemd-run", "start-stop-daemon", "run-parts", "at", "batch", "screen", "tmux",
				"ssh", "scp", "sftp", "rsync", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "curl", "wget", "openssl",
				"docker", "podman", "kubectl", "make", "gmake", "cmake", "ninja", "go", "cargo", "npm", "npx", "yarn", "pnpm", "git", "hg", "svn",
				"tar", "bsdtar", "cpio", "zip", "unzip", "7z", "gcc", "cc", "g++", "ld", "ld.so", "man", "less", "more", "most", "pager",
				"awk", "gawk", "mawk", "nawk", "original-awk", "sed", "ed", "ex", "vi", "vim",
				"view", "nvim", "nano", "emacs", "bc", "dc", "m4", "sqlite3", "psql", "mysql",
				"node", "nodejs", "deno", "bun", "tclsh", "wish", "expect", "Rscript", "R",
				"julia", "java", "osascript", "pwsh", "guile", "racket", "erl", "ghc",
			},
		} {
			if slices.Contains(list, name) {
				return why
			}
		}
		for _, family := range []string{"mkfs", "python", "pypy", "perl", "ruby", "irb", "lua", "php", "pip", "ld-linux", "ld-musl"} {
			if strings.HasPrefix(name, family) {
				return "it runs other programs, or erases"
			}
		}
		if why := options(name, args); why != "" {
			return why
		}
	}
	return ""
}

// options finds the arguments that make a harmless program a dangerous one. It
// may find too many: then somebody is asked.
func options(name string, args []string) string {
	long := map[string][]string{ // beginnings: GNU takes any that is unambiguous
		"find": {"-exec", "-ok", "-delete", "-fprint", "-fls"},
		"sort": {"--o", "--c", "--t"},
		"rg":   {"--pre", "--hostname-bin", "--search-zip", "-z"},
		"fd":   {"-x", "-X", "--exec"},
		"tree": {"-o"},
		"file": {"-C", "--compile"},
		"date": {"-s", "--s"},
	}
	short := map[string]string{"sort": "oT", "fd": "xX", "file": "C", "tree": "o", "date": "s", "rg": "z"}
	for _, arg := range args {
		for _, prefix := range long[name] {
			if strings.HasPrefix(arg, prefix) {
				return "with " + prefix + " it writes or runs other programs"
			}
		}
		if letters := short[name]; letters != "" && strings.HasPrefix(arg, "-") &&
			!strings.HasPrefix(arg, "--") && strings.ContainsAny(arg[1:], letters) {
			return "with " + program.Quote(arg) + " it may write or run other programs"
		}
	}
	return ""
}
