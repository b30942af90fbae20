#!/bin/sh
# All tests, as `make test` runs them: vet for both kinds of build, then every
# test with the race detector where a C compiler works. The end is the table of
# docs/promises.md with what this run showed.
set -eu
cd "$(dirname "$0")/.."
: "${GO:=go}"

cc=$($GO env CC)
if probe=$(mktemp) && printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' |
	$cc -x c -o "$probe" - 2>/dev/null; then
	race=-race CGO_ENABLED=1
	echo "test: with the race detector (C compiler: $cc)"
else
	race='' CGO_ENABLED=0
	echo "test: without the race detector, because no C compiler works here (tried: $cc)"
fi
rm -f "$probe"
export CGO_ENABLED

$GO vet ./...
$GO vet -tags failpoint,testchannel ./...

$GO test -json -timeout 10m $race ./... | $GO run ./internal/promises/check docs/promises.md
