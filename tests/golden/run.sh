#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Golden tests: run.sh [--update] [CASE...]
#
# A case is a folder under cases/ with a file cmd: shell commands in which
# `rocetrace` is the program under test ($ROCETRACE, default build/rocetrace) and
# the working directory is tests/data. Compared with what they did:
#	expected.out	standard output; JSON is brought into one form by golden.jq
#	expected.err	standard error; not there: nothing may be written
#	expected.rc	exit status; not there: 0
# Time zone, locale and terminal are fixed. --update writes the expected files anew:
# read the difference before you commit it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
program=${ROCETRACE:-$root/build/rocetrace}
case $program in /*) ;; *) program=$(pwd)/$program ;; esac
update=
[ "${1:-}" = --update ] && update=1 && shift
[ -x "$program" ] || { echo "$program is not there: make" >&2; exit 1; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/rocetrace"
export TZ=UTC LC_ALL=C.UTF-8 TERM=dumb TMPDIR="$work" PATH="$work/bin:$PATH"
unset COLUMNS NO_COLOR

# what a case's commands did, into $work/{out,err,rc}
run_case()
{
	(cd "$root/tests/data" && sh "$1/cmd") >"$work/raw" 2>"$work/err" </dev/null
	echo $? >"$work/rc"
	case $(head -c 1 "$work/raw") in
	"{") jq -S -f "$here/golden.jq" "$work/raw" >"$work/out" ;;
	*) sed -E -f "$here/golden.sed" "$work/raw" >"$work/out" ;;
	esac
}

# a file that is not there stands for its usual content
expect()
{
	if [ -f "$1" ]; then cat "$1"; else printf '%s' "$2"; fi
}

compare()
{
	expect "$1/expected.out" '' >"$work/want"
	diff -u "$work/want" "$work/out" || return 1
	expect "$1/expected.err" '' >"$work/want"
	diff -u "$work/want" "$work/err" || return 1
	expect "$1/expected.rc" "0
" >"$work/want"
	diff -u "$work/want" "$work/rc"
}

keep()
{
	rm -f "$1"/expected.*
	cp "$work/out" "$1/expected.out"
	if [ -s "$work/err" ]; then cp "$work/err" "$1/expected.err"; fi
	if [ "$(cat "$work/rc")" != 0 ]; then cp "$work/rc" "$1/expected.rc"; fi
}

[ $# -gt 0 ] || set -- "$here"/cases/*
[ -n "$update" ] || echo "1..$#"
failed=0
for dir in "$@"; do
	name=${dir##*/}
	dir=$here/cases/$name
	run_case "$dir"
	if [ -n "$update" ]; then
		keep "$dir"
	elif compare "$dir" >"$work/diff"; then
		echo "ok - $name"
	else
		failed=1
		echo "not ok - $name"
		cat "$work/diff"
	fi
done
exit $failed
