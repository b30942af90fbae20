#!/bin/sh
# Each fuzz target in the tree for $FUZZTIME. A finding is written by go test to
# testdata/fuzz beside the target and fails the run. Where the time is over while an
# input runs, go test may fail with "context deadline exceeded" and no finding: that
# target is run once more.
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
		fuzz() { $GO test -run '^$' -fuzz "^$name\$" -fuzztime "$1" -fuzzminimizetime 5s "$package" </dev/null; }
		if out=$(fuzz "$FUZZTIME" 2>&1); then
			echo "$out"
		elif echo "$out" | grep -q 'context deadline exceeded' && ! echo "$out" | grep -q 'Failing input'; then
			echo "$out" "(once more)"
			fuzz 100x
		else
			echo "$out"
			exit 1
		fi
	done
done
