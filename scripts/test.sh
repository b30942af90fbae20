#!/bin/sh
# The tests. As `make test` runs them: vet, then every suite with the smallest
# population that shows its promise, without the race detector. With --all, as
# `make check` runs them: vet for both kinds of build, then everything with its full
# population, with the race detector where a C compiler works. The end names the
# slowest tests, and the promises of docs/promises.yaml that the run did not show.
set -eu
cd "$(dirname "$0")/.."
: "${GO:=go}"

# The tests wait more than they compute, so more of them run at once than there are cores.
flags='-short -parallel 4 -timeout 10m'
export CGO_ENABLED=0
if [ "${1:-}" = --all ]; then
	flags='-p 3 -timeout 30m'
	cc=$($GO env CC)
	if probe=$(mktemp) && printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' |
		$cc -x c -o "$probe" - 2>/dev/null; then
		flags="$flags -race" CGO_ENABLED=1
		echo "check: with the race detector (C compiler: $cc)"
	else
		echo "check: without the race detector, because no C compiler works here (tried: $cc)"
	fi
	rm -f "$probe"
	$GO vet -tags failpoint,testchannel ./...
fi
$GO vet ./...
# The flags are words.
# shellcheck disable=SC2086
$GO test -json -vet=off $flags ./... | $GO run ./internal/tools/promises/check docs/promises.yaml
