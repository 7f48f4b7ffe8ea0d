// The observers of one recorded launch, and what they and the launch itself report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/launch_report.h"
#include "virtual_gpu/observe/caches/cache_model.h"
#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/counts/launch_counter.h"
#include "virtual_gpu/observe/counts/link_counter.h"
#include "virtual_gpu/observe/observer_list.h"
#include "virtual_gpu/observe/races/dependent_launch.h"
#include "virtual_gpu/observe/races/devices/peer_races.h"
#include "virtual_gpu/observe/trace/trace_recorder.h"
#include "virtual_gpu/runtime/report/launch_recorder.h"

namespace ridge::runtime {

struct LaunchRecorder::Parts {
  const LaunchRequest& request;
  const LoadedKernel& kernel;
  Device& device;
  const machine::LaunchConfig& config;
  const uint32_t range;  // of the profiler; 0: none
  const uint64_t threads_per_block, blocks;
  std::optional<observe::LaunchCounter> counter;
  std::optional<observe::CacheModel> caches;
  uint32_t shared_carveout_bytes = 0, l1_bytes = 0;  // 0: no caches are modelled
  std::optional<observe::TraceRecorder> recorder;
  std::optional<observe::Checks> checker;
  std::optional<observe::DependentLaunch> dependent;
  std::optional<observe::PeerRaces> peer_races;
  std::optional<observe::LinkCounter> links;
  uint32_t link_launch = 0;  // LinkLog::begin_launch
  observe::ObserverList list;

  Parts(const LaunchRequest& launch, const LoadedKernel& loaded, Device& runs_on,
        const machine::LaunchConfig& machine_config);
  std::string kernel_name() const;  // demangled
  std::string device_name() const;
  uint64_t warps_per_block() const { return (threads_per_block + 31) / 32; }
  warp_model::Occupancy occupancy() const;

  // Each makes an observer and adds it to the list, if the launch and the settings need it.
  void check_accesses();
  void follow_dependence();
  void follow_peers();
  void count_accesses();
  void make_caches();
  void record_trace();

  trace::LaunchReport report(const machine::LaunchOutcome& outcome, double host_seconds,
                             observe::SpillsBehind& spills) const;
  trace::TraceLaunch trace_launch() const;
  trace::BlockPlacement placement() const;
};

}  // namespace ridge::runtime
