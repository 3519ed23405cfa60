// SPDX-License-Identifier: BSD-2-Clause
#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SOURCES		512
#define HUNG_PATIENT	3	/* after so many that hang, more of them are given less time */
#define IMPATIENT_MS	50

/* One thread and what it is given. It is shared with the guard until the thread is left behind. */
struct worker {
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	bool busy, left, stop;	/* left: nobody waits for it, it cleans up after itself */
	struct rct_job job;
	char path[PATH_MAX];
	void *ret;
	size_t n;
	int rc;
};

struct source {
	char name[128];
	double spent_ms;
	bool hung;
};

struct rct_guard {
	struct worker *w;	/* NULL: the last one was left behind */
	unsigned ms;
	struct source *sources;
	size_t n_sources, n_hung;
};

/* ---- the thread */

static void worker_free(struct worker *w)
{
	pthread_cond_destroy(&w->wake);
	pthread_cond_destroy(&w->done);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static void close_copy(struct rct_job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	job->fd = -1;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->stop && !w->left) {
		void *ret = NULL;
		size_t n = 0;
		int rc;

		if (!w->busy) {
			pthread_cond_wait(&w->wake, &w->lock);
			continue;
		}
		pthread_mutex_unlock(&w->lock);
		rc = w->job.run(w->job.fd, w->path, &ret, &n, w->job.arg);
		pthread_mutex_lock(&w->lock);
		if (w->left && !rc)
			w->job.drop(ret, n);
		close_copy(&w->job);
		w->ret = ret;
		w->n = n;
		w->rc = rc;
		w->busy = false;
		pthread_cond_signal(&w->done);
	}
	pthread_mutex_unlock(&w->lock);
	worker_free(w);
	return NULL;
}

static struct worker *worker_new(void)
{
	struct worker *w = calloc(1, sizeof(*w));
	pthread_condattr_t monotonic;
	pthread_attr_t detached;
	pthread_t id;
	int err;

	if (!w)
		return NULL;
	w->job.fd = -1;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&id, &detached, work, w);
	pthread_attr_destroy(&detached);
	if (!err)
		return w;
	worker_free(w);
	return NULL;
}

/* ---- sources */

/*
 * Whose file a path is: the device of sys/class/CLASS/DEVICE/..., the process of
 * proc/PID/..., and elsewhere the file itself.
 */
static size_t source_len(const char *path)
{
	int parts = !strncmp(path, "sys/class/", 10) ? 4 : !strncmp(path, "proc/", 5) ? 2 : INT_MAX;
	size_t i;

	for (i = 0; path[i]; i++) {
		if (path[i] == '/' && !--parts)
			break;
	}
	return i;
}

static struct source *source_of(struct rct_guard *g, const char *path)
{
	size_t len = source_len(path);
	struct source *s;

	if (len >= sizeof(s->name))
		len = sizeof(s->name) - 1;
	/* files of one source are read one after the other: look at the last ones first */
	for (size_t i = g->n_sources; i--; ) {
		s = &g->sources[i];
		if (!strncmp(s->name, path, len) && !s->name[len])
			return s;
	}
	if (g->n_sources == SOURCES) {
		/* those that hang stand in front and are never forgotten */
		g->n_sources = g->n_hung;
	}
	s = memset(&g->sources[g->n_sources++], 0, sizeof(*s));
	memcpy(s->name, path, len);
	return s;
}

static void set_hung(struct rct_guard *g, struct source *s)
{
	struct source *front = &g->sources[g->n_hung], tmp = *s;

	tmp.hung = true;
	*s = *front;
	*front = tmp;
	g->n_hung += g->n_hung < SOURCES - 1;
}

/* ---- the guard */

struct rct_guard *rct_guard_new(unsigned ms)
{
	struct rct_guard *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->ms = ms;
	g->sources = calloc(SOURCES, sizeof(*g->sources));
	g->w = worker_new();
	if (g->sources && g->w)
		return g;
	rct_guard_free(g);
	return NULL;
}

void rct_guard_free(struct rct_guard *g)
{
	if (!g)
		return;
	if (g->w) {
		pthread_mutex_lock(&g->w->lock);
		g->w->stop = true;
		pthread_cond_signal(&g->w->wake);
		pthread_mutex_unlock(&g->w->lock);
	}
	free(g->sources);
	free(g);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* The worker's lock is held. True: it is done. */
static bool wait_for(struct worker *w, double ms)
{
	double until = now_ms() + ms;
	struct timespec t = {
		.tv_sec = (time_t)(until / 1e3),
		.tv_nsec = (long)((until - (double)(time_t)(until / 1e3) * 1e3) * 1e6),
	};

	while (w->busy) {
		if (pthread_cond_timedwait(&w->done, &w->lock, &t) == ETIMEDOUT)
			break;
	}
	return !w->busy;
}

static int give(struct worker *w, const struct rct_job *job, const char *path)
{
	size_t len = strlen(path);
	int fd = -1;

	if (len >= sizeof(w->path))
		return -ENAMETOOLONG;
	if (job->fd >= 0) {
		fd = fcntl(job->fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			return -errno;
	}
	memcpy(w->path, path, len + 1);
	w->job = *job;
	w->job.fd = fd;
	w->busy = true;
	pthread_cond_signal(&w->wake);
	return 0;
}

int rct_guard_run(struct rct_guard *g, const struct rct_job *job, const char *path, void **ret,
		  size_t *ret_n)
{
	struct source *s = source_of(g, path);
	double start, ms;
	struct worker *w;
	int rc;

	if (s->hung)
		return -ETIMEDOUT;
	if (!g->w)
		g->w = worker_new();
	if (!g->w)
		return -EAGAIN;
	w = g->w;
	ms = g->n_hung < HUNG_PATIENT ? g->ms - s->spent_ms : IMPATIENT_MS;
	start = now_ms();
	pthread_mutex_lock(&w->lock);
	rc = give(w, job, path);
	if (!rc && !wait_for(w, ms)) {
		w->left = true;
		g->w = NULL;
		rc = -ETIMEDOUT;
	} else if (!rc) {
		rc = w->rc;
		if (!rc) {
			*ret = w->ret;
			*ret_n = w->n;
		}
	}
	pthread_mutex_unlock(&w->lock);
	s->spent_ms += now_ms() - start;
	if (rc == -ETIMEDOUT || s->spent_ms >= g->ms)
		set_hung(g, s);
	return rc;
}

const char *rct_guard_hung(const struct rct_guard *g, size_t i)
{
	return i < g->n_hung ? g->sources[i].name : NULL;
}
