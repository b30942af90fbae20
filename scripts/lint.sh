#!/bin/sh
# The linter at its pinned version: the one on PATH where it is that version,
# else built from the module proxy.
set -eu
cd "$(dirname "$0")/.."
: "${GO:=go}" "${LINT_VERSION:?}"

if command -v golangci-lint >/dev/null 2>&1 &&
	golangci-lint version 2>/dev/null | grep -q "version v\{0,1\}$LINT_VERSION "; then
	exec golangci-lint run ./...
fi
exec $GO run "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$LINT_VERSION" run ./...
