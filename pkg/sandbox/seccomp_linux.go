package sandbox

import (
	"fmt"
	"runtime"
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
	// refused are the calls that a program finds missing.
	refused []uint32
}

// families are the kinds of sockets that a program may have: without the network,
// these alone reach nothing outside of the sandbox's own. VSOCK and others would.
func families() []uint32 { return []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6} }

// abis are those of a processor, as GOARCH names it, with programs of 32 bits. The
// numbers are those of the kernel's tables; x/sys/unix has the own ones only.
func abis(goarch string) []abi {
	// io_uring makes sockets without a call that a filter sees; its three calls have
	// the same numbers everywhere.
	ring := []uint32{425, 426, 427}
	const socketcall, x32 = 102, 0x40000000 // socketcall's arguments are in memory, where no filter looks
	switch goarch {
	case "amd64":
		return []abi{
			{arch: unix.AUDIT_ARCH_X86_64, below: x32, socket: 41, socketpair: 53, refused: ring},
			{arch: unix.AUDIT_ARCH_I386, socket: 359, socketpair: 360, refused: append(ring, socketcall)},
		}
	case "arm64":
		return []abi{
			{arch: unix.AUDIT_ARCH_AARCH64, socket: 198, socketpair: 199, refused: ring},
			{arch: unix.AUDIT_ARCH_ARM, socket: 281, socketpair: 288, refused: append(ring, socketcall)},
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
	word         = 4
)

// filter is the program that the kernel asks about each call. A refused call says
// that there is none; a family that is not allowed says that there is no such family.
func filter(of []abi) []bpf.Instruction {
	missing := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	noFamily := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)}
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

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
		for _, n := range a.refused {
			calls = append(calls, bpf.JumpIf{Cond: bpf.JumpEqual, Val: n, SkipFalse: 1}, missing)
		}
		calls = append(calls,
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.socket, SkipTrue: 2},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.socketpair, SkipTrue: 1},
			allow,
		)
		calls = append(calls, kinds...)
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.arch, SkipFalse: uint8(len(calls))}) //nolint:gosec // G115: far below 256
		program = append(program, calls...)
	}
	return append(program, missing)
}

// filterCalls puts the filter before this thread, and before whatever it becomes.
func filterCalls() error {
	of := abis(runtime.GOARCH)
	if len(of) == 0 {
		return fmt.Errorf("the filter of system calls is not written for %s, only for amd64 and arm64", runtime.GOARCH)
	}
	raw, err := bpf.Assemble(filter(of))
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}                                                                //nolint:gosec // G115: far below 65536
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); errno != 0 { //nolint:gosec // G103: a system call without a wrapper
		return fmt.Errorf("the kernel takes no filter of system calls (CONFIG_SECCOMP_FILTER): %w", errno)
	}
	return nil
}
