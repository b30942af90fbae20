#!/bin/sh
# Each fuzz target in the tree for $FUZZTIME. A finding is written by go test to
# testdata/fuzz beside the target and fails the run.
set -eu
cd "$(dirname "$0")/.."
: "${GO:=go}" "${FUZZTIME:=5s}"

targets=$(grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' pkg internal cmd | wc -l)
[ "$targets" -gt 0 ] || { echo "fuzz: no target found" >&2; exit 1; }
echo "fuzz: $targets targets, $FUZZTIME each"

grep -rlE --include='*_test.go' '^func Fuzz' pkg internal cmd | sort | while read -r file; do
	package=./$(dirname "$file")
	grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | while read -r _ name; do
		echo "fuzz: $package $name"
		$GO test -run '^$' -fuzz "^$name\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 5s "$package" </dev/null
	done
done
