/* Lines that tell what is going on: "ktstr: text" on stderr, nothing with --quiet. */
#ifndef KTSTR_KERNEL_SAY_H
#define KTSTR_KERNEL_SAY_H

void say(const char *label, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
