package mutants

import "slices"

// runMutants break the promises of the section "Programs and their bounds".
func runMutants() []Mutant { return slices.Concat(placeMutants(), boundMutants(), crowdMutants()) }

// placeMutants break promises about the places that chats share.
func placeMutants() []Mutant {
	const dir = "pkg/sandbox"
	return []Mutant{
		{
			Promise: "places are shared", Defect: "gives one chat all places",
			File: "pkg/fair/places.go", Old: `p.queue[0].held < p.free`, New: `p.free > 0`,
			Dir: "pkg/gateway/toolset", Test: "^TestPlacesOfProgramsAreShared$",
		},
		{
			Promise: "places are shared", Defect: "serves the owner that was served last",
			File: "pkg/fair/places.go", Old: `a.last < b.last`, New: `a.last > b.last`,
			Dir: "pkg/fair", Test: "^TestShares$",
		},
		{
			Promise: "places are shared", Defect: "serves owners that come later before one that waits",
			File: "pkg/fair/places.go", Old: "p.owners[name] = o\n\t\tp.turn(o)", New: "p.owners[name] = o",
			Dir: "pkg/fair", Test: "^TestShares$",
		},
		{
			Promise: "places are shared", Defect: "lets the call's time go on while it waits",
			File: "pkg/tools/internal/callclock/clock.go", Old: `c.until = time.Now().Add(c.left)`, New: `c.left = time.Until(c.until)`,
			Dir: "pkg/tools", Test: "^TestWaitingIsNotTheCallsTime$",
		},
		{
			Promise: "places are shared", Defect: "waits for a place for ever",
			File: dir + "/run_linux.go", Old: `context.WithTimeout(ctx, c.Patience)`, New: `context.WithCancel(ctx)`,
			Dir: dir, Test: "^TestNoPlace$",
		},
		{
			Promise: "searches in turn", Defect: "lets one chat use up the searches of a minute",
			File: "pkg/tools/web/search.go", Old: "tools.InvocationFrom(ctx).Owner(), nil)", New: `"all", nil)`,
			Dir: "pkg/tools/web", Test: "^TestSearchesOfChatsTakeTurns$",
		},
	}
}

// boundMutants break promises about single runs.
func boundMutants() []Mutant {
	const dir = "pkg/sandbox"
	return []Mutant{
		{
			Promise: "sandbox: sockets", Defect: "lets io_uring pass",
			File: dir + "/seccomp_linux.go", Old: `[]uint32{425, 426, 427, memfdSecret}`, New: `[]uint32{memfdSecret}`,
			Dir: dir, Test: "^TestSockets$",
		},
		{
			Promise: "sandbox: sockets", Defect: "lets programs of arm's 32 bits make any socket",
			File: dir + "/seccomp_linux.go", Old: `socket: 281`, New: `socket: 198`,
			Dir: dir, Test: "^TestFilter$",
		},
		{
			Promise: "sandbox: sockets", Defect: "does not try a program of 32 bits",
			File: dir + "/probe32_linux.go", Old: `return ran && code == 1`, New: `return ran && code == 2`,
			Dir: dir, Test: "^TestProbesFindEscapes$",
		},
		{
			Promise: "sandbox: memory", Defect: "does not count what sockets hold",
			File: dir + "/helper_linux.go", Old: `memory += socketMemory(each)`, New: `memory += 0 * each`,
			Dir: dir, Test: "^TestMemoryOfAllKinds$",
		},
		{
			Promise: "sandbox: memory", Defect: "gives shared memory of a device",
			File: dir + "/landlock_linux.go", Old: `"/tmp", "/dev/null", "/dev/full"`, New: `"/tmp", "/dev/null", "/dev/zero", "/dev/full"`,
			Dir: dir, Test: "^TestMemoryOfAllKinds$",
		},
		{
			Promise: "sandbox: memory", Defect: "gives segments of System V",
			File: dir + "/seccomp_linux.go", Old: `[]uint32{29, 64, 68, 319, 321}`, New: `[]uint32{64, 68, 319, 321}`,
			Dir: dir, Test: "^TestMemoryOfAllKinds$",
		},
		{
			Promise: "sandbox: disk", Defect: "leaves the limits of the configuration out",
			File: "pkg/gateway/toolset/shell.go", Old: `DiskFiles: cfg.Tools.Files.MaxFiles`, New: `DiskFiles: 10 * cfg.Tools.Files.MaxFiles`,
			Dir: "pkg/gateway/toolset", Test: "^TestProgramsKeepToTheLimitsOfFiles$",
		},
		{
			Promise: "sandbox: disk", Defect: "does not count files without a name",
			File: dir + "/disk_linux.go", Old: `c.bytes += d.unnamed()`, New: `c.bytes += 0 * d.unnamed()`,
			Dir: dir, Test: "^TestDisk$",
		},
		{
			Promise: "sandbox: disk", Defect: "cannot look into closed folders",
			File: dir + "/run_linux.go", Old: `unix.CAP_SYS_PTRACE, unix.CAP_DAC_READ_SEARCH}`, New: `unix.CAP_SYS_PTRACE}`,
			Dir: dir, Test: "^TestDisk$",
		},
		{
			Promise: "question for code", Defect: "says nothing of the modules",
			File: "pkg/tools/code/code.go", Old: `"node", []string{"-"}, "node_modules"`, New: `"node", []string{"-"}, ""`,
			Dir: "pkg/tools/code", Test: "^TestPlaceOfCode$",
		},
		{
			Promise: "question for code", Defect: "keeps the fingerprint of the folder as it is shown",
			File: "pkg/tools/internal/program/program.go", Old: `head + "in: " + Quote(f.Dir) + tail`, New: `head + "in: " + name + tail`,
			Dir: "pkg/tools/code", Test: "^TestPlaceOfCode$",
		},
	}
}

// crowdMutants break promises about many processes, and about the groups that count them.
func crowdMutants() []Mutant {
	const dir = "pkg/sandbox"
	return []Mutant{
		{
			Promise: "sandbox: processes", Defect: "leaves the init to get its threads beside a fork bomb",
			File: dir + "/helper_linux.go", Old: `const enough = 16`, New: `const enough = 0`,
			Dir: dir, Test: "^TestInitHasItsThreads$",
		},
		{
			Promise: "sandbox: processes", Defect: "does not bound the threads of all processes together",
			File: dir + "/usage_linux.go", Old: `|| u.threads > s.threads()`, New: `|| u.threads > 100*s.threads()`,
			Dir: dir, Test: "^TestForkBombEnds$/^of_threads$",
		},
		{
			Promise: "sandbox: processes", Defect: "hides the state in which the init died",
			File: dir + "/run_linux.go", Old: `fmt.Errorf("run a program: %w (%s)", err, cmd.ProcessState)`, New: `fmt.Errorf("run a program: %w", err)`,
			Dir: dir, Test: "^TestAnInitThatDies$",
		},
		{
			Promise: "sandbox: delegation", Defect: "takes a group over that holds other processes",
			File: dir + "/cgroup_linux.go", Old: `if pid != strconv.Itoa(os.Getpid()) {`, New: `if pid == "" {`,
			Dir: dir, Test: "^TestDelegation$",
		},
		{
			Promise: "sandbox: delegation", Defect: "takes a group over that nobody delegated",
			File: dir + "/cgroup_linux.go", Old: `if !given(dir) {`, New: `if dir == "" {`,
			Dir: dir, Test: "^TestDelegation$",
		},
		{
			Promise: "sandbox: memory stays", Defect: "gives large pages, which no group counts",
			File: dir + "/seccomp_linux.go", Old: `unless(dataFlags, unix.MAP_HUGETLB, noMemory, allow)`, New: `unless(dataFlags, 0, noMemory, allow)`,
			Dir: dir, Test: "^TestFilterOfCountedMemory$",
		},
		{
			Promise: "sandbox: memory stays", Defect: "lets a run hand files to another by a socket in the workspace",
			File: dir + "/landlock_linux.go", Old: `allowed &^= landlock.AccessFSMakeSock`, New: `allowed &^= 0`,
			Dir: dir, Test: "^TestNoSocketInTheWorkspace$",
		},
		{
			Promise: "sandbox: delegation", Defect: "tells the operator nothing of the reason",
			File: "pkg/gateway/toolset/shell.go", Old: `level = zerolog.InfoLevel`, New: `level = zerolog.TraceLevel`,
			Dir: "cmd/gateway", Test: "^TestControlGroupsAreTold$",
		},
	}
}
