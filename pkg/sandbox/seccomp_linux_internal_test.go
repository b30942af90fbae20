//go:build linux

package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// ask asks the filter of a processor about a call, of which data are the words by offset.
func ask(t *testing.T, goarch string, shares bool, data map[int]uint32) int {
	t.Helper()
	vm, err := bpf.NewVM(filter(abis(goarch), shares))
	if err != nil {
		t.Fatal(err)
	}
	// The kernel's filters read words as the processor does, this machine big-endian ones.
	b := make([]byte, 64)
	for offset, v := range data {
		binary.BigEndian.PutUint32(b[offset:], v)
	}
	got, err := vm.Run(b)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestFilter asks the filters of both processors about calls of each kind of
// program. TestSockets asks the kernel about that of this one.
func TestFilter(t *testing.T) {
	t.Parallel()
	const (
		allow    = unix.SECCOMP_RET_ALLOW
		missing  = unix.SECCOMP_RET_ERRNO | int(unix.ENOSYS)
		noFamily = unix.SECCOMP_RET_ERRNO | int(unix.EAFNOSUPPORT)
		noMemory = unix.SECCOMP_RET_ERRNO | int(unix.ENOMEM)
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
		{"memfd_create", "amd64", unix.AUDIT_ARCH_X86_64, 319, 0, missing},
		{"shmget", "amd64", unix.AUDIT_ARCH_X86_64, 29, 0, missing},
		{"shmget, 32 bits", "amd64", unix.AUDIT_ARCH_I386, 395, 0, missing},
		{"ipc, 32 bits", "amd64", unix.AUDIT_ARCH_I386, 117, 0, missing},
		{"the first mmap, 32 bits", "amd64", unix.AUDIT_ARCH_I386, 90, 0, missing},
		{"memfd_create", "arm64", unix.AUDIT_ARCH_AARCH64, 279, 0, missing},
		{"memfd_create, 32 bits", "arm64", unix.AUDIT_ARCH_ARM, 385, 0, missing},
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
			data := map[int]uint32{
				dataNumber:          c.call,
				dataArch:            c.arch,
				dataArgument:        uint32(c.argument),
				dataArgument + word: uint32(c.argument >> 32),
			}
			if got := ask(t, c.goarch, false, data); got != c.want {
				t.Errorf("got %#x, want %#x", got, c.want)
			}
		})
	}
	for _, goarch := range []string{"amd64", "arm64"} {
		for _, a := range abis(goarch) {
			for _, c := range []struct {
				name string
				data map[int]uint32
				want int
			}{
				{"memory of its own", map[int]uint32{dataNumber: a.mmap, dataFlags: unix.MAP_ANONYMOUS | unix.MAP_PRIVATE | unix.MAP_NORESERVE}, allow},
				{"a shared file", map[int]uint32{dataNumber: a.mmap, dataFlags: unix.MAP_SHARED}, allow},
				{"shared memory", map[int]uint32{dataNumber: a.mmap, dataFlags: unix.MAP_ANONYMOUS | unix.MAP_SHARED}, noMemory},
				{
					"shared memory, validated",
					map[int]uint32{dataNumber: a.mmap, dataFlags: unix.MAP_ANONYMOUS | unix.MAP_SHARED_VALIDATE | unix.MAP_POPULATE},
					noMemory,
				},
				{
					"a larger buffer",
					map[int]uint32{dataNumber: a.setsockopt, dataLevel: unix.SOL_SOCKET, dataOption: unix.SO_SNDBUF},
					unix.SECCOMP_RET_ERRNO,
				},
				{"another option", map[int]uint32{dataNumber: a.setsockopt, dataLevel: unix.SOL_SOCKET, dataOption: unix.SO_RCVBUF}, allow},
				{"an option of a protocol", map[int]uint32{dataNumber: a.setsockopt, dataLevel: unix.IPPROTO_TCP, dataOption: unix.SO_SNDBUF}, allow},
			} {
				c.data[dataArch] = a.arch
				if got := ask(t, goarch, false, c.data); got != c.want {
					t.Errorf("%s, %#x: %s: got %#x, want %#x", goarch, a.arch, c.name, got, c.want)
				}
			}
		}
	}
	if n := len(abis("mips")); n > 0 {
		t.Errorf("a processor that nobody knows has %d tables", n)
	}
}

// TestFilterOfCountedMemory: where a group counts the memory of a run, its programs may
// share it, but have no large pages, which no group counts. All else stays refused.
func TestFilterOfCountedMemory(t *testing.T) {
	t.Parallel()
	const (
		allow    = unix.SECCOMP_RET_ALLOW
		missing  = unix.SECCOMP_RET_ERRNO | int(unix.ENOSYS)
		noFamily = unix.SECCOMP_RET_ERRNO | int(unix.EAFNOSUPPORT)
		noMemory = unix.SECCOMP_RET_ERRNO | int(unix.ENOMEM)
		hugeShm  = 0o4000
	)
	for goarch, n := range map[string]struct{ arch, memfd, shmget, semget, arch32, memfd32, shmget32 uint32 }{
		"amd64": {unix.AUDIT_ARCH_X86_64, 319, 29, 64, unix.AUDIT_ARCH_I386, 356, 395},
		"arm64": {unix.AUDIT_ARCH_AARCH64, 279, 194, 190, unix.AUDIT_ARCH_ARM, 385, 307},
	} {
		socket, mmap := abis(goarch)[0].socket, abis(goarch)[0].mmap
		for name, c := range map[string]struct {
			data map[int]uint32
			want int
		}{
			"memory without a name": {map[int]uint32{dataArch: n.arch, dataNumber: n.memfd, dataArgument + 8: unix.MFD_CLOEXEC}, allow},
			"the same of large pages": {
				map[int]uint32{dataArch: n.arch, dataNumber: n.memfd, dataArgument + 8: unix.MFD_CLOEXEC | unix.MFD_HUGETLB},
				noMemory,
			},
			"a segment":                {map[int]uint32{dataArch: n.arch, dataNumber: n.shmget, dataArgument + 16: 0o1600}, allow},
			"a segment of large pages": {map[int]uint32{dataArch: n.arch, dataNumber: n.shmget, dataArgument + 16: 0o1600 | hugeShm}, noMemory},
			"semaphores":               {map[int]uint32{dataArch: n.arch, dataNumber: n.semget}, missing},
			"shared memory": {
				map[int]uint32{dataArch: n.arch, dataNumber: mmap, dataArgument + 24: unix.MAP_ANONYMOUS | unix.MAP_SHARED},
				allow,
			},
			"large pages": {
				map[int]uint32{dataArch: n.arch, dataNumber: mmap, dataArgument + 24: unix.MAP_ANONYMOUS | unix.MAP_PRIVATE | unix.MAP_HUGETLB},
				noMemory,
			},
			"shared large pages": {
				map[int]uint32{dataArch: n.arch, dataNumber: mmap, dataArgument + 24: unix.MAP_ANONYMOUS | unix.MAP_SHARED | unix.MAP_HUGETLB},
				noMemory,
			},
			"a secret":                   {map[int]uint32{dataArch: n.arch, dataNumber: 447}, missing},
			"vsock":                      {map[int]uint32{dataArch: n.arch, dataNumber: socket, dataArgument: unix.AF_VSOCK}, noFamily},
			"a local socket":             {map[int]uint32{dataArch: n.arch, dataNumber: socket, dataArgument: unix.AF_UNIX}, allow},
			"another processor":          {map[int]uint32{dataArch: 1, dataNumber: mmap}, missing},
			"memory of 32 bits, no name": {map[int]uint32{dataArch: n.arch32, dataNumber: n.memfd32}, missing},
			"a segment of 32 bits":       {map[int]uint32{dataArch: n.arch32, dataNumber: n.shmget32}, missing},
		} {
			if got := ask(t, goarch, true, c.data); got != c.want {
				t.Errorf("%s: %s: got %#x, want %#x", goarch, name, got, c.want)
			}
		}
	}
}
