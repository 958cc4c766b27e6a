/* SPDX-License-Identifier: GPL-2.0-only */
/* The fixed parts of the HTML page: nothing is loaded from elsewhere. */
#ifndef KTSTR_CTPROF_HTML_PAGE_H
#define KTSTR_CTPROF_HTML_PAGE_H

extern const char html_style[];
extern const char html_script[];

#endif
