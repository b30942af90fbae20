package socket

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelPeer is the user at the other end of a Unix socket, with all of their groups.
func kernelPeer(fd int) (Peer, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Peer{}, err
	}
	p := Peer{UID: int(cred.Uid), Groups: []int{int(cred.Gid)}}
	more, err := peerGroups(fd)
	if errors.Is(err, unix.ENOPROTOOPT) { // a kernel before 4.13 knows the first group alone
		return p, nil
	}
	for _, g := range more {
		p.Groups = append(p.Groups, int(g))
	}
	return p, err
}

// maxGroups is how many groups Linux lets a process have.
const maxGroups = 1 << 16

// peerGroups are the supplementary groups at the other end. Package unix has no call for them.
func peerGroups(fd int) ([]uint32, error) {
	const usual = 64
	for n := usual; ; n = maxGroups {
		groups := make([]uint32, n)
		size := uint32(n) * uint32(unsafe.Sizeof(groups[0]))
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_PEERGROUPS,
			uintptr(unsafe.Pointer(&groups[0])), uintptr(unsafe.Pointer(&size)), 0) //nolint:gosec // the kernel fills both
		switch {
		case errno == 0:
			return groups[:size/uint32(unsafe.Sizeof(groups[0]))], nil
		case errno != unix.ERANGE || n == maxGroups:
			return nil, errno
		}
	}
}
