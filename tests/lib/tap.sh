# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: BSD-2-Clause
# What the scripts in tests/check share; to be sourced.

failed=0

# verdict TEXT OFFENDERS: a line of TAP; good where there are no offenders.
verdict() {
	if [ -z "$2" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		printf '# %s\n' "${2//$'\n'/$'\n# '}"
		failed=1	# the script ends with: exit "$failed"
	fi
}
