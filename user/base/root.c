// SPDX-License-Identifier: BSD-2-Clause
#include "base/root.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/guard.h"

#define CHUNK	4096

int rct_root_open(struct rct_root *r, const char *path, rct_generate_fn generate)
{
	int rc;

	memset(r, 0, sizeof(*r));
	r->fd = -1;
	r->path = strdup(path ? path : "");
	if (!r->path)
		return -ENOMEM;
	r->fd = open(*r->path ? r->path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd < 0) {
		rc = -errno;
		rct_root_close(r);
		return rc;
	}
	r->generate = generate;
	return 0;
}

void rct_root_close(struct rct_root *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->path);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

bool rct_root_captured(const struct rct_root *r)
{
	return *r->path;
}

/* ------------------------------------------------------------------- paths */

/*
 * Where openat2 is refused (old kernels and container runtimes): one part after the
 * other, and no symbolic link is followed at all.
 */
static int walk(int fd, const char *path, int flags)
{
	char part[NAME_MAX + 1];
	int at = -1, next, rc = 0;
	struct stat st;
	size_t len;

	for (; !rc && *path; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			break;
		if (len > NAME_MAX || (len == 2 && !memcmp(path, "..", 2))) {
			rc = -EXDEV;
			break;
		}
		snprintf(part, sizeof(part), "%.*s", (int)len, path);
		next = openat(at < 0 ? fd : at, part,
			      O_NOFOLLOW | O_CLOEXEC | (path[len] ? O_PATH | O_DIRECTORY : flags));
		rc = next < 0 ? -errno : 0;
		if (at >= 0)
			close(at);
		at = next;
	}
	/* O_PATH opens the link itself, which only rct_root_link() asks for */
	if (!rc && at >= 0 && !(flags & O_NOFOLLOW) && !fstat(at, &st) && S_ISLNK(st.st_mode))
		rc = -ELOOP;
	if (rc && at >= 0)
		close(at);
	return rc ? rc : at < 0 ? -ENOENT : at;
}

/* A file descriptor or -errno. A captured host's links end inside of its folder. */
static int open_in(const struct rct_root *r, const char *path, int flags)
{
	/* beside O_PATH openat2 takes few others */
	struct open_how how = {
		.flags = flags | O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY | O_NONBLOCK),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd;

	if (!rct_root_captured(r)) {
		fd = openat(r->fd, path, how.flags);
		return fd < 0 ? -errno : fd;
	}
	fd = syscall(SYS_openat2, r->fd, path, &how, sizeof(how));
	if (fd >= 0)
		return fd;
	if (errno == ENOSYS || errno == EPERM)
		return walk(r->fd, path, how.flags);
	return -errno;
}

__attribute__((format(printf, 2, 0)))
static int make_path(char ret[PATH_MAX], const char *fmt, va_list ap)
{
	int n;

	n = vsnprintf(ret, PATH_MAX, fmt, ap);
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* ------------------------------------------------------------------- texts */

/* All of a file: sysfs and procfs don't tell its size. */
static int read_all(int fd, char **ret, size_t *ret_len)
{
	size_t len = 0, want, room = CHUNK;
	char *text = malloc(room), *more;
	ssize_t n = 0;

	while (text && len < RCT_TEXT_MAX) {
		want = room - len - 1;
		n = read(fd, text + len, want < RCT_TEXT_MAX - len ? want : RCT_TEXT_MAX - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += n;
		if (len + 1 < room)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
	}
	if (!text)
		return -ENOMEM;
	if (n < 0) {
		n = -errno;
		free(text);
		return n;
	}
	text[len] = '\0';
	*ret = text;
	*ret_len = len;
	return 0;
}

/* A pipe or a device in a folder would block or do who knows what. */
static int read_file(const struct rct_root *r, const char *path, char **ret, size_t *ret_len)
{
	struct stat st;
	int fd, rc;

	fd = open_in(r, path, O_RDONLY);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	else
		rc = read_all(fd, ret, ret_len);
	close(fd);
	return rc;
}

/* ---- the same as jobs, for a guard: they may outlive r */

static int run_read(int fd, const char *path, void **ret, size_t *ret_n, void *arg)
{
	const struct rct_root r = { .path = (char[]){ "" }, .fd = fd };

	(void)arg;
	return read_file(&r, path, (char **)ret, ret_n);
}

static int run_generate(int fd, const char *path, void **ret, size_t *ret_n, void *arg)
{
	rct_generate_fn generate = (rct_generate_fn)arg;

	(void)fd;
	return generate(path + 4, (char **)ret, ret_n);
}

static void drop_text(void *ret, size_t n)
{
	(void)n;
	free(ret);
}

static int guarded_text(const struct rct_root *r, const char *path, bool generated, char **ret,
			size_t *ret_len)
{
	const struct rct_job job = {
		.run = generated ? run_generate : run_read, .drop = drop_text,
		.arg = (void *)r->generate, .fd = r->fd,
	};

	return rct_guard_run(r->guard, &job, path, (void **)ret, ret_len);
}

static int file_anywhere(const char *path, char **ret, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = read_all(fd, ret, ret_len);
	close(fd);
	return rc;
}

static int any_text(const struct rct_root *r, const char *path, char **ret, size_t *ret_len)
{
	bool generated = !rct_root_captured(r) && !strncmp(path, "cmd/", 4);

	if (r->nccl_log && !strcmp(path, "cmd/nccl.log"))
		return file_anywhere(r->nccl_log, ret, ret_len);
	if (generated && !r->generate)
		return -ENOENT;
	if (r->guard && !rct_root_captured(r))
		return guarded_text(r, path, generated, ret, ret_len);
	if (generated)
		return r->generate(path + 4, ret, ret_len);
	return read_file(r, path, ret, ret_len);
}

static int text_of(const struct rct_root *r, const char *path, char **ret, size_t *ret_len)
{
	int rc = any_text(r, path, ret, ret_len);

	if (!rc && r->seen)
		r->seen(r->seen_arg, path, *ret, *ret_len);
	return rc;
}

char *rct_root_text(const struct rct_root *r, size_t *ret_len, int *ret_error, const char *fmt, ...)
{
	char path[PATH_MAX], *text = NULL;
	size_t len = 0;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = make_path(path, fmt, ap);
	va_end(ap);
	if (!rc)
		rc = text_of(r, path, &text, &len);
	if (rc)
		text = NULL;
	if (ret_len)
		*ret_len = rc ? 0 : len;
	if (ret_error)
		*ret_error = -rc;
	return text;
}

/* A line that doesn't fit is an error: half a list of CPUs would be a wrong one. */
static int line_of(const struct rct_root *r, const char *path, char *buf, size_t size)
{
	char *text;
	size_t len;
	int rc;

	*buf = '\0';
	rc = text_of(r, path, &text, &len);
	if (rc)
		return rc;
	len = strcspn(text, "\n");
	if (len < size) {
		memcpy(buf, text, len);
		buf[len] = '\0';
	} else {
		rc = -E2BIG;
	}
	free(text);
	return rc;
}

int rct_root_line(const struct rct_root *r, char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int rc;

	*buf = '\0';
	va_start(ap, fmt);
	rc = make_path(path, fmt, ap);
	va_end(ap);
	return rc ? rc : line_of(r, path, buf, size);
}

int rct_root_number(const struct rct_root *r, int64_t *ret, const char *fmt, ...)
{
	char path[PATH_MAX], line[64], *digits = line, *end;
	long long v;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = make_path(path, fmt, ap);
	va_end(ap);
	if (!rc)
		rc = line_of(r, path, line, sizeof(line));
	if (rc)
		return rc == -E2BIG ? -EINVAL : rc;
	digits += *digits == '-';
	if (!isdigit((unsigned char)*digits))
		return -EINVAL;
	errno = 0;
	v = strtoll(line, &end, !strncasecmp(digits, "0x", 2) ? 16 : 10);
	if (errno)
		return -errno;
	if (end[strspn(end, " \t\r")])
		return -EINVAL;
	*ret = v;
	return 0;
}

/* ----------------------------------------------------------------- folders */

static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* 0 or -errno: what there is in *names is the caller's to free either way. */
static int collect(DIR *d, char ***names, size_t *n)
{
	struct dirent *e;
	char **more;

	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		/* room for the next power of two */
		if (!(*n & (*n - 1))) {
			more = realloc(*names, (*n ? *n * 2 : 1) * sizeof(*more));
			if (!more)
				return -ENOMEM;
			*names = more;
		}
		(*names)[*n] = strdup(e->d_name);
		if (!(*names)[*n])
			return -ENOMEM;
		(*n)++;
	}
	return 0;
}

static int list_of(const struct rct_root *r, const char *path, char ***names, size_t *n)
{
	int fd, rc;
	DIR *d;

	fd = open_in(r, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d) {
		rc = -errno;
		close(fd);
		return rc;
	}
	rc = collect(d, names, n);
	closedir(d);
	return rc;
}

static void seen_name(const struct rct_root *r, const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path))
		r->seen(r->seen_arg, path, NULL, 0);
}

int rct_root_list(const struct rct_root *r, char ***ret_names, size_t *ret_n, const char *fmt, ...)
{
	char path[PATH_MAX], **names = NULL;
	size_t n = 0;
	va_list ap;
	int rc;

	*ret_names = NULL;
	*ret_n = 0;
	va_start(ap, fmt);
	rc = make_path(path, fmt, ap);
	va_end(ap);
	if (!rc)
		rc = list_of(r, path, &names, &n);
	if (rc) {
		rct_names_free(names, n);
		return rc;
	}
	if (n)
		qsort(names, n, sizeof(*names), by_number);
	for (size_t i = 0; r->seen && i < n; i++)
		seen_name(r, path, names[i]);
	*ret_names = names;
	*ret_n = n;
	return 0;
}

void rct_names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

bool rct_root_exists(const struct rct_root *r, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int fd;

	va_start(ap, fmt);
	fd = make_path(path, fmt, ap);
	va_end(ap);
	if (!fd)
		fd = open_in(r, path, O_PATH);
	if (fd < 0)
		return false;
	close(fd);
	if (r->seen)
		r->seen(r->seen_arg, path, NULL, 0);
	return true;
}

/* ------------------------------------------------------------------- links */

static int value_of(char *buf, size_t size, const char *text, const char *key)
{
	size_t len = strlen(key);
	const char *v;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (strncmp(text, key, len) || text[len] != '=')
			continue;
		v = text + len + 1;
		len = strcspn(v, "\r\n");
		if (len >= size)
			return -E2BIG;
		memcpy(buf, v, len);
		buf[len] = '\0';
		return 0;
	}
	return -ENOENT;
}

int rct_root_uevent(const struct rct_root *r, char *buf, size_t size, const char *key,
		    const char *fmt, ...)
{
	char path[PATH_MAX], *text;
	va_list ap;
	int rc;

	*buf = '\0';
	va_start(ap, fmt);
	rc = make_path(path, fmt, ap);
	va_end(ap);
	if (rc)
		return rc;
	text = rct_root_text(r, NULL, &rc, "%s/uevent", path);
	if (!text)
		return -rc;
	rc = value_of(buf, size, text, key);
	free(text);
	return rc;
}

/* What the link would say. */
static int from_uevent(const struct rct_root *r, char *buf, size_t size, char *path)
{
	char *last = strrchr(path, '/');

	if (last && !strcmp(last, "/device"))
		return rct_root_uevent(r, buf, size, "PCI_SLOT_NAME", "%s", path);
	if (!last || strcmp(last, "/driver"))
		return -ENOENT;
	*last = '\0';
	return rct_root_uevent(r, buf, size, "DRIVER", "%s", path);
}

int rct_root_link(const struct rct_root *r, char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], to[PATH_MAX];
	const char *last;
	va_list ap;
	ssize_t n;
	int fd;

	*buf = '\0';
	va_start(ap, fmt);
	fd = make_path(path, fmt, ap);
	va_end(ap);
	if (!fd)
		fd = open_in(r, path, O_PATH | O_NOFOLLOW);
	n = fd < 0 ? -1 : readlinkat(fd, "", to, sizeof(to) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return fd == -ENAMETOOLONG ? fd : from_uevent(r, buf, size, path);
	to[n] = '\0';
	last = strrchr(to, '/');
	last = last ? last + 1 : to;
	if (strlen(last) >= size)
		return -E2BIG;
	memcpy(buf, last, strlen(last) + 1);
	/* a copy of the host has no links: it shall have what stands for this one */
	if (r->seen)
		from_uevent(r, to, sizeof(to), path);
	return 0;
}
