// SPDX-License-Identifier: BSD-2-Clause
#include "capture/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/util.h"

/* Large enough that a read costs little, small enough to stay in the second cache. */
#define BUFFER		(256 << 10)

#define GZIP_WINDOW	(15 + 16)	/* inflateInit2(): largest window, gzip framing */

struct rct_infile {
	const char *name;	/* for messages */
	const char *path;	/* NULL: can't be opened again */
	int fd;			/* open while there is a stream, or as long as there is no path */
	off_t start;		/* of the contents in fd: standard input may have been read from before */
	bool gzip;
	bool inflating;		/* z is in use */
	bool member_open;	/* inside a gzip member */
	off_t at;		/* the stream's place in fd */
	u64 delivered;		/* bytes of contents */
	z_stream z;
	char error[160];
	u8 *in;			/* BUFFER compressed bytes */
};

/* pread() until size bytes or the end; -errno. */
static ssize_t read_at(int fd, void *buf, size_t size, off_t at)
{
	size_t got = 0;
	ssize_t n;

	while (got < size) {
		n = pread(fd, (u8 *)buf + got, size - got, at + got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		got += n;
	}
	return got;
}

/* ---- opening */

/* Compressions that are recognised in order to say what to do. */
static const struct {
	const char *magic;
	size_t n;
	const char *tool;
} foreign[] = {
	{ "\x28\xb5\x2f\xfd", 4, "zstd" },
	{ "\xfd" "7zXZ", 5, "xz" },
	{ "BZh", 3, "bzip2" },
	{ "\x04\x22\x4d\x18", 4, "lz4" },
};

static int look(struct rct_infile *in, struct rct_err *err)
{
	u8 magic[8] = {};
	ssize_t n = read_at(in->fd, magic, sizeof(magic), in->start);

	if (n < 0)
		return rct_fail(err, -n, "%s: cannot read: %s", in->name, strerror(-n));
	if (!n)
		return rct_fail(err, EINVAL, "%s: is empty", in->name);
	for (size_t i = 0; i < RCT_ARRAY_SIZE(foreign); i++) {
		if (!memcmp(magic, foreign[i].magic, foreign[i].n))
			return rct_fail(err, EINVAL, "%s: is compressed by %s, which must be undone first: %s -dc ... | rocetrace read -",
					in->name, foreign[i].tool, foreign[i].tool);
	}
	in->gzip = magic[0] == 0x1f && magic[1] == 0x8b;
	return 0;
}

static int temporary(struct rct_err *err)
{
	const char *dir = getenv("TMPDIR");
	char path[512];
	int fd;

	if (!dir || !*dir)
		dir = P_tmpdir;
	snprintf(path, sizeof(path), "%s/rocetrace-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return rct_fail(err, errno, "%s: cannot make a temporary file for a capture that comes through a pipe: %s; TMPDIR names another directory",
				dir, strerror(errno));
	unlink(path);
	return fd;
}

static int write_all(int fd, const u8 *buf, size_t n)
{
	ssize_t done;

	for (; n; buf += done, n -= done) {
		done = write(fd, buf, n);
		if (done < 0 && errno == EINTR)
			done = 0;
		if (done < 0)
			return -errno;
	}
	return 0;
}

static int copy(struct rct_infile *in, int out, struct rct_err *err)
{
	u8 buf[64 << 10];
	ssize_t n;
	int rc;

	while ((n = read(in->fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rct_fail(err, errno, "%s: cannot read: %s", in->name, strerror(errno));
		rc = write_all(out, buf, n);
		if (rc)
			return rct_fail(err, -rc, "cannot keep %s in a temporary file: %s; TMPDIR names another directory",
					in->name, strerror(-rc));
	}
	return 0;
}

/* What comes through a pipe is there once; in->fd becomes a copy of it. */
static int spool(struct rct_infile *in, struct rct_err *err)
{
	int out = temporary(err), rc;

	if (out < 0)
		return out;
	rc = copy(in, out, err);
	if (rc) {
		close(out);
		return rc;
	}
	close(in->fd);
	in->fd = out;
	in->start = 0;
	in->path = NULL;
	return 0;
}

static int open_fd(struct rct_infile *in, struct rct_err *err)
{
	struct stat st;

	in->fd = in->path ? open(in->path, O_RDONLY | O_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (in->fd < 0 || fstat(in->fd, &st))
		return rct_fail(err, errno, "%s: cannot open: %s", in->name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return rct_fail(err, EISDIR, "%s: is a directory, not a capture file", in->name);
	in->start = lseek(in->fd, 0, SEEK_CUR);
	if (in->start < 0 || !S_ISREG(st.st_mode))
		return spool(in, err);
	return 0;
}

int rct_infile_open(const char *name, struct rct_infile **ret, struct rct_err *err)
{
	bool standard = !strcmp(name, "-");
	struct rct_infile *in = calloc(1, sizeof(*in));
	int rc;

	if (!in)
		return rct_fail(err, ENOMEM, "%s: no memory", name);
	in->name = standard ? "standard input" : name;
	in->path = standard ? NULL : name;
	rc = open_fd(in, err);
	if (!rc)
		rc = look(in, err);
	if (rc) {
		rct_infile_close(in);
		return rc;
	}
	*ret = in;
	return 0;
}

/* Thousands of files shall not need thousands of descriptors. */
static void rest(struct rct_infile *in)
{
	if (in->path && in->fd >= 0) {
		close(in->fd);
		in->fd = -1;
	}
	free(in->in);
	in->in = NULL;
}

void rct_infile_close(struct rct_infile *in)
{
	if (!in)
		return;
	if (in->inflating)
		inflateEnd(&in->z);
	rest(in);
	if (in->fd >= 0)
		close(in->fd);
	free(in);
}

const char *rct_infile_error(const struct rct_infile *in)
{
	return in->error;
}

const char *rct_infile_name(const struct rct_infile *in)
{
	return in->name;
}

bool rct_infile_compressed(const struct rct_infile *in)
{
	return in->gzip;
}

/* ---- reading: the functions of a cookie stream */

static ssize_t fail(struct rct_infile *in, int errnum, const char *what)
{
	snprintf(in->error, sizeof(in->error), "%s", what);
	errno = errnum;
	return -1;
}

static ssize_t plain_read(void *cookie, char *buf, size_t size)
{
	struct rct_infile *in = cookie;
	ssize_t n = read_at(in->fd, buf, size, in->at);

	if (n < 0)
		return fail(in, -n, strerror(-n));
	in->at += n;
	in->delivered += n;
	return n;
}

/* More compressed bytes. 1, 0 at the end, or -1. */
static int refill(struct rct_infile *in)
{
	ssize_t n = read_at(in->fd, in->in, BUFFER, in->at);

	if (n < 0)
		return fail(in, -n, strerror(-n));
	in->at += n;
	in->z.next_in = in->in;
	in->z.avail_in = n;
	return n > 0;
}

/* Between two members of a gzip file; zeros behind the last one are padding. */
static int next_member(struct rct_infile *in)
{
	if (in->z.avail_in && in->z.next_in[0] != 0x1f)
		return 0;
	in->member_open = true;
	return inflateReset(&in->z) == Z_OK;
}

/* One call of inflate(). 1, 0 at the end of the contents, or -1. */
static int inflate_some(struct rct_infile *in)
{
	int more, rc;

	if (!in->z.avail_in) {
		more = refill(in);
		if (more < 0)
			return more;
		if (!more)
			return in->member_open ? fail(in, EIO, "the gzip file is cut off") : 0;
	}
	if (!in->member_open && !next_member(in))
		return 0;
	rc = inflate(&in->z, Z_NO_FLUSH);
	if (rc == Z_STREAM_END)
		in->member_open = false;
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		return fail(in, EIO, in->z.msg ? in->z.msg : "the gzip data are damaged");
	return 1;
}

static ssize_t gzip_read(void *cookie, char *buf, size_t size)
{
	struct rct_infile *in = cookie;
	int rc = 1;

	in->z.next_out = (u8 *)buf;
	in->z.avail_out = size;
	while (in->z.avail_out && rc > 0)
		rc = inflate_some(in);
	size -= in->z.avail_out;
	in->delivered += size;
	/* what came before a damage is delivered first; the next call fails again */
	return rc < 0 && !size ? -1 : (ssize_t)size;
}

/* Only for ftello(). */
static int tell(void *cookie, off64_t *offset, int whence)
{
	struct rct_infile *in = cookie;

	if (whence != SEEK_CUR || *offset)
		return -1;
	*offset = in->delivered;
	return 0;
}

/* The stream is closed. */
static int done(void *cookie)
{
	rest(cookie);
	return 0;
}

static int start_inflate(struct rct_infile *in)
{
	if (in->inflating)
		inflateEnd(&in->z);
	memset(&in->z, 0, sizeof(in->z));
	in->member_open = true;
	in->in = malloc(BUFFER);
	in->inflating = in->in && inflateInit2(&in->z, GZIP_WINDOW) == Z_OK;
	if (!in->inflating)
		errno = ENOMEM;
	return in->inflating ? 0 : -1;
}

/* From the beginning. */
static int start(struct rct_infile *in)
{
	in->at = in->start;
	in->delivered = 0;
	in->error[0] = 0;
	if (in->fd < 0)
		in->fd = open(in->path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0)
		return -1;
	return in->gzip ? start_inflate(in) : 0;
}

FILE *rct_infile_stream(struct rct_infile *in)
{
	cookie_io_functions_t io = {
		.read = in->gzip ? gzip_read : plain_read, .seek = tell, .close = done,
	};
	FILE *f = start(in) ? NULL : fopencookie(in, "r", io);

	if (!f)
		return NULL;
	setvbuf(f, NULL, _IOFBF, BUFFER);
	/* libpcap reads twice a packet, and nobody else has the stream: a lock would be a fifth of the time */
	__fsetlocking(f, FSETLOCKING_BYCALLER);
	return f;
}
