package engine_test

import "syscall"

// mountSmall makes a small file system at dir, which only root can.
func mountSmall(dir, size string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size) }

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
