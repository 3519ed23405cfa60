// SPDX-License-Identifier: BSD-2-Clause
#include "sysinfo/bundle.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sysinfo/facts.h"

/* ---- record */

/*
 * sysfs is read through links: DIR/device/.. is where the PCI function is, if device is
 * something upon it (virtio, auxiliary). A tree has no links: the function's files join
 * those of device.
 */
static void drop_up(char *path)
{
	char *up;

	while ((up = strstr(path, "/../")))
		memmove(up, up + 3, strlen(up + 3) + 1);
	while (strlen(path) >= 3 && !strcmp(path + strlen(path) - 3, "/.."))
		path[strlen(path) - 3] = '\0';
}

static int add_file(struct rct_tree *t, const char *path, const char *text, size_t len)
{
	struct rct_tree_file *f = t->v;

	if (!(t->n & (t->n - 1))) {
		f = realloc(t->v, (t->n ? t->n * 2 : 1) * sizeof(*f));
		if (!f)
			return -ENOMEM;
		t->v = f;
	}
	f += t->n;
	*f = (struct rct_tree_file){ .path = strdup(path), .len = len, .order = t->n };
	if (f->path && text) {
		f->text = malloc(len + 1);
		if (f->text)
			memcpy(f->text, text, len + 1);
	}
	if (!f->path || (text && !f->text)) {
		free(f->path);
		return -ENOMEM;
	}
	drop_up(f->path);
	t->n++;
	return 0;
}

static void see(void *arg, const char *path, const char *text, size_t len)
{
	struct rct_tree *t = arg;

	if (!t->rc)
		t->rc = add_file(t, path, text, len);
}

void rct_tree_record(struct rct_tree *t, struct rct_root *root)
{
	memset(t, 0, sizeof(*t));
	root->seen = see;
	root->seen_arg = t;
}

void rct_tree_free(struct rct_tree *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].path);
		free(t->v[i].text);
	}
	free(t->v);
	memset(t, 0, sizeof(*t));
}

/* ---- merge */

/* By path, where what lies in a folder stands directly behind it; then as it was read. */
static int by_path(const void *a, const void *b)
{
	const struct rct_tree_file *x = a, *y = b;
	const char *p = x->path, *q = y->path;

	for (; *p && *p == *q; p++, q++)
		;
	if (*p != *q) {
		int c = *p == '/' ? 1 : (unsigned char)*p, d = *q == '/' ? 1 : (unsigned char)*q;

		return c - d;
	}
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_uevent(const char *path)
{
	size_t n = strlen(path);

	return n > 7 && !strcmp(path + n - 7, "/uevent");
}

/* The first reading counts; only of uevents, which drop_up() put together, all do, once. */
static int merge(struct rct_tree_file *to, struct rct_tree_file *from)
{
	char *text;

	if (!to->text) {
		to->text = from->text;
		to->len = from->len;
		from->text = NULL;
		return 0;
	}
	if (!from->text || !is_uevent(to->path) || strstr(to->text, from->text))
		return 0;
	text = realloc(to->text, to->len + from->len + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text + to->len, from->text, from->len + 1);
	to->text = text;
	to->len += from->len;
	return 0;
}

static void drop(struct rct_tree_file *f)
{
	free(f->path);
	free(f->text);
	f->path = f->text = NULL;
}

/* Joins what has the same path; what is dropped has no path after it. */
static int merge_all(struct rct_tree *t)
{
	size_t at = 0;
	int rc = 0;

	for (size_t i = 1; i < t->n && !rc; i++) {
		if (!strcmp(t->v[at].path, t->v[i].path)) {
			rc = merge(&t->v[at], &t->v[i]);
			drop(&t->v[i]);
		} else {
			at = i;
		}
	}
	return rc;
}

static void close_gaps(struct rct_tree *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].path)
			t->v[n++] = t->v[i];
	}
	t->n = n;
}

/* ---- filter */

static bool is_folder_of(const char *folder, const char *path)
{
	size_t n = strlen(folder);

	return !strncmp(folder, path, n) && path[n] == '/';
}

/* The number in proc/NUMBER/..., and what follows it; 0: it is another path. */
static size_t pid_len(const char *path)
{
	size_t n;

	if (strncmp(path, "proc/", 5))
		return 0;
	n = strspn(path + 5, "0123456789");
	return n && path[5 + n] == '/' ? n + 6 : 0;
}

/* Of an environment, the variables that are kept: those of the facts. */
static int filter_environ(struct rct_tree_file *f)
{
	struct rct_proc p = { 0 };
	bool rdma = false;
	size_t len = 0, size;
	char *text = NULL;
	int rc = rct_environ_parse(f->text, f->len, &p, &rdma);
	FILE *out = rc ? NULL : open_memstream(&text, &size);

	for (u32 i = 0; i < p.n_env; i++) {
		if (out)
			len += fprintf(out, "%s=%s%c", p.env[i].name, p.env[i].value, '\0');
		free(p.env[i].name);
		free(p.env[i].value);
	}
	free(p.env);
	if (!out || fclose(out))
		return -ENOMEM;
	free(f->text);
	f->text = text;
	f->len = len;
	return 0;
}

/* Of a process that is no business of ours only irqbalance's name is; its status was read of others. */
static bool foreign(const struct rct_tree *t, size_t i)
{
	const struct rct_tree_file *f = &t->v[i];
	size_t n = pid_len(f->path), k;

	/* of the first process it is read whether this is a container */
	if (!n || !strcmp(f->path, "proc/1/cgroup"))
		return false;
	if (f->text && !strcmp(f->path + n, "comm") && !strncmp(f->text, "irqbalance", 10))
		return false;
	for (k = i; k && !strncmp(t->v[k - 1].path, f->path, n); k--)
		;
	for (; k < t->n && !strncmp(t->v[k].path, f->path, n); k++) {
		if (!strcmp(t->v[k].path + n, "status"))
			return false;
	}
	return true;
}

/* A name without a text is kept as an empty file: but not a folder's, nor other processes'. */
static bool useless(const struct rct_tree *t, size_t i)
{
	const struct rct_tree_file *f = &t->v[i];

	if (i + 1 < t->n && is_folder_of(f->path, t->v[i + 1].path))
		return true;
	return (!f->text && !strncmp(f->path, "proc", 4)) || foreign(t, i);
}

static int filter(struct rct_tree *t)
{
	bool *bad = calloc(t->n ? t->n : 1, sizeof(*bad));
	int rc = bad ? 0 : -ENOMEM;
	const char *name;

	for (size_t i = 0; i < t->n && !rc; i++) {
		bad[i] = useless(t, i);
		name = strrchr(t->v[i].path, '/');
		if (!bad[i] && pid_len(t->v[i].path) && !strcmp(name, "/environ"))
			rc = filter_environ(&t->v[i]);
	}
	for (size_t i = 0; i < t->n && !rc; i++) {
		if (bad[i])
			drop(&t->v[i]);
	}
	free(bad);
	return rc;
}

int rct_tree_finish(struct rct_tree *t)
{
	int rc = t->rc;

	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_path);
	if (!rc)
		rc = merge_all(t);
	close_gaps(t);
	if (!rc)
		rc = filter(t);
	close_gaps(t);
	return rc;
}

/* ---- write */

static int failed(struct archive *a, const char *what, const char *file, struct rct_err *err)
{
	int errnum = archive_errno(a) > 0 ? archive_errno(a) : EIO;

	return rct_fail(err, errnum, "%s %s: %s", what, file,
			archive_error_string(a) ? archive_error_string(a) : strerror(errnum));
}

static bool write_file(struct archive *a, struct archive_entry *e, const char *tree,
		       const struct rct_tree_file *f, time_t now)
{
	size_t size = strlen(tree) + strlen(f->path) + 2;
	char *path = malloc(size);
	bool ok;

	if (!path)
		return false;
	snprintf(path, size, "%s/%s", tree, f->path);
	archive_entry_clear(e);
	archive_entry_set_pathname(e, path);
	archive_entry_set_size(e, f->len);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_mtime(e, now, 0);
	ok = archive_write_header(a, e) == ARCHIVE_OK &&
	     (!f->len || archive_write_data(a, f->text, f->len) == (la_ssize_t)f->len);
	free(path);
	return ok;
}

static bool write_all(struct archive *a, struct archive_entry *e, const struct rct_tree *trees,
		      const char *const *names, size_t n)
{
	time_t now = time(NULL);

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < trees[k].n; i++) {
			if (!write_file(a, e, names[k], &trees[k].v[i], now))
				return false;
		}
	}
	return true;
}

/* Only its owner may read it: even redacted it tells much. */
int rct_bundle_write(const char *file, const struct rct_tree *trees, const char *const *names, size_t n,
		     struct rct_err *err)
{
	struct archive *a = archive_write_new();
	struct archive_entry *e = archive_entry_new();
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), rc = 0;

	if (fd < 0)
		rc = rct_fail(err, errno, "cannot write %s: %s", file, strerror(errno));
	else if (!a || !e)
		rc = rct_fail(err, ENOMEM, "writing %s: out of memory", file);
	else if (archive_write_add_filter_gzip(a) != ARCHIVE_OK ||
		 archive_write_set_format_pax_restricted(a) != ARCHIVE_OK ||
		 archive_write_open_fd(a, fd) != ARCHIVE_OK || !write_all(a, e, trees, names, n) ||
		 archive_write_close(a) != ARCHIVE_OK)
		rc = failed(a, "cannot write", file, err);
	archive_entry_free(e);
	if (a)
		archive_write_free(a);
	if (fd >= 0 && close(fd) && !rc)
		rc = rct_fail(err, errno, "cannot write %s: %s", file, strerror(errno));
	return rc;
}

/* ---- read */

bool rct_bundle_is(const char *file)
{
	unsigned char magic[2] = "";
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is;

	if (fd < 0)
		return false;
	is = read(fd, magic, sizeof(magic)) == sizeof(magic) && magic[0] == 0x1f && magic[1] == 0x8b;
	close(fd);
	return is;
}

struct unpack {
	struct archive *a;
	const char *file;
	int dir;
	size_t files;
	unsigned long long bytes;
	struct rct_err *err;
};

/* A relative path of plain parts, below one of the two trees. */
static bool good_path(const char *path)
{
	size_t n, depth = 0;

	if (strlen(path) >= 1024 || (strncmp(path, "before/", 7) && strncmp(path, "after/", 6)))
		return false;
	for (; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (!n || n > 255 || ++depth > 32 || (path[0] == '.' && (n == 1 || (n == 2 && path[1] == '.'))))
			return false;
	}
	return true;
}

/* Opens the file for writing, with the folders above it. It must not be there. -errno: it can't be. */
static int open_new(int dir, const char *path)
{
	char part[256];
	int at = dup(dir), next;
	size_t n;

	while (at >= 0 && path[n = strcspn(path, "/")]) {
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		next = mkdirat(at, part, 0700) && errno != EEXIST ? -1 :
		       openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		n = errno;
		close(at);
		errno = n;
		at = next;
		path += strcspn(path, "/") + 1;
	}
	if (at < 0)
		return -errno;
	next = *path ? openat(at, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
	n = *path ? errno : EINVAL;
	close(at);
	return next < 0 ? -(int)n : next;
}

static int copy_out(struct unpack *u, const char *path, int fd)
{
	char buf[65536];
	la_ssize_t n;

	while ((n = archive_read_data(u->a, buf, sizeof(buf))) > 0) {
		u->bytes += n;
		if (u->bytes > RCT_BUNDLE_BYTES)
			return rct_fail(u->err, EFBIG, "%s: unpacked it is larger than %llu bytes", u->file,
					RCT_BUNDLE_BYTES);
		if (write(fd, buf, n) != n)
			return rct_fail(u->err, errno ? errno : EIO, "unpacking %s of %s: %s", path, u->file,
					strerror(errno));
	}
	return n < 0 ? failed(u->a, "cannot read", u->file, u->err) : 0;
}

static int one_entry(struct unpack *u, struct archive_entry *e)
{
	const char *path = archive_entry_pathname(e);
	int fd, rc;

	if (archive_entry_filetype(e) == AE_IFDIR)
		return 0;
	if (!path || !good_path(path) || archive_entry_filetype(e) != AE_IFREG || archive_entry_hardlink(e))
		return rct_fail(u->err, EINVAL, "%s is no bundle of rocetrace: in it is %s, which is not a plain file below before/ or after/",
				u->file, path ? path : "a file without a name");
	if (++u->files > RCT_BUNDLE_FILES)
		return rct_fail(u->err, EFBIG, "%s: it has more than %d files", u->file, RCT_BUNDLE_FILES);
	fd = open_new(u->dir, path);
	if (fd < 0)
		return rct_fail(u->err, -fd, "unpacking %s of %s: %s", path, u->file, strerror(-fd));
	rc = copy_out(u, path, fd);
	close(fd);
	return rc;
}

static int unpack_all(struct unpack *u)
{
	struct archive_entry *e;
	int rc = 0, r = ARCHIVE_OK;

	while (!rc && (r = archive_read_next_header(u->a, &e)) == ARCHIVE_OK)
		rc = one_entry(u, e);
	if (!rc && r != ARCHIVE_EOF)
		rc = failed(u->a, "cannot read", u->file, u->err);
	if (!rc && !u->files)
		rc = rct_fail(u->err, EINVAL, "%s is no bundle of rocetrace: it is empty", u->file);
	return rc;
}

int rct_bundle_unpack(const char *file, const char *dir, struct rct_err *err)
{
	struct unpack u = { .a = archive_read_new(), .file = file, .err = err };
	int rc = 0;

	u.dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (u.dir < 0)
		rc = rct_fail(err, errno, "cannot unpack into %s: %s", dir, strerror(errno));
	else if (!u.a)
		rc = rct_fail(err, ENOMEM, "reading %s: out of memory", file);
	else if (archive_read_support_filter_gzip(u.a) != ARCHIVE_OK ||
		 archive_read_support_format_tar(u.a) != ARCHIVE_OK ||
		 archive_read_open_filename(u.a, file, 65536) != ARCHIVE_OK)
		rc = failed(u.a, "cannot read", file, err);
	if (!rc)
		rc = unpack_all(&u);
	if (u.a)
		archive_read_free(u.a);
	if (u.dir >= 0)
		close(u.dir);
	return rc;
}
