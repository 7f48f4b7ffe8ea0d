// Chooses, once, the table compiled for the best instruction set this CPU has.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "virtual_gpu/machine/lanes/lane_table.h"

namespace ridge::machine {

// Each is operations/fill.cpp compiled for its instruction set; rare/fill.cpp is compiled once.
namespace lanes_rare {
void fill(LaneTable& table);
}
#if defined(__x86_64__)
namespace lanes_v2 {
void fill(LaneTable& table);
}
namespace lanes_v3 {
void fill(LaneTable& table);
}
namespace lanes_v4 {
void fill(LaneTable& table);
}
#else
namespace lanes_plain {
void fill(LaneTable& table);
}
#endif

namespace {

#if defined(__x86_64__)
// GCC 12 knows the levels by name, but clang 14 only the features, so the features are what we ask for.
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
constexpr InstructionSet kInstructionSets[] = {
    {"x86-64-v4", "v4", has_v4, lanes_v4::fill},
    {"x86-64-v3", "v3", has_v3, lanes_v3::fill},
    {"x86-64-v2", "v2", [] { return true; }, lanes_v2::fill},
};
#else
constexpr InstructionSet kInstructionSets[] = {{"plain", "plain", [] { return true; }, lanes_plain::fill}};
#endif

const InstructionSet& choose() {
  const char* wanted = std::getenv("RIDGE_ISA");
  for (const InstructionSet& set : kInstructionSets) {
    const bool is_wanted = !wanted || std::string_view(wanted) == set.short_name;
    if (is_wanted && set.is_supported()) return set;
  }
  for (const InstructionSet& set : kInstructionSets) {
    if (!set.is_supported()) continue;
    std::fprintf(stderr,
                 "RIDGE_ISA=%s is not an instruction set of this CPU: using %s. Set it to v2, v3 or v4.\n",
                 wanted, set.short_name);
    return set;
  }
  return std::end(kInstructionSets)[-1];
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
  static Built built[std::size(kInstructionSets)];
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
