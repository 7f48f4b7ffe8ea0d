// Every lane operation against what an H200 answered (tests/hardware/record_ptx.cu, 2048 sets of operands
// each): to the bit where the manual promises the bits, within the manual's error of the true value where it
// does not.
#include <cmath>
#include <functional>

#include "tests/catch.h"
#include "tests/hardware/lane_recording.h"
#include "tests/hardware/lane_results.h"

using namespace ridge::machine;
using namespace ridge::recorded;

namespace {

const Recording& recording() {
  static const Recording all = read_recording(RIDGE_SOURCE_DIR "/tests/hardware/recorded/lane_ops.bin");
  return all;
}

std::string case_text(const LaneOp& op, const OpcodeKinds& kinds, int index) {
  const Operands o = operands_of(op.opcode, kinds, index);
  char text[160];
  std::snprintf(text, sizeof text, "case %d (%llx, %llx, %llx, %llx)", index,
                static_cast<unsigned long long>(o.in[0]), static_cast<unsigned long long>(o.in[1]),
                static_cast<unsigned long long>(o.in[2]), static_cast<unsigned long long>(o.in[3]));
  return text;
}

// What an approximate instruction should give, and how far from it the manual lets it be. In units of the
// last place of a float (relative 2^-23) unless absolute.
struct Promise {
  std::function<double(double, double)> truth;
  double relative = 0, absolute = 0;
  double largest_operand = INFINITY;  // beyond it nothing is promised
};

Promise promise_of(std::string_view opcode) {
  const std::string_view type = parts_of(opcode).back();
  const auto begins = [&](const char* text) { return opcode.starts_with(text); };
  const auto unary = [](double (*f)(double)) { return [f](double a, double) { return f(a); }; };
  const double f16 = 0x1p-10, bf16 = 0x1p-7;
  if (begins("ex2")) {
    if (type.starts_with("f16"))
      return {unary(std::exp2), 0x1p-9, 0x1p-24};  // 2^-9.9, and half a step of rounding
    if (type.starts_with("bf16")) return {unary(std::exp2), 0x1p-7, 0};
    return {unary(std::exp2), 0x1p-22, 0x1p-126};
  }
  if (begins("tanh")) {
    if (type.starts_with("f16")) return {unary(std::tanh), f16, 0x1p-10};
    if (type.starts_with("bf16")) return {unary(std::tanh), bf16, 0x1p-8};
    return {unary(std::tanh), std::exp2(-10.98), 0};
  }
  if (begins("lg2")) return {unary(std::log2), 0x1p-21, std::exp2(-21.6)};
  if (begins("sin")) return {unary(std::sin), 0, std::exp2(-20.5), 2 * M_PI};
  if (begins("cos")) return {unary(std::cos), 0, std::exp2(-20.5), 2 * M_PI};
  if (begins("rcp") && type == "f64") return {[](double a, double) { return 1 / a; }, 0x1p-19, 0};
  if (begins("rsqrt") && type == "f64")
    return {[](double a, double) { return 1 / std::sqrt(a); }, 0x1p-19, 0};
  if (begins("rcp")) return {[](double a, double) { return 1 / a; }, 0x1p-23, 0x1p-149};
  if (begins("rsqrt")) return {[](double a, double) { return 1 / std::sqrt(a); }, std::exp2(-22.4), 0};
  if (begins("sqrt")) return {unary(std::sqrt), 0x1p-23, 0};
  return {[](double a, double b) { return a / b; }, 0x1p-22, 0x1p-148};  // div.approx, div.full
}

double value_of(uint64_t bits, std::string_view type, bool flushes) {
  double value = 0;
  double least = 0;
  const auto small = [&](int mantissa, int exponent_bits) {
    const uint64_t fraction = bits & ((1u << mantissa) - 1);
    const int top = (1 << exponent_bits) - 1, exponent = static_cast<int>(bits >> mantissa) & top,
              bias = top / 2;
    double magnitude = exponent == 0 ? std::ldexp(static_cast<double>(fraction), 1 - bias - mantissa)
                                     : std::ldexp(static_cast<double>(fraction + (1u << mantissa)),
                                                  exponent - bias - mantissa);
    if (exponent == top) magnitude = fraction ? NAN : INFINITY;
    least = std::ldexp(1.0, 1 - bias);
    return bits >> (mantissa + exponent_bits) & 1 ? -magnitude : magnitude;
  };
  if (type == "f16")
    value = small(10, 5);
  else if (type == "bf16")
    value = small(7, 8);
  else if (type == "f32")
    value = small(23, 8);
  else
    value = std::bit_cast<double>(bits), least = 0x1p-1022;
  return flushes && std::fabs(value) < least ? std::copysign(0.0, value) : value;
}

// The largest error beyond what is promised, of results in halves or whole; empty when there is none.
std::string check_promise(std::string_view who, const LaneOp& op, const OpcodeKinds& kinds, int index,
                          uint64_t result) {
  const Promise promise = promise_of(op.opcode);
  const bool flushes = op.opcode.find(".ftz") != std::string_view::npos;
  std::string_view type = parts_of(op.opcode).back();
  const int count = type.ends_with("x2") ? 2 : 1;
  if (count == 2) type.remove_suffix(2);
  const Operands operands = operands_of(op.opcode, kinds, index);
  for (int half = 0; half < count; ++half) {
    const auto part = [&](uint64_t bits) { return count == 2 ? bits >> 16 * half & 0xffff : bits; };
    double a = value_of(part(operands.in[0]), type, flushes),
           b = value_of(part(operands.in[1]), type, flushes);
    const double got = value_of(part(result), type, false);
    if (std::fabs(a) > promise.largest_operand) continue;
    // What the manual says of division by the largest numbers: the quotient is 0, or NaN for infinity.
    const double limit = op.opcode.starts_with("div.full") ? 0x1p128 : 0x1p126;
    if (op.opcode.starts_with("div") && std::fabs(b) > limit * 0.999999 && std::isfinite(b)) continue;
    const double truth = promise.truth(a, b);
    const double least = type == "f16" ? 0x1p-14 : 0x1p-126, most = type == "f16" ? 65504.0 : 0x1.fffffep127;
    bool good;
    if (std::isnan(truth))
      good = std::isnan(got);
    else if (type != "f64" && std::fabs(truth) > most)
      good = std::fabs(got) >= most * (1 - promise.relative);
    else if (std::isinf(truth))
      good = got == truth;
    else
      good = std::fabs(got - truth) <= promise.relative * std::fabs(truth) + promise.absolute;
    // A result too small for the type may be flushed, and with .ftz is.
    if (!good && std::fabs(truth) < least * 1.001) good = std::fabs(got) <= least;
    if (!good && type == "f64" && std::fabs(truth) < 0x1p-1021) good = std::fabs(got) <= 0x1p-1021;
    if (!good) {
      char text[200];
      std::snprintf(text, sizeof text, "%s: %s gives %.10g for %.10g, %.10g; the true value is %.10g",
                    std::string(who).c_str(), case_text(op, kinds, index).c_str(), got, a, b, truth);
      return text;
    }
  }
  return {};
}

}  // namespace

TEST_CASE("exact operations give the bits that an H200 gave") {
  int compared = 0;
  for (const LaneOp& op : all_lane_ops()) {
    const auto found = recording().find(std::string(op.opcode));
    if (found == recording().end() || found->second.kind != EntryKind::hashed) continue;
    const OpcodeKinds kinds = kinds_of(op);
    const std::vector<Result> results = results_of(op, kinds);
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      if (chunk_hash(&results[static_cast<size_t>(chunk * kChunk)]) ==
          found->second.hashes[static_cast<size_t>(chunk)])
        continue;
      FAIL_CHECK(op.opcode << ": one of " << kChunk << " results differs from the H200's, beginning with "
                           << case_text(op, kinds, chunk * kChunk)
                           << "; record_ptx --compare on a GPU says which");
      break;
    }
    ++compared;
  }
  CHECK(compared > 5000);
}

TEST_CASE("approximate operations, the H200's and ours, are as near the true value as the manual promises") {
  int compared = 0;
  for (const LaneOp& op : all_lane_ops()) {
    const auto found = recording().find(std::string(op.opcode));
    if (found == recording().end() || found->second.kind != EntryKind::values) continue;
    const OpcodeKinds kinds = kinds_of(op);
    const std::vector<Result> results = results_of(op, kinds);
    int wrong = 0;
    for (int index = 0; index < kCases; ++index)
      for (const std::string& text :
           {check_promise("own", op, kinds, index, results[static_cast<size_t>(index)].dst),
            check_promise("H200", op, kinds, index, found->second.values[static_cast<size_t>(index)])})
        if (!text.empty() && ++wrong <= 3) FAIL_CHECK(op.opcode << ", " << text);
    ++compared;
  }
  CHECK(compared == 30);
}

TEST_CASE("what the assembler refuses for sm_90 stays what it was") {
  int refused = 0;
  for (const LaneOp& op : all_lane_ops()) {
    const auto found = recording().find(std::string(op.opcode));
    refused += kinds_of(op).is_ptx && found != recording().end() && found->second.kind == EntryKind::refused;
  }
  // f32x2 and mixed precision, which later GPUs have, and combinations of modifiers that PTX does without. What they and
  // the operations without an entry give is in unrecorded_test.cpp.
  CHECK(refused == 260);
}
