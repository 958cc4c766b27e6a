// SPDX-License-Identifier: GPL-2.0-only
/* Embeds the files in page/: style sheet and script of the report. */
#include "base/embed.h"
#include "stats/parts.h"

EMBED_TEXT(html_report_style, "src/stats/page/report.css");
EMBED_TEXT(html_report_script, "src/stats/page/report.js");
