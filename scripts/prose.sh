#!/bin/sh
# The rates of two habits that make prose hard to read, in 1,000 words of each room's
# comments and of each page: what/who/whose/whoever (limit 3), and
# nothing/nobody/none/never/neither (limit 2.5). Rooms of up to 2,000 words and pages of
# up to 1,000 are summed. The count is a guide: the reader is the judge, and no sentence
# is made worse to pass it.
set -eu
cd "$(dirname "$0")/.."
exec "${GO:-go}" run ./internal/tools/prose/count
