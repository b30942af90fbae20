package socket

import "golang.org/x/sys/unix"

// kernelPeer is the user at the other end of a Unix socket, with their groups.
func kernelPeer(fd int) (Peer, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return Peer{}, err
	}
	p := Peer{UID: int(cred.Uid)}
	for _, g := range cred.Groups[:max(0, min(int(cred.Ngroups), len(cred.Groups)))] {
		p.Groups = append(p.Groups, int(g))
	}
	return p, nil
}
