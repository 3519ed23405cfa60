// SPDX-License-Identifier: BSD-2-Clause
/*
 * A fuzz target over its corpus, without a fuzzer: replay_NAME [FILE...]. Without a
 * file: all of tests/fuzz/corpus/NAME, which is how every crash ever found stays a test.
 */
#include <dirent.h>
#include <stdio.h>

#include "fuzz/fuzz.h"
#include "lib/tap.h"

#define INPUT_MAX	(16u << 20)

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_input(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(INPUT_MAX), *copy;
	size_t n;

	if (!f || !data) {
		rct_tap(false, "%s: cannot be read", path);
		goto out;
	}
	n = fread(data, 1, INPUT_MAX, f);
	/* should it crash, the last line names it */
	printf("# %s\n", path);
	fflush(stdout);
	copy = fuzz_copy(data, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
	rct_tap(true, "%s", path);
out:
	free(data);
	if (f)
		fclose(f);
}

static void replay_folder(const char *dir)
{
	struct dirent **list = NULL;
	char path[1024];
	int n = scandir(dir, &list, is_input, by_name);

	if (n <= 0)
		rct_tap(false, "%s holds no input", dir);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		replay(path);
		free(list[i]);
	}
	free(list);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	char dir[512];

	name = strstr(name ? name : argv[0], "replay_");
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc == 1 && name) {
		snprintf(dir, sizeof(dir), "tests/fuzz/corpus/%s", name + strlen("replay_"));
		replay_folder(dir);
	}
	return rct_tap_end();
}
