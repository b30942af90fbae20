#!/bin/sh
# The first minute of a newcomer: clones the repository into an empty folder and
# runs the commands of the README there, with nothing on PATH but Go, git, make
# and coreutils, an empty home folder, and questions on standard input instead of
# a keyboard. Sees answers with tool calls, or fails.
#
#   --worktree   the files as they are now instead of the last commit
#   --cold       empty caches: every module is downloaded, everything compiled
#   --test       also the README's second command, make test
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
: "${GO:=go}"

from=commit cold= tests=
for arg; do
	case $arg in
	--worktree) from=worktree ;;
	--cold) cold=1 ;;
	--test) tests=1 ;;
	*) echo "fresh-clone: unknown flag $arg" >&2; exit 2 ;;
	esac
done

scratch=$(mktemp -d)
chmod 755 "$scratch" # some tests run a command as another user
cleanup() {
	chmod -R u+w "$scratch" # the module cache is read-only
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

clone=$scratch/parley
if [ "$from" = commit ]; then
	git clone --quiet "$root" "$clone"
else
	git -C "$root" ls-files -z --cached --others --exclude-standard |
		(cd "$root" && xargs -0 sh -c 'for f; do [ ! -f "$f" ] || cp --parents "$f" "$0"; done' "$(mkdir "$clone" && echo "$clone")")
fi

mkdir "$scratch/bin" "$scratch/home" "$scratch/tmp"
for tool in "$GO" git make sh basename cat chmod cp cut date dirname env expr false head id ln ls \
	mkdir mktemp mv od pwd readlink rm rmdir sleep sort stat tail tee test touch tr true uname wc; do
	path=$(command -v "$tool") || continue
	case $path in /*) ln -s "$path" "$scratch/bin/${tool##*/}" ;; esac
done

if [ -n "$cold" ]; then
	modules=$scratch/modules builds=$scratch/builds
else
	modules=$($GO env GOMODCACHE) builds=$($GO env GOCACHE)
fi
bare() {
	env -i PATH="$scratch/bin" HOME="$scratch/home" TMPDIR="$scratch/tmp" TERM=dumb LANG=C.UTF-8 \
		GOMODCACHE="$modules" GOCACHE="$builds" GOPROXY="$($GO env GOPROXY)" GOSUMDB="$($GO env GOSUMDB)" \
		GOTOOLCHAIN="$($GO env GOTOOLCHAIN)" sh -c "cd '$clone' && $1"
}
fail() {
	echo "fresh-clone: $1" >&2
	[ ! -f "$scratch/screen" ] || cat "$scratch/screen" >&2
	exit 1
}

grep -q '^make run ' "$clone/README.md" || fail 'the README does not say "make run"'
grep -q '^make test ' "$clone/README.md" || fail 'the README does not say "make test"'

printf 'what is 17*23?\nlist the files in the workspace\n' |
	bare 'make run' >"$scratch/screen" 2>&1 || fail 'make run failed'
order=$(grep -noE '(^|[^0-9])391([^0-9]|$)|MEMORY\.md' "$scratch/screen" | cut -d: -f2 | tr -cd '391MEORY\n' | tr '\n' ' ')
case $order in
*391*MEMORY*) ;;
*) fail "no 391 followed by MEMORY.md (saw: $order)" ;;
esac
grep -q OPENAI_API_KEY "$scratch/screen" || fail 'the screen does not say how to connect a real model'
cat "$scratch/screen"

if [ -n "$tests" ]; then
	bare 'make test'
fi
echo 'fresh-clone: the README works as written'
