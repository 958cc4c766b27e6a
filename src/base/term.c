// SPDX-License-Identifier: GPL-2.0-only
/* Properties of the terminal, and closing stdout. */
#include "base/term.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>

#include "base/base.h"

void term_fill_standard_fds(void)
{
	/* Opened in the opposite mode: use fails with EBADF, as on a closed descriptor. */
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) < 0)
			_exit(EXIT_FAILURE);
}

void term_init_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (!str_eq(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

bool term_knows_escapes(FILE *stream)
{
	const char *term = env_get("TERM");

	return isatty(fileno(stream)) && term && !str_eq(term, "dumb");
}

bool term_has_colour(FILE *stream)
{
	return term_knows_escapes(stream) && !env_get("NO_COLOR");
}

unsigned int term_width(FILE *stream)
{
	const char *columns = env_get("COLUMNS");
	struct winsize size;
	uint64_t value;

	if (!isatty(fileno(stream)))
		return 0;
	if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	if (columns && parse_u64(columns, &value) == 0 && value > 0 && value < 10000)
		return (unsigned int)value;
	return 80;
}

/* First write error of stdout; the stream only records that there was one. */
static int stdout_error;

void term_flush(FILE *stream)
{
	if (fflush(stream) != 0 && stream == stdout && !stdout_error)
		stdout_error = errno;
}

int term_close_stdout(void)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return 0;
	return err_sys(stdout_error ? stdout_error :
		       errno	    ? errno :
				      EIO,
		       "write to standard output");
}
