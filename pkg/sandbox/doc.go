// Package sandbox runs programs that nobody here wrote, so that they reach the
// folders they were given and nothing else.
//
// What it promises of a run on Linux:
//
//   - The program sees its workspace, the system's programs and libraries
//     (read-only), a few harmless files of /etc, an empty folder for temporary
//     files, and nothing else: no home folder, no state, no other process. It has
//     namespaces of its own for users, processes, the network, IPC, the host name
//     and mounts, and Landlock says the same once more.
//   - It has no capability and gets none, no variable of ours in its environment,
//     and without [Command.Network] no network, this machine's own addresses included.
//     It makes sockets of the families UNIX, INET and INET6 alone.
//   - Memory, processes, open files, the size of a file and what the workspace holds
//     are bounded, and so is what is kept of its output, however much that is. What
//     overshoots between two looks at the workspace stays: a tenth of a second, or ten
//     times as long as a look takes.
//   - With [Options.Groups] the kernel counts all memory of a run, and only then its
//     programs may share memory without a file.
//   - When a run is over, in time or not, all that it started is dead; so it is
//     when this process is killed.
//   - Before the first run the promises are tried: a sandbox in which one of them
//     does not hold is none, and says why. Where the system has no sandbox nothing
//     is run, unless [Options.Unsafe] waives it.
//
// What it does not do: with [Command.Network] the program has the network that
// this process has, its loopback included.
//
// A run begins as this same program in another role, so [Main] must be the first
// call of the program, and of the TestMain of tests that run commands:
//
//	func TestMain(m *testing.M) {
//		sandbox.Main()
//		os.Exit(m.Run())
//	}
//
// To tighten it: add what the program must not have to isolate or confine, and
// what must fail then to the probes.
package sandbox
