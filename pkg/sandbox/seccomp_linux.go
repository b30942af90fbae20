package sandbox

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// abi is a way in which programs call the kernel: its name in linux/audit.h, and the
// numbers that calls have in it.
type abi struct {
	arch uint32
	// below bounds the numbers, where the kernel has another table behind them; else 0.
	below uint32
	// socket and socketpair may be called for the families of families alone.
	socket, socketpair uint32
	// mmap may be called for all but shared memory without a file.
	mmap uint32
	// setsockopt may be called, but makes no buffer larger.
	setsockopt uint32
	// refused are the calls that a program finds missing: those that make sockets in
	// other ways, and those by which memory is held that counts as no process's.
	refused []uint32
	// memfd and shmget are two of the refused that make memory. Where a group counts it
	// they may be called, but not for large pages, which no group counts. 0: they may not.
	memfd, shmget uint32
}

// families are the kinds of sockets that a program may have: without the network,
// these alone reach no place outside of the sandbox. VSOCK and others would.
func families() []uint32 { return []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6} }

// abis are those of a processor, as GOARCH names it, with programs of 32 bits. The
// numbers are those of the kernel's tables; x/sys/unix has the own ones only.
func abis(goarch string) []abi {
	// io_uring makes sockets without a call that a filter sees. Newer calls have the
	// same number everywhere.
	const memfdSecret = 447
	everywhere := []uint32{425, 426, 427, memfdSecret}
	// The calls of 32 bits whose arguments are in memory, which a filter cannot read: the
	// first mmap, socketcall, and ipc.
	inMemory := []uint32{90, 102, 117}
	const x32 = 0x40000000
	switch goarch {
	case "amd64":
		return []abi{
			{
				arch: unix.AUDIT_ARCH_X86_64, below: x32, socket: 41, socketpair: 53, mmap: 9, setsockopt: 54, shmget: 29, memfd: 319,
				refused: slices.Concat(everywhere, []uint32{29, 64, 68, 319, 321}), // shmget, semget, msgget, memfd_create, bpf
			},
			{
				arch: unix.AUDIT_ARCH_I386, socket: 359, socketpair: 360, mmap: 192, setsockopt: 366,
				refused: slices.Concat(everywhere, inMemory, []uint32{395, 393, 399, 356, 357}),
			},
		}
	case "arm64":
		return []abi{
			{
				arch: unix.AUDIT_ARCH_AARCH64, socket: 198, socketpair: 199, mmap: 222, setsockopt: 208, shmget: 194, memfd: 279,
				refused: slices.Concat(everywhere, []uint32{194, 190, 186, 279, 280}),
			},
			{
				arch: unix.AUDIT_ARCH_ARM, socket: 281, socketpair: 288, mmap: 192, setsockopt: 294,
				refused: slices.Concat(everywhere, inMemory, []uint32{307, 299, 303, 385, 386}),
			},
		}
	default:
		return nil
	}
}

// The offsets in the kernel's struct seccomp_data. The first argument has eight bytes,
// of which the lower four come first on all processors that abis knows.
const (
	dataNumber   = 0
	dataArch     = 4
	dataArgument = 16
	dataLevel    = dataArgument + 1*8 // of setsockopt
	dataOption   = dataArgument + 2*8
	dataFlags    = dataArgument + 3*8 // of mmap
	dataMemfd    = dataArgument + 1*8 // its flags
	dataShmget   = dataArgument + 2*8
	word         = 4
)

// filter is the program that the kernel asks about each call. The error of a refused
// call says that the call does not exist, that of a refused family that the family does
// not exist, and that of shared memory that there is no more memory. A larger buffer is
// granted but not given. If memory may be shared, large pages are refused instead.
func filter(of []abi, shares bool) []bpf.Instruction { //nolint:revive // flag-parameter: a group says it
	missing := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	noFamily := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)}
	noMemory := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOMEM)}
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

	// A page of shared memory without a file outlives its mappings as long as a process
	// maps another page of it, so such memory cannot be counted. MAP_SHARED is a bit of
	// MAP_SHARED_VALIDATE, and of no other kind.
	memory := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataFlags, Size: word},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.MAP_ANONYMOUS, SkipFalse: 2},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.MAP_SHARED, SkipFalse: 1},
		noMemory,
		allow,
	}
	if shares {
		memory = unless(dataFlags, unix.MAP_HUGETLB, noMemory, allow)
	}
	// The kernel counts the bytes in a socket's buffer as memory of no process. The kernel may always
	// give less than is asked for, so the call succeeds.
	buffers := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataLevel, Size: word},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOL_SOCKET, SkipFalse: 3},
		bpf.LoadAbsolute{Off: dataOption, Size: word},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SO_SNDBUF, SkipFalse: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO}, // 0: done
		allow,
	}
	kinds := []bpf.Instruction{bpf.LoadAbsolute{Off: dataArgument, Size: word}}
	for _, f := range families() {
		kinds = append(kinds, bpf.JumpIf{Cond: bpf.JumpEqual, Val: f, SkipFalse: 1}, allow)
	}
	kinds = append(kinds, noFamily)

	program := []bpf.Instruction{bpf.LoadAbsolute{Off: dataArch, Size: word}}
	for _, a := range of {
		calls := []bpf.Instruction{bpf.LoadAbsolute{Off: dataNumber, Size: word}}
		if a.below > 0 {
			calls = append(calls, bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: a.below, SkipFalse: 1}, missing)
		}
		if shares && a.memfd > 0 {
			const hugeSegment = 0o4000 // SHM_HUGETLB
			calls = append(calls, bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.memfd, SkipFalse: 4})
			calls = append(calls, unless(dataMemfd, unix.MFD_HUGETLB, noMemory, allow)...)
			calls = append(calls, bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.shmget, SkipFalse: 4})
			calls = append(calls, unless(dataShmget, hugeSegment, noMemory, allow)...)
		}
		for _, n := range a.refused {
			calls = append(calls, bpf.JumpIf{Cond: bpf.JumpEqual, Val: n, SkipFalse: 1}, missing)
		}
		calls = append(calls, onlyFor(a.mmap, memory)...)
		calls = append(calls, onlyFor(a.setsockopt, buffers)...)
		calls = append(calls,
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.socket, SkipTrue: 2},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.socketpair, SkipTrue: 1},
			allow,
		)
		calls = append(calls, kinds...)
		program = append(program, onlyFor(a.arch, calls)...)
	}
	return append(program, missing)
}

// onlyFor runs the instructions if the loaded number is the value.
func onlyFor(value uint32, then []bpf.Instruction) []bpf.Instruction {
	skip := bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipFalse: uint8(len(then))} //nolint:gosec // G115: far below 256
	return append([]bpf.Instruction{skip}, then...)
}

// unless allows a call, but not with a flag.
func unless(offset, flag uint32, refused, allow bpf.Instruction) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: offset, Size: word},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: flag, SkipFalse: 1},
		refused,
		allow,
	}
}

// filterCalls puts the filter before this thread, and before whatever it becomes.
func filterCalls(shares bool) error {
	of := abis(runtime.GOARCH)
	if len(of) == 0 {
		return fmt.Errorf("the filter of system calls is not written for %s, only for amd64 and arm64", runtime.GOARCH)
	}
	raw, err := bpf.Assemble(filter(of, shares))
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	//nolint:gosec // G115: far below 65536
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	//nolint:gosec // G103: a system call without a wrapper
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("the kernel takes no filter of system calls (CONFIG_SECCOMP_FILTER): %w", errno)
	}
	return nil
}
