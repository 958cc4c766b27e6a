// SPDX-License-Identifier: GPL-2.0-only
/* A thread writes while the caller waits; whichever ends last frees the job. */
#include "cgroup/parts.h"

#include <pthread.h>
#include <signal.h>

struct write_job {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char *path;
	struct str values; /* each terminated by NUL */
	int *results;
	size_t count, written;
	bool is_over, is_abandoned;
	int rc; /* error of opening the file */
};

static void job_free(struct write_job *j)
{
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->lock);
	str_finish(&j->values);
	free(j->results);
	free(j->path);
	free(j);
}

static struct write_job *job_create(const char *path, size_t count)
{
	struct write_job *j = calloc(1, sizeof(*j));
	pthread_condattr_t attributes;

	if (!j)
		return NULL;
	pthread_mutex_init(&j->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&j->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	j->path = strdup(path);
	j->results = calloc(count, sizeof(*j->results));
	j->count = count;
	if (j->path && j->results)
		return j;
	job_free(j);
	return NULL;
}

/* Notes the result of one write; false if the caller has given up. */
static bool job_note(struct write_job *j, int result)
{
	bool go_on;

	pthread_mutex_lock(&j->lock);
	j->results[j->written++] = result;
	go_on = !j->is_abandoned;
	pthread_cond_signal(&j->changed);
	pthread_mutex_unlock(&j->lock);
	return go_on;
}

static void job_end(struct write_job *j, int rc)
{
	bool is_ours;

	pthread_mutex_lock(&j->lock);
	j->rc = rc;
	j->is_over = true;
	is_ours = j->is_abandoned;
	pthread_cond_signal(&j->changed);
	pthread_mutex_unlock(&j->lock);
	if (is_ours)
		job_free(j);
}

static void *job_run(void *argument)
{
	struct write_job *j = argument;
	const char *value = str_get(&j->values);
	int fd = open(j->path, O_WRONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : 0;

	for (size_t i = 0; fd >= 0 && i < j->count; i++) {
		if (!job_note(j, fd_write_all(fd, value, strlen(value))))
			break;
		value += strlen(value) + 1;
	}
	if (fd >= 0)
		close(fd);
	job_end(j, rc);
	return NULL;
}

/* Blocks signals in the thread: they are for the thread that runs the scenario. */
static int start_thread(struct write_job *j)
{
	sigset_t all, before;
	pthread_t thread;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, NULL, job_run, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		pthread_detach(thread);
	return -rc;
}

static struct timespec deadline(void)
{
	uint64_t at = clock_mono_ns() + CGROUP_LIMIT_MS * NSEC_PER_MSEC;

	return (struct timespec){ .tv_sec = (time_t)(at / NSEC_PER_SEC),
				  .tv_nsec = (long)(at % NSEC_PER_SEC) };
}

/* The timeout applies to each write: progress restarts it. */
static int job_wait(struct write_job *j)
{
	struct timespec until = deadline();
	size_t seen = 0;
	int rc = 0;

	pthread_mutex_lock(&j->lock);
	while (!j->is_over && rc == 0) {
		rc = -pthread_cond_timedwait(&j->changed, &j->lock, &until);
		if (j->written != seen) {
			seen = j->written;
			until = deadline();
			rc = 0;
		}
	}
	j->is_abandoned = !j->is_over;
	rc = j->is_over ? j->rc : rc;
	pthread_mutex_unlock(&j->lock);
	return rc;
}

/* After a timeout, the job belongs to the thread. */
static int job_do(struct write_job *j, int *results)
{
	int rc = j->values.failed ? -ENOMEM : start_thread(j);

	if (rc < 0) {
		job_free(j);
		return rc;
	}
	rc = job_wait(j);
	if (rc == -ETIMEDOUT)
		return rc;
	memcpy(results, j->results, j->count * sizeof(*results));
	job_free(j);
	return rc;
}

int control_write(const char *path, const char *value)
{
	struct write_job *j = job_create(path, 1);
	int result = 0, rc;

	if (!j)
		return -ENOMEM;
	str_addn(&j->values, value, strlen(value) + 1);
	rc = job_do(j, &result);
	return rc < 0 ? rc : result;
}

int control_write_pids(const char *path, const pid_t *pids, size_t count, int *results)
{
	struct write_job *j = count ? job_create(path, count) : NULL;

	if (!count)
		return 0;
	if (!j)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		str_addf(&j->values, "%d", pids[i]);
		str_addc(&j->values, '\0');
	}
	return job_do(j, results);
}
