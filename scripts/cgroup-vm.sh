#!/bin/sh
# Tries runs in control groups (cgroup v2, which many build machines lack) in a small
# virtual machine: once as root in a group with the attribute that systemd sets, once as
# an ordinary user who owns the group. It installs nothing, and says what is missing.
# It takes some minutes and a Linux image, so .ci/run leaves it out: run it when
# pkg/sandbox changes.
#
#   KERNEL   the Linux image to start; else the newest one of /boot
#   RUN      which tests of pkg/sandbox run there, as go test's -run
set -eu
cd "$(dirname "$0")/.."
: "${GO:=go}"
: "${RUN:=^(TestControlGroups.*|TestMemoryOfAllKinds|TestForkBombEnds)$}"

missing=
need() { missing="$missing
  $1"; }
[ "$(uname -s) $(uname -m)" = 'Linux x86_64' ] || need 'Linux on amd64'
command -v qemu-system-x86_64 >/dev/null || need 'qemu-system-x86_64 (Debian: qemu-system-x86)'
command -v cpio >/dev/null || need 'cpio'
busybox=$(command -v busybox) || need 'busybox, statically linked (Debian: busybox-static)'
if [ -z "${KERNEL:-}" ]; then
	# shellcheck disable=SC2012 # names of kernels are plain
	KERNEL=$(ls -t /boot/vmlinuz-* 2>/dev/null | head -n 1)
fi
[ -r "${KERNEL:-}" ] || need 'a Linux image that can be read (Debian: linux-image-cloud-amd64, or KERNEL=PATH)'
if [ -n "$missing" ]; then
	echo "cgroup: not run, because this is missing:$missing" >&2
	exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
tree=$scratch/tree
mkdir -p "$tree/bin" "$tree/next/bin" "$tree/next/etc"
cp "$busybox" "$tree/bin/busybox"
cp "$busybox" "$tree/next/bin/busybox"
CGO_ENABLED=0 $GO test -c -o "$tree/next/sandbox.test" ./pkg/sandbox

# The first root cannot be left as the sandbox leaves it: the second one is a tmpfs.
cat >"$tree/init" <<'END'
#!/bin/busybox sh
/bin/busybox mkdir /new
/bin/busybox mount -t tmpfs -o mode=755 tmpfs /new
/bin/busybox cp -a /next/. /new/
exec /bin/busybox switch_root /new /init
END
cat >"$tree/next/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp TMPDIR=/tmp
mkdir -p /proc /sys /dev /tmp /usr /lib /var /run
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up
echo 'root:x:0:0::/:/bin/sh' >/etc/passwd
echo 'somebody:x:1234:1234::/tmp:/bin/sh' >>/etc/passwd
cd /sys/fs/cgroup && echo '+memory +pids +cpu' >cgroup.subtree_control
mkdir systemd user
/sandbox.test victim delegating /sys/fs/cgroup/systemd || exit 1
chown 1234 user user/cgroup.procs user/cgroup.subtree_control user/cgroup.threads
code=0
for who in systemd user; do
	echo "in the group $who:"
	as='exec sh -c'
	[ $who = systemd ] || as='exec su somebody -s /bin/sh -c'
	sh -c "echo \$\$ >/sys/fs/cgroup/$who/cgroup.procs; cd /tmp; $as 'exec /sandbox.test -test.v -test.parallel 1 -test.timeout 10m -test.run \"\$(cat /run-only)\"'" || code=1
	[ -z "$(find $who -name 'parley-run-*')" ] || { echo "groups are left: $(find $who -name 'parley-run-*')"; code=1; }
done
echo "all of it ended with $code"
poweroff -f
END
printf '%s' "$RUN" >"$tree/next/run-only"
chmod +x "$tree/init" "$tree/next/init"
(cd "$tree" && find . | cpio --quiet -o -H newc | gzip -1) >"$scratch/initrd"

# Without KVM: it works everywhere, and the tests set no store by speed.
timeout "${VM_TIMEOUT:-900}" qemu-system-x86_64 -accel tcg -cpu max -smp 2 -m 2048 -no-reboot \
	-nodefaults -display none -serial stdio -kernel "$KERNEL" -initrd "$scratch/initrd" \
	-append 'console=ttyS0 quiet panic=-1' </dev/null | tee "$scratch/serial"
tr -d '\r' <"$scratch/serial" >"$scratch/out"
if grep -q 'TestControlGroups.*not run\|^--- SKIP: TestControlGroups' "$scratch/out"; then
	echo 'cgroup: the machine has no control group for the tests' >&2
	exit 1
fi
grep -q '^all of it ended with 0$' "$scratch/out"
