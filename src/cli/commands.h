/* SPDX-License-Identifier: GPL-2.0-only */
/* One function per command: the file cmd_NAME.c holds it. */
#ifndef KTSTR_CLI_COMMANDS_H
#define KTSTR_CLI_COMMANDS_H

struct cli_call;

int cmd_shell(const struct cli_call *call);
int cmd_run(const struct cli_call *call);
int cmd_list(const struct cli_call *call);
int cmd_cleanup(const struct cli_call *call);
int cmd_check(const struct cli_call *call);
int cmd_test(const struct cli_call *call);
int cmd_coverage(const struct cli_call *call);
int cmd_llvm_cov_report(const struct cli_call *call);
int cmd_llvm_cov_clean(const struct cli_call *call);
int cmd_llvm_cov_show_env(const struct cli_call *call);
int cmd_explore(const struct cli_call *call);
int cmd_trace(const struct cli_call *call);
int cmd_bisect(const struct cli_call *call);
int cmd_funify(const struct cli_call *call);
int cmd_affected(const struct cli_call *call);
int cmd_perf_delta(const struct cli_call *call);
int cmd_replay(const struct cli_call *call);
int cmd_export(const struct cli_call *call);
int cmd_verifier(const struct cli_call *call);
int cmd_topo(const struct cli_call *call);
int cmd_show_host(const struct cli_call *call);
int cmd_show_dump(const struct cli_call *call);
int cmd_show_thresholds(const struct cli_call *call);
int cmd_doctor(const struct cli_call *call);
int cmd_locks(const struct cli_call *call);
int cmd_completions(const struct cli_call *call);
int cmd_help(const struct cli_call *call);
int cmd_generate_man(const struct cli_call *call);

int cmd_stats(const struct cli_call *call);
int cmd_stats_list(const struct cli_call *call);
int cmd_stats_list_metrics(const struct cli_call *call);
int cmd_stats_list_values(const struct cli_call *call);
int cmd_stats_show_host(const struct cli_call *call);
int cmd_stats_explain_sidecar(const struct cli_call *call);
int cmd_stats_compare(const struct cli_call *call);
int cmd_stats_trend(const struct cli_call *call);
int cmd_stats_merge(const struct cli_call *call);
int cmd_report(const struct cli_call *call);
int cmd_model_fetch(const struct cli_call *call);
int cmd_model_status(const struct cli_call *call);
int cmd_model_clean(const struct cli_call *call);

int cmd_kernel_list(const struct cli_call *call);
int cmd_kernel_build(const struct cli_call *call);
int cmd_kernel_fetch(const struct cli_call *call);
int cmd_kernel_clean(const struct cli_call *call);

int cmd_cache_list(const struct cli_call *call);
int cmd_cache_clean(const struct cli_call *call);

int cmd_ctprof_capture(const struct cli_call *call);
int cmd_ctprof_compare(const struct cli_call *call);
int cmd_ctprof_show(const struct cli_call *call);
int cmd_ctprof_metric_list(const struct cli_call *call);
int cmd_ctprof_info(const struct cli_call *call);
int cmd_ctprof_doctor(const struct cli_call *call);
int cmd_ctprof_watch(const struct cli_call *call);
int cmd_host_state_capture(const struct cli_call *call);
int cmd_host_state_compare(const struct cli_call *call);

#endif
