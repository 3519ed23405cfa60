# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# What the scripts of this folder share; to be sourced.

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# need COMMAND PACKAGE...: pairs; names everything missing in one go.
need() {
	local missing=()

	while (($#)); do
		command -v "$1" > /dev/null || missing+=("$2")
		shift 2
	done
	((${#missing[@]} == 0)) || die "missing: apt-get install ${missing[*]}"
}

# A wait that starts no process: in a guest without KVM each costs as much as a
# packet burst. Nothing ever comes out of this pipe.
exec {nothing}<> <(:)
nap() {
	read -rt "$1" -u "$nothing" || true
}

# wait_for SECONDS COMMAND...: until it succeeds; false when time is up.
wait_for() {
	local deadline=$((SECONDS + $1))
	shift

	until "$@"; do
		((SECONDS < deadline)) || return 1
		nap 0.1
	done
}
