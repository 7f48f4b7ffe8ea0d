// Records what a GPU answers for every lane operation the virtual GPU has, on the operands of lane_cases.h.
//
//   record_ptx OUT_FILE [--compare]
//
// For each opcode of all_lane_ops() it writes a small kernel in PTX, lets the driver's assembler compile it,
// runs it on 2048 sets of operands and appends the results to OUT_FILE (lane_recording.h). With --compare it
// also runs the virtual GPU's own operation and prints where the two differ. tests/hardware/record_ptx.sh
// builds and runs it.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/hardware/lane_recording.h"
#include "tests/hardware/lane_results.h"

using namespace ridge::recorded;
using ridge::machine::LaneOp;

namespace {

void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  const char* name = "?";
  cuGetErrorName(code, &name);
  std::fprintf(stderr, "%s: %s\n", what, name);
  std::exit(1);
}

// A register's declaration, its name and how a 64-bit word gets in and out.
const char* declared(Register reg) {
  return reg == Register::predicate ? ".pred"
         : reg == Register::half    ? ".b16"
         : reg == Register::word    ? ".b32"
                                    : ".b64";
}

std::string load(const std::string& name, Register reg, int slot) {
  const std::string word = "ld.global.b64 %x, [%in+" + std::to_string(8 * slot) + "];\n";
  switch (reg) {
    case Register::predicate:
      return word + "setp.ne.u64 " + name + ", %x, 0;\n";
    case Register::half:
      return word + "cvt.u16.u64 " + name + ", %x;\n";
    case Register::word:
      return word + "cvt.u32.u64 " + name + ", %x;\n";
    default:
      return word + "mov.b64 " + name + ", %x;\n";
  }
}
std::string store(const std::string& name, Register reg, int slot) {
  const std::string word = "st.global.b64 [%out+" + std::to_string(8 * slot) + "], %x;\n";
  switch (reg) {
    case Register::predicate:
      return "selp.b64 %x, 1, 0, " + name + ";\n" + word;
    case Register::half:
      return "cvt.u64.u16 %x, " + name + ";\n" + word;
    case Register::word:
      return "cvt.u64.u32 %x, " + name + ";\n" + word;
    default:
      return "mov.b64 %x, " + name + ";\n" + word;
  }
}

constexpr int kWordsIn = 5, kWordsOut = 3;

std::string kernel_text(std::string_view opcode, const OpcodeKinds& kinds, const std::string& version) {
  std::string text = ".version " + version + "\n.target sm_90a\n.address_size 64\n" +
                     ".visible .entry probe(.param .u64 p_in, .param .u64 p_out) {\n" +
                     ".reg .b64 %in, %out, %x, %o;\n.reg .b32 %i, %t;\n";
  const char* names[] = {"%a", "%b", "%c", "%d"};
  if (kinds.dst.reg != Register::none) text += std::string(".reg ") + declared(kinds.dst.reg) + " %r;\n";
  if (kinds.dst2.reg != Register::none) text += std::string(".reg ") + declared(kinds.dst2.reg) + " %q;\n";
  for (int i = 0; i < 4; ++i)
    if (kinds.in[i].reg != Register::none)
      text += std::string(".reg ") + declared(kinds.in[i].reg) + " " + names[i] + ";\n";
  text +=
      "ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\n"
      "mov.u32 %i, %ctaid.x;\nmov.u32 %t, %ntid.x;\nmul.lo.u32 %i, %i, %t;\nmov.u32 %t, %tid.x;\nadd.u32 %i, "
      "%i, %t;\n"
      "mul.wide.u32 %o, %i, " +
      std::to_string(8 * kWordsIn) +
      ";\nadd.u64 %in, %in, %o;\n"
      "mul.wide.u32 %o, %i, " +
      std::to_string(8 * kWordsOut) + ";\nadd.u64 %out, %out, %o;\n";
  for (int i = 0; i < 4; ++i)
    if (kinds.in[i].reg != Register::none) text += load(names[i], kinds.in[i].reg, i);
  const bool borrows = opcode.starts_with("sub");
  if (kinds.reads_carry)
    text += load("%t", Register::word, 4) +
            (borrows ? "sub.cc.u32 %t, 0, %t;\n" : "add.cc.u32 %t, %t, 0xffffffff;\n");
  text += std::string(opcode) + (kinds.dst2.reg != Register::none ? " %r|%q" : " %r");
  for (int i = 0; i < 4; ++i) {
    if (kinds.in[i].reg == Register::none) continue;
    text += opcode.starts_with("lop3") && i == 3 ? ", " + std::to_string(kRecordedTruthTable)
                                                 : std::string(", ") + names[i];
  }
  text += ";\n";
  if (kinds.writes_carry)
    text += (borrows ? "subc.u32 %t, 0, 0;\nand.b32 %t, %t, 1;\n" : "addc.u32 %t, 0, 0;\n") +
            store("%t", Register::word, 2);
  text += store("%r", kinds.dst.reg, 0);
  if (kinds.dst2.reg != Register::none) text += store("%q", kinds.dst2.reg, 1);
  return text + "ret;\n}\n";
}

void print_differences(const LaneOp& op, const OpcodeKinds& kinds, const std::vector<Result>& gpu) {
  const std::vector<Result> own = results_of(op, kinds);
  int different = 0;
  for (int i = 0; i < kCases; ++i) {
    if (own[i] == gpu[i] || ++different > 6) continue;
    const Operands o = operands_of(op.opcode, kinds, i);
    std::printf("%.*s case %d (%" PRIx64 ", %" PRIx64 ", %" PRIx64 ", %" PRIx64 "; carry %" PRIu64
                "): GPU %" PRIx64 " %" PRIx64 " %" PRIx64 ", own %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
                static_cast<int>(op.opcode.size()), op.opcode.data(), i, o.in[0], o.in[1], o.in[2], o.in[3],
                o.carry, gpu[i].dst, gpu[i].dst2, gpu[i].carry, own[i].dst, own[i].dst2, own[i].carry);
  }
  if (different > 0)
    std::printf("%.*s differs in %d of %d\n", static_cast<int>(op.opcode.size()), op.opcode.data(), different,
                kCases);
}

struct Gpu {
  CUdeviceptr in = 0, out = 0;
  std::string version;  // of PTX: the newest that this driver reads

  Gpu() {
    check(cuInit(0), "cuInit");
    CUdevice device;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    CUcontext context;
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuMemAlloc(&in, 8 * kWordsIn * kCases), "cuMemAlloc");
    check(cuMemAlloc(&out, 8 * kWordsOut * kCases), "cuMemAlloc");
    int driver = 0;
    check(cuDriverGetVersion(&driver), "cuDriverGetVersion");
    version = driver >= 13000 ? "9.0" : driver >= 12080 ? "8.7" : driver >= 12040 ? "8.4" : "8.0";
  }

  // false when the assembler refuses the instruction.
  bool run(std::string_view opcode, const OpcodeKinds& kinds, std::vector<Result>& results) {
    CUmodule module;
    char message[2048] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {message, reinterpret_cast<void*>(sizeof message)};
    const std::string text = kernel_text(opcode, kinds, version);
    const CUresult loaded = cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
    if (loaded != CUDA_SUCCESS) {
      std::printf("refused %.*s: %d %.300s\n", static_cast<int>(opcode.size()), opcode.data(), loaded,
                  message);
      if (loaded != CUDA_ERROR_INVALID_PTX) check(loaded, "cuModuleLoadDataEx");
      return false;
    }
    std::vector<uint64_t> input, output(kWordsOut * kCases);
    for (int i = 0; i < kCases; ++i) {
      const Operands operands = operands_of(opcode, kinds, i);
      input.insert(input.end(), operands.in, operands.in + 4);
      input.push_back(operands.carry);
    }
    check(cuMemcpyHtoD(in, input.data(), 8 * input.size()), "cuMemcpyHtoD");
    check(cuMemsetD8(out, 0, 8 * output.size()), "cuMemsetD8");
    CUfunction function;
    check(cuModuleGetFunction(&function, module, "probe"), "cuModuleGetFunction");
    void* arguments[] = {&in, &out};
    check(cuLaunchKernel(function, kCases / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr),
          "cuLaunchKernel");
    check(cuMemcpyDtoH(output.data(), out, 8 * output.size()), "cuMemcpyDtoH");
    check(cuModuleUnload(module), "cuModuleUnload");
    results.clear();
    for (int i = 0; i < kCases; ++i)
      results.push_back(normalised(
          {output[3 * i] & result_mask(kinds.dst.reg), output[3 * i + 1], output[3 * i + 2]}, opcode, kinds));
    return true;
  }
};

// One of several processes: every `count`-th opcode, beginning with the `index`-th.
std::string record_part(int index, int count, bool compare) {
  Gpu gpu;
  std::string bytes;
  const auto operations = ridge::machine::all_lane_ops();
  for (size_t i = static_cast<size_t>(index); i < operations.size(); i += static_cast<size_t>(count)) {
    const LaneOp& op = operations[i];
    const OpcodeKinds kinds = kinds_of(op);
    if (!kinds.is_ptx) continue;
    Entry entry;
    std::vector<Result> results;
    if (gpu.run(op.opcode, kinds, results)) {
      entry.kind = is_approximate(op.opcode) ? EntryKind::values : EntryKind::hashed;
      if (entry.kind == EntryKind::hashed)
        for (int chunk = 0; chunk < kChunks; ++chunk)
          entry.hashes.push_back(chunk_hash(&results[static_cast<size_t>(chunk * kChunk)]));
      else
        for (const Result& result : results)
          entry.values.push_back(result.dst);
      if (compare) print_differences(op, kinds, results);
    }
    append_entry(bytes, op.opcode, kinds, entry);
  }
  return bytes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: record_ptx OUT_FILE [--compare]\n");
    return 2;
  }
  const std::string path = arguments[1];
  const bool compare = count > 2 && std::string_view(arguments[2]) == "--compare";
  // Assembling is the time it takes, and one process assembles one kernel at a time.
  const int parts = std::max(1, std::min(12, static_cast<int>(std::thread::hardware_concurrency())));
  std::vector<pid_t> children;
  for (int part = 0; part < parts; ++part) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string bytes = record_part(part, parts, compare);
      std::ofstream(path + "." + std::to_string(part), std::ios::binary) << bytes;
      std::fflush(stdout);
      _exit(0);
    }
    children.push_back(child);
  }
  bool complete = true;
  std::ofstream whole(path, std::ios::binary);
  for (int part = 0; part < parts; ++part) {
    int status = 1;
    waitpid(children[static_cast<size_t>(part)], &status, 0);
    complete = complete && status == 0;
    const std::string piece = path + "." + std::to_string(part);
    whole << std::ifstream(piece, std::ios::binary).rdbuf();
    unlink(piece.c_str());
  }
  std::fprintf(stderr, complete ? "recorded %s\n" : "%s is incomplete: a part failed\n", path.c_str());
  return complete ? 0 : 1;
}
