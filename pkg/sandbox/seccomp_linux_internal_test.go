package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// TestFilter asks the filters of both processors about calls of each kind of
// program. TestSockets asks the kernel about that of this one.
func TestFilter(t *testing.T) {
	t.Parallel()
	const (
		allow    = unix.SECCOMP_RET_ALLOW
		missing  = unix.SECCOMP_RET_ERRNO | int(unix.ENOSYS)
		noFamily = unix.SECCOMP_RET_ERRNO | int(unix.EAFNOSUPPORT)
		high     = 1 << 32 // the kernel looks at the lower half of a family
	)
	for _, c := range []struct {
		name, goarch string
		arch, call   uint32
		argument     uint64
		want         int
	}{
		{"read", "amd64", unix.AUDIT_ARCH_X86_64, 0, 0, allow},
		{"a local socket", "amd64", unix.AUDIT_ARCH_X86_64, 41, unix.AF_UNIX, allow},
		{"an internet socket", "amd64", unix.AUDIT_ARCH_X86_64, 41, unix.AF_INET6, allow},
		{"vsock", "amd64", unix.AUDIT_ARCH_X86_64, 41, unix.AF_VSOCK, noFamily},
		{"vsock behind a high half", "amd64", unix.AUDIT_ARCH_X86_64, 41, unix.AF_VSOCK + high, noFamily},
		{"a local socket behind a high half", "amd64", unix.AUDIT_ARCH_X86_64, 41, unix.AF_UNIX + high, allow},
		{"a pair", "amd64", unix.AUDIT_ARCH_X86_64, 53, unix.AF_UNIX, allow},
		{"a pair of netlink", "amd64", unix.AUDIT_ARCH_X86_64, 53, unix.AF_NETLINK, noFamily},
		{"io_uring", "amd64", unix.AUDIT_ARCH_X86_64, unix.SYS_IO_URING_SETUP, 1, missing},
		{"x32", "amd64", unix.AUDIT_ARCH_X86_64, 41 | 1<<30, unix.AF_VSOCK, missing},
		{"a local socket in x32", "amd64", unix.AUDIT_ARCH_X86_64, 41 | 1<<30, unix.AF_UNIX, missing},
		{"a number below 0", "amd64", unix.AUDIT_ARCH_X86_64, 1<<32 - 1, 0, missing},
		{"write, 32 bits", "amd64", unix.AUDIT_ARCH_I386, 4, 0, allow},
		{"a number of the other table", "amd64", unix.AUDIT_ARCH_I386, 41, unix.AF_VSOCK, allow},
		{"vsock, 32 bits", "amd64", unix.AUDIT_ARCH_I386, 359, unix.AF_VSOCK, noFamily},
		{"a pair of netlink, 32 bits", "amd64", unix.AUDIT_ARCH_I386, 360, unix.AF_NETLINK, noFamily},
		{"a local socket, 32 bits", "amd64", unix.AUDIT_ARCH_I386, 359, unix.AF_UNIX, allow},
		{"socketcall", "amd64", unix.AUDIT_ARCH_I386, 102, 1, missing},
		{"io_uring, 32 bits", "amd64", unix.AUDIT_ARCH_I386, unix.SYS_IO_URING_ENTER, 1, missing},
		{"another processor", "amd64", unix.AUDIT_ARCH_AARCH64, 198, unix.AF_UNIX, missing},
		{"read", "arm64", unix.AUDIT_ARCH_AARCH64, 63, 0, allow},
		{"an internet socket", "arm64", unix.AUDIT_ARCH_AARCH64, 198, unix.AF_INET, allow},
		{"vsock", "arm64", unix.AUDIT_ARCH_AARCH64, 198, unix.AF_VSOCK, noFamily},
		{"a pair of netlink", "arm64", unix.AUDIT_ARCH_AARCH64, 199, unix.AF_NETLINK, noFamily},
		{"io_uring", "arm64", unix.AUDIT_ARCH_AARCH64, unix.SYS_IO_URING_REGISTER, 1, missing},
		{"vsock, 32 bits", "arm64", unix.AUDIT_ARCH_ARM, 281, unix.AF_VSOCK, noFamily},
		{"a local socket, 32 bits", "arm64", unix.AUDIT_ARCH_ARM, 281, unix.AF_UNIX, allow},
		{"a pair of netlink, 32 bits", "arm64", unix.AUDIT_ARCH_ARM, 288, unix.AF_NETLINK, noFamily},
		{"socketcall", "arm64", unix.AUDIT_ARCH_ARM, 102, 1, missing},
		{"another processor", "arm64", unix.AUDIT_ARCH_X86_64, 41, unix.AF_UNIX, missing},
	} {
		t.Run(c.goarch+" "+c.name, func(t *testing.T) {
			t.Parallel()
			vm, err := bpf.NewVM(filter(abis(c.goarch)))
			if err != nil {
				t.Fatal(err)
			}
			// The kernel's filters read words as the processor does, this machine big-endian ones.
			data := make([]byte, 64)
			for offset, v := range map[int]uint32{dataNumber: c.call, dataArch: c.arch, dataArgument: uint32(c.argument), dataArgument + word: uint32(c.argument >> 32)} {
				binary.BigEndian.PutUint32(data[offset:], v)
			}
			if got, err := vm.Run(data); err != nil || got != c.want {
				t.Errorf("got %#x, %v, want %#x", got, err, c.want)
			}
		})
	}
	if n := len(abis("mips")); n > 0 {
		t.Errorf("a processor that nobody knows has %d tables", n)
	}
}
