// Selects once the table for the best instruction set of this CPU and this build.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "virtual_gpu/machine/lanes/built_sets.h"
#include "virtual_gpu/machine/lanes/lane_table.h"

namespace ridge::machine {

// Each is operations/fill.cpp compiled for one instruction set; rare/fill.cpp is compiled once.
namespace lanes_rare {
void fill(LaneTable& table);
}
#if defined(__x86_64__)
namespace lanes_v2 {
RIDGE_IF_BUILT_V2 void fill(LaneTable& table);
}
namespace lanes_v3 {
RIDGE_IF_BUILT_V3 void fill(LaneTable& table);
}
namespace lanes_v4 {
RIDGE_IF_BUILT_V4 void fill(LaneTable& table);
}
#else
namespace lanes_plain {
void fill(LaneTable& table);
}
#endif

namespace {

#if defined(__x86_64__)
// GCC 12 knows the levels by name, but clang 14 only the features, so the features are tested.
bool cpu_has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
bool cpu_has_v4() {
  return cpu_has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
bool is_built(void (*fill)(LaneTable&)) {
  return fill != nullptr;
}
const InstructionSet kInstructionSets[] = {
    {"x86-64-v4", "v4", [] { return is_built(lanes_v4::fill) && cpu_has_v4(); }, lanes_v4::fill},
    {"x86-64-v3", "v3", [] { return is_built(lanes_v3::fill) && cpu_has_v3(); }, lanes_v3::fill},
    {"x86-64-v2", "v2", [] { return is_built(lanes_v2::fill); }, lanes_v2::fill},
};
#else
const InstructionSet kInstructionSets[] = {{"plain", "plain", [] { return true; }, lanes_plain::fill}};
#endif

// The build folder is from another machine: no instruction set is supported, and the first AVX
// instruction would end the program without a message.
[[noreturn]] void end_without_instruction_set() {
  std::string built;
  for (const InstructionSet& set : kInstructionSets)
    if (set.fill) built += std::string(built.empty() ? "" : ", ") + set.name;
  std::fprintf(stderr,
               "ridge: this virtual GPU was built for processors with %s, which this processor lacks. "
               "Build it on this machine (remove build/release, run ./ridge), or carry a build for every "
               "processor: cmake --preset portable && cmake --build --preset portable\n",
               built.c_str());
  _exit(3);
}

const InstructionSet& choose() {
  const char* wanted = std::getenv("RIDGE_ISA");
  for (const InstructionSet& set : kInstructionSets) {
    const bool is_wanted = !wanted || std::string_view(wanted) == set.short_name;
    if (is_wanted && set.is_supported()) return set;
  }
  for (const InstructionSet& set : kInstructionSets) {
    if (!set.is_supported()) continue;
    std::fprintf(
        stderr,
        "RIDGE_ISA=%s is not an instruction set of this CPU and this build: using %s. v2, v3 and v4 are "
        "in a build with -DRIDGE_PORTABLE=ON.\n",
        wanted, set.short_name);
    return set;
  }
  end_without_instruction_set();
}

const InstructionSet& chosen() {
  static const InstructionSet& set = choose();
  return set;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  return kInstructionSets;
}

const LaneTable& lane_table(const InstructionSet& set) {
  struct Built {
    std::once_flag once;
    std::unique_ptr<LaneTable> table;
  };
  // Never destroyed: kernels may still run while the process exits.
  static auto* const built = new Built[std::size(kInstructionSets)];
  Built& mine = built[&set - kInstructionSets];
  std::call_once(mine.once, [&] {
    mine.table = std::make_unique<LaneTable>();
    set.fill(*mine.table);
    lanes_rare::fill(*mine.table);
    mine.table->seal();
  });
  return *mine.table;
}

const LaneOp* find_lane_op(std::string_view opcode) {
  return lane_table(chosen()).find(opcode);
}
std::span<const LaneOp> all_lane_ops() {
  return lane_table(chosen()).all();
}
std::string_view lane_instruction_set() {
  return chosen().name;
}

}  // namespace ridge::machine
