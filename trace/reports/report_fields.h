// The fields of reports with their names in JSON, each listed once: for writing and for reading.
#pragma once

namespace ridge::trace {

template <typename Counts, typename Visit>
void visit_counts(Counts& counts, Visit visit) {
  visit("file", counts.file);
  visit("line", counts.line);
  visit("ptx_line", counts.ptx_line);
  visit("text", counts.text);
  visit("opcode", counts.opcode);
  visit("space", counts.space);
  visit("kind", counts.kind);
  visit("executions", counts.executions);
  visit("lanes", counts.lanes);
  visit("requests", counts.requests);
  visit("sectors", counts.sectors);
  visit("ideal_sectors", counts.ideal_sectors);
  visit("tags", counts.tags);
  visit("wavefronts", counts.wavefronts);
  visit("ideal_wavefronts", counts.ideal_wavefronts);
  visit("bytes", counts.bytes);
  visit("l1_hits", counts.l1_hits);
  visit("l2_sectors", counts.l2_sectors);
  visit("l2_hits", counts.l2_hits);
  visit("dram_bytes", counts.dram_bytes);
  visit("sass_executions", counts.sass_executions);
  visit("sass_wavefronts", counts.sass_wavefronts);
  visit("sass_ideal_wavefronts", counts.sass_ideal_wavefronts);
  visit("sass_loop_load_wavefronts", counts.sass_loop_load_wavefronts);
}

template <typename Branch, typename Visit>
void visit_branch(Branch& branch, Visit visit) {
  visit("file", branch.file);
  visit("line", branch.line);
  visit("ptx_line", branch.ptx_line);
  visit("text", branch.text);
  visit("executions", branch.executions);
  visit("divergences", branch.divergences);
}

template <typename Class, typename Visit>
void visit_class(Class& counts, Visit visit) {
  visit("name", counts.name);
  visit("in_code", counts.in_code);
  visit("executed", counts.executed);
}

template <typename Opcode, typename Visit>
void visit_opcode(Opcode& counts, Visit visit) {
  visit("opcode", counts.opcode);
  visit("executed", counts.executed);
}

template <typename Summary, typename Visit>
void visit_summary(Summary& summary, Visit visit) {
  visit("range_summary", summary.range);
  visit("launches", summary.launches);
  visit("last_number", summary.last_number);
  visit("copies", summary.copies);
  visit("copied_bytes", summary.copied_bytes);
  visit("fills", summary.fills);
  visit("filled_bytes", summary.filled_bytes);
  visit("api_calls", summary.api_calls);
  visit("launch_calls", summary.launch_calls);
  visit("synchronizations", summary.synchronizations);
  visit("allocations", summary.allocations);
  visit("graph_launches", summary.graph_launches);
  visit("graph_instantiations", summary.graph_instantiations);
}

template <typename Link, typename Visit>
void visit_link(Link& link, Visit visit) {
  visit("source", link.source);
  visit("destination", link.destination);
  visit("kind", link.kind);
  visit("bytes", link.bytes);
  visit("requests", link.requests);
  visit("strong_requests", link.strong_requests);
  visit("of_32", link.requests_by_sectors[0]);
  visit("of_64", link.requests_by_sectors[1]);
  visit("of_96", link.requests_by_sectors[2]);
  visit("of_128", link.requests_by_sectors[3]);
}

template <typename FindingType, typename Visit>
void visit_finding(FindingType& finding, Visit visit) {
  visit("check", finding.check);
  visit("message", finding.message);
  visit("file", finding.file);
  visit("line", finding.line);
  visit("ptx_line", finding.ptx_line);
  visit("block", finding.block);
  visit("thread", finding.thread);
  visit("called_from", finding.called_from);
  visit("cause", finding.cause);
  visit("advice", finding.advice);
}

template <typename Value, typename Visit>
void visit_value(Value& value, Visit visit) {
  visit("name", value.name);
  visit("text", value.text);
}

// All fields except the version and the lists.
template <typename Report, typename Visit>
void visit_report(Report& report, Visit visit) {
  visit("kernel", report.kernel);
  visit("device", report.device);
  visit("device_number", report.device_number);
  visit("range", report.range);
  visit("number", report.number);
  visit("on_default_stream", report.on_default_stream);
  visit("grid", report.grid);
  visit("block", report.block);
  visit("registers_per_thread", report.registers_per_thread);
  visit("static_shared_bytes", report.static_shared_bytes);
  visit("dynamic_shared_bytes", report.dynamic_shared_bytes);
  visit("local_bytes_per_thread", report.local_bytes_per_thread);
  visit("occupancy", report.occupancy);
  visit("occupancy_limiter", report.occupancy_limiter);
  visit("warp_instructions", report.warp_instructions);
  visit("thread_instructions", report.thread_instructions);
  visit("busiest_block_instructions", report.busiest_block_instructions);
  visit("barriers", report.barriers);
  visit("may_begin_early", report.may_begin_early);
  visit("early_load_bytes", report.early_load_bytes);
  visit("divergent_branches", report.divergent_branches);
  visit("shared_requests", report.shared_requests);
  visit("shared_wavefronts", report.shared_wavefronts);
  visit("shared_conflicts", report.shared_conflicts);
  visit("blocks_per_sm", report.blocks_per_sm);
  visit("warps_per_sm", report.warps_per_sm);
  visit("limit_threads", report.limit_threads);
  visit("limit_blocks", report.limit_blocks);
  visit("limit_registers", report.limit_registers);
  visit("limit_shared_memory", report.limit_shared_memory);
  visit("shared_carveout_bytes", report.shared_carveout_bytes);
  visit("l1_bytes", report.l1_bytes);
  visit("sass_instructions", report.sass_instructions);
  visit("sass_code_bytes", report.sass_code_bytes);
  visit("sass_shared_wavefronts", report.sass_shared_wavefronts);
  visit("sass_shared_conflicts", report.sass_shared_conflicts);
  visit("load_round_trips", report.load_round_trips);
  visit("spill_loads_in_code", report.spill_loads_in_code);
  visit("spill_stores_in_code", report.spill_stores_in_code);
  visit("spill_loads", report.spill_loads);
  visit("spill_stores", report.spill_stores);
  visit("copy_groups", report.copy_groups);
  visit("wgmma_drains", report.wgmma_drains);
  visit("instructions_behind_copies", report.instructions_behind_copies);
  visit("wgmma_groups", report.wgmma_groups);
  visit("instructions_behind_wgmma", report.instructions_behind_wgmma);
  visit("l1_load_sectors", report.l1_load_sectors);
  visit("l1_load_hits", report.l1_load_hits);
  visit("l2_read_sectors", report.l2_read_sectors);
  visit("l2_write_sectors", report.l2_write_sectors);
  visit("l2_atomic_sectors", report.l2_atomic_sectors);
  visit("l2_read_hits", report.l2_read_hits);
  visit("dram_read_bytes", report.dram_read_bytes);
  visit("dram_write_bytes", report.dram_write_bytes);
  visit("ideal_bytes", report.ideal_bytes);
  visit("peer_ideal_bytes", report.peer_ideal_bytes);
  visit("cache_sample", report.cache_sample);
  visit("host_seconds", report.host_seconds);
  visit("host_threads", report.host_threads);
  visit("checks", report.checks);
}

}  // namespace ridge::trace
