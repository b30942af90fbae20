// Package sandbox runs programs from outside, so that they reach only the folders they
// were given.
//
// It promises of a run on Linux:
//
//   - The program sees only its workspace, the system's programs and libraries
//     (read-only), a few harmless files of /etc and an empty folder for temporary
//     files: home folders, the state and other processes are hidden. It has namespaces
//     of its own for users, processes, the network, IPC, the host name and mounts, and
//     Landlock denies the same once more.
//   - It has no capability and gets none. Its environment has no variable of ours, and
//     without [Command.Network] it has no network, this machine's own addresses
//     included. It makes sockets of the families UNIX, INET and INET6 alone.
//   - Memory, processes, open files, the size of a file and the content of the
//     workspace are bounded, and so is the kept part of its output, however long that
//     is. The workspace is counted every tenth of a second, or at intervals of ten
//     times as long as a count takes; content above the bound from that time stays.
//   - With [Options.Groups] the kernel counts all memory of a run, and only then its
//     programs may share memory without a file.
//   - At the end of a run, in time or not, all of its processes are dead; also if this
//     process is killed.
//   - Before the first run the promises are tried: a sandbox in which one of them does
//     not hold is refused with the reason. On a system without a sandbox no program is
//     run, unless [Options.Unsafe] waives it: then the group of the program's processes ends with the run,
//     and when this process is killed.
//
// It does not restrict addresses: with [Command.Network] the program has the network
// of this process, its loopback included.
//
// A run begins as this same program in another role, so [Main] must be the first call
// of the program, and of the TestMain of tests that run commands:
//
//	func TestMain(m *testing.M) {
//		sandbox.Main()
//		os.Exit(m.Run())
//	}
//
// To tighten it: add the right to deny to isolate or confine, and an action that must
// fail then to the probes.
package sandbox
