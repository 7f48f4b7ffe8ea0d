#include "harness/grade/findings/check_causes.h"

namespace ridge::grade {

namespace {

// Maps a check's cause to its finding. An empty cause matches any; that row is the last of its
// check.
struct CheckCause {
  std::string_view check, cause, id;
};
constexpr CheckCause kCheckCauses[] = {
    {"out_of_bounds", "index", "out_of_bounds.index"},
    {"out_of_bounds", "negative_index", "out_of_bounds.negative_index"},
    {"out_of_bounds", "shared_index", "out_of_bounds.shared_index"},
    {"out_of_bounds", "shared_negative_index", "out_of_bounds.negative_index"},
    {"out_of_bounds", "cluster_rank", "out_of_bounds.cluster_rank"},
    {"out_of_bounds", "cluster_block_ended", "out_of_bounds.cluster_block_ended"},
    {"out_of_bounds", "product_descriptor", "out_of_bounds.mma_descriptor"},
    {"out_of_bounds", "", "out_of_bounds.access"},
    {"misaligned", "", "out_of_bounds.misaligned"},

    {"barrier", "mbarrier_arrivals", "deadlock.mbarrier_arrivals"},
    {"barrier", "mbarrier_uninitialised", "deadlock.mbarrier_uninitialised"},
    {"barrier", "mbarrier_invalidated", "deadlock.mbarrier_use"},
    {"barrier", "mbarrier_count", "deadlock.mbarrier_use"},
    {"barrier", "mbarrier_no_complete", "deadlock.mbarrier_use"},
    {"barrier", "mbarrier_not_shared", "deadlock.mbarrier_use"},
    {"barrier", "mbarrier_other_block", "deadlock.mbarrier_use"},
    {"barrier", "barrier_missed", "deadlock.block_barrier"},
    {"barrier", "two_barriers", "deadlock.two_barriers"},
    {"barrier", "named_barrier_missed", "deadlock.named_barrier"},
    {"barrier", "named_barrier_count", "deadlock.named_barrier"},
    {"barrier", "named_barrier_number", "deadlock.named_barrier"},
    {"barrier", "cluster_unpaired", "deadlock.cluster_barrier"},
    {"barrier", "cluster_barrier_missed", "deadlock.cluster_barrier"},
    {"barrier", "warp_mask", "deadlock.warp_lanes"},
    {"barrier", "warp_lanes_missed", "deadlock.warp_lanes"},
    {"barrier", "matrix_lanes_missed", "deadlock.matrix_lanes"},
    {"barrier", "warpgroup_partial", "deadlock.warpgroup"},
    {"barrier", "warpgroup_descriptors", "deadlock.warpgroup_descriptors"},
    {"barrier", "", "deadlock.barrier"},
    {"deadlock", "wait_passed_at_once", "deadlock.wait_passed_at_once"},
    {"deadlock", "mbarrier_overrun", "deadlock.mbarrier_overrun"},
    {"deadlock", "announced_too_few", "deadlock.announced_too_few"},
    {"deadlock", "first_phases", "deadlock.first_phases"},
    {"deadlock", "mbarrier_phase", "deadlock.mbarrier_phase"},
    {"deadlock", "", "deadlock.waits"},

    {"race", "wait_passed_at_once", "race.wait_passed_at_once"},
    {"race", "mbarrier_overrun", "race.mbarrier_overrun"},
    {"race", "announced_too_few", "race.announced_too_few"},
    {"race", "waited_by_none", "race.waited_by_none"},
    {"race", "waited_by_some", "race.waited_by_some"},
    {"race", "copy_not_waited", "race.copy_not_waited"},
    {"race", "copy_waited_by_others", "race.copy_waited_by_others"},
    {"race", "group_not_waited", "race.group_not_waited"},
    {"race", "group_not_committed", "race.group_not_committed"},
    {"race", "wait_lets_group_through", "race.wait_lets_group_through"},
    {"race", "store_not_waited", "race.store_not_waited"},
    {"race", "copy_at_exit", "race.copy_at_exit"},
    {"race", "copy_too_early", "race.copy_too_early"},
    {"race", "two_copies", "race.two_copies"},
    {"race", "copy_over_landed", "race.two_copies"},
    {"race", "product_not_waited", "race.mma_not_waited"},
    {"race", "product_not_released", "race.mma_not_released"},
    {"race", "warpgroup_fence", "race.mma_fence"},
    {"race", "accumulators_changed", "race.mma_fence"},
    {"race", "accumulators_in_flight", "race.mma_registers"},
    {"race", "registers_in_flight", "race.mma_registers"},
    {"race", "proxy_fence", "race.proxy_fence"},
    {"race", "shared_read_too_early", "race.shared_read_too_early"},
    {"race", "shared_written_too_early", "race.shared_written_too_early"},
    {"race", "shared_two_writes", "race.shared_two_writes"},
    {"race", "shared_one_instruction", "race.shared_one_instruction"},
    {"race", "global_one_block", "race.global_one_block"},
    {"race", "blocks_write", "race.blocks_write"},
    {"race", "blocks_update", "race.blocks_update"},
    {"race", "blocks_read", "race.blocks_read"},
    {"race", "flag_order", "race.flag_order"},
    {"race", "dependency_wait", "race.dependency_wait"},
    {"race", "dependency_overwrite", "race.dependency_overwrite"},
    {"race", "peer_not_ordered", "race.peer_not_ordered"},
    {"race", "peer_written_after_flag", "race.peer_written_after_flag"},
    {"race", "peer_flag_not_released", "race.peer_flag"},
    {"race", "peer_flag_not_acquired", "race.peer_flag"},
    {"race", "peer_flag_scope", "race.peer_flag"},
    {"race", "peer_plain_flag", "race.peer_flag"},
    {"race", "peer_two_writes", "race.peer_two_writes"},
    {"race", "peer_copy", "race.peer_copy"},
    {"race", "peer_output", "race.output_incomplete"},
    {"race", "cluster_not_started", "race.cluster_not_started"},
    {"race", "cluster_copy", "race.cluster_copy"},
    {"race", "cluster_access", "race.cluster_access"},
    {"race", "cluster_early_end", "race.cluster_early_end"},
    {"race", "mbarrier_init_block", "race.mbarrier_init"},
    {"race", "mbarrier_init_cluster", "race.mbarrier_init"},
    {"race", "", "race.unordered"},

    {"uninitialised", "atomic_on_unwritten", "uninitialised.atomic"},
    {"uninitialised", "absent_lane", "uninitialised.absent_lane"},
    {"uninitialised", "shared_unwritten", "uninitialised.shared"},
    {"uninitialised", "local_unwritten", "uninitialised.local"},
    {"uninitialised", "variable_unset", "uninitialised.variable"},
    {"uninitialised", "", "uninitialised.read"},

    {"time_limit", "endless", "timeout.endless_loop"},
    {"time_limit", "too_much_work", "timeout.too_much_work"},
    {"time_limit", "", "timeout.kernel"},
    {"trap", "local_memory", "launch_error.local_memory"},
    {"trap", "stack_overflow", "launch_error.stack_overflow"},
    {"trap", "", "launch_error.trap"},
    {"assertion", "", "launch_error.assertion"},
    {"unknown_instruction", "", "launch_error.unknown_instruction"},
};

}  // namespace

std::string_view finding_of_cause(std::string_view check, std::string_view cause) {
  for (const CheckCause& row : kCheckCauses)
    if (row.check == check && (row.cause.empty() || row.cause == cause)) return row.id;
  return "launch_error.stopped";
}

}  // namespace ridge::grade
