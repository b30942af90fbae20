//go:build linux

package sandbox

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Sockets are the ways of this process to make one that a program must not have, and
// those that it must have and does not.
func Sockets() string {
	var said []string
	if n := otherFamilies(); len(n) > 0 {
		said = append(said, fmt.Sprintf("families %v", n))
	}
	if rings() {
		said = append(said, "io_uring")
	}
	if sockets32() {
		said = append(said, "32 bits")
	}
	if pair, err := unix.Socketpair(unix.AF_NETLINK, unix.SOCK_DGRAM, 0); err != unix.EAFNOSUPPORT {
		said = append(said, fmt.Sprintf("socketpair of another family: %v %v", pair, err))
	}
	if _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); err != nil {
		said = append(said, fmt.Sprintf("no socketpair: %v", err))
	}
	for _, f := range families() {
		if _, err := unix.Socket(int(f), unix.SOCK_DGRAM, 0); err != nil {
			said = append(said, fmt.Sprintf("none of family %d: %v", f, err))
		}
	}
	return strings.Join(said, "; ")
}

// ScopesSockets says whether Landlock keeps a program from the abstract sockets of others.
func ScopesSockets() bool { return landlockVersion() >= 6 }

// ClosesFiles says whether CloseFiles has an effect here.
func ClosesFiles() bool { return landlockVersion() > 0 }

// Runs32 says whether programs of 32 bits run here.
func Runs32() bool {
	_, ran := run32()
	return ran
}

// Escapes are what the probes find where there is no sandbox.
func Escapes(ctx context.Context) ([]string, error) {
	r := &runner{o: Options{Unsafe: true}.withDefaults()}
	return r.probe(ctx)
}
