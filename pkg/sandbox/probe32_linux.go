package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// program32 is a program of 32 bits that ends with 1 when it can make a socket of the
// family NETLINK, by socket or by socketcall, and with 0 when it cannot. Nil: there
// is no such program for this processor.
func program32(goarch string) []byte {
	switch goarch {
	case "amd64":
		const machine386 = 3
		return elf32(machine386, 0, []byte{
			0x6a, 0x00, 0x6a, 0x03, 0x6a, 0x10, // on the stack: 0, SOCK_RAW, AF_NETLINK
			0x89, 0xe1, // ecx: the stack
			0x31, 0xdb, 0x43, // ebx: SYS_SOCKET
			0x6a, 0x66, 0x58, // eax: socketcall
			0xcd, 0x80, 0x85, 0xc0, 0x79, 0x1e, // the call; when it was made, on to 1
			0xb8, 0x67, 0x01, 0x00, 0x00, // eax: socket
			0xbb, 0x10, 0x00, 0x00, 0x00, // ebx: AF_NETLINK
			0xb9, 0x03, 0x00, 0x00, 0x00, // ecx: SOCK_RAW
			0x31, 0xd2, // edx: 0
			0xcd, 0x80, 0x85, 0xc0, 0x79, 0x07, // the call; when it was made, on to 1
			0x31, 0xdb, 0x31, 0xc0, 0x40, // ebx: 0, eax: exit
			0xcd, 0x80,
			0xbb, 0x01, 0x00, 0x00, 0x00, // ebx: 1
			0xb8, 0x01, 0x00, 0x00, 0x00, // eax: exit
			0xcd, 0x80,
		})
	case "arm64":
		const machineARM, eabi5 = 40, 0x05000000
		var code []byte
		for _, instruction := range []uint32{
			0xe3a00010, 0xe3a01003, 0xe3a02000, // r0: AF_NETLINK, r1: SOCK_RAW, r2: 0
			0xe3007119, 0xef000000, // r7: socket, and the call
			0xe3500000, 0xa3a00001, 0xb3a00000, // r0: 1 when it was made, else 0
			0xe3a07001, 0xef000000, // r7: exit, and the call
		} {
			code = binary.LittleEndian.AppendUint32(code, instruction)
		}
		return elf32(machineARM, eabi5, code)
	default:
		return nil
	}
}

// elf32 is the smallest file of a program: a header, one segment, the code.
func elf32(machine uint16, flags uint32, code []byte) []byte {
	const (
		base, headers = 0x10000000, 52 + 32
		page          = 0x1000
		readExecute   = 5
	)
	size := uint32(headers + len(code)) //nolint:gosec // G115: the code above
	var b bytes.Buffer
	for _, field := range []any{
		[]byte("\x7fELF\x01\x01\x01"), make([]byte, 9), // 32 bits, little-endian
		uint16(2), machine, uint32(1), // an executable
		uint32(base + headers), uint32(52), uint32(0), // where it begins, its segments
		flags, uint16(52), uint16(32), uint16(1), uint16(40), uint16(0), uint16(0),
		uint32(1), uint32(0), uint32(base), uint32(base), size, size, uint32(readExecute), uint32(page), // the segment
		code,
	} {
		_ = binary.Write(&b, binary.LittleEndian, field) // a buffer takes all
	}
	return b.Bytes()
}

// sockets32 says whether a program of 32 bits can make a forbidden socket.
func sockets32() bool {
	code, ran := run32()
	return ran && code == 1
}

// run32 runs the program of 32 bits. Many systems cannot run it.
func run32() (code int, ran bool) {
	dir, err := os.MkdirTemp("", "parley-probe-")
	if err != nil {
		return 0, false
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "program")
	if os.WriteFile(name, program32(runtime.GOARCH), 0o700) != nil { //nolint:gosec // G306: it is run
		return 0, false
	}
	pid, err := syscall.ForkExec(name, []string{name}, &syscall.ProcAttr{Env: []string{}}) //nolint:gosec // G204: written above
	if err != nil {
		return 0, false
	}
	var status syscall.WaitStatus
	_, err = syscall.Wait4(pid, &status, 0, nil)
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Wait4(pid, &status, 0, nil)
	}
	return status.ExitStatus(), err == nil && status.Exited()
}
