// The lane operations that no GPU of sm_90 has, so that none was recorded: names of ours, what later GPUs
// have, and modifiers that the assembler refuses but the tables hold. Each must be what it is made of: an
// operation that was recorded, or plain C++. The last test makes sure that no operation is without an
// expectation.
#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "tests/catch.h"
#include "tests/hardware/lane_recording.h"
#include "tests/virtual_gpu/machine/lanes/cases.h"

using namespace ridge::machine;
using namespace ridge::recorded;

namespace {

using In = std::array<uint64_t, 4>;
using Expectation = std::function<uint64_t(const In&)>;

uint64_t one(const std::string& opcode, In in) {
  const LaneOp* op = find_lane_op(opcode);
  if (op == nullptr) FAIL("no lane operation " << opcode);
  return run(*op, in).dst;
}
std::string without(std::string text, const std::string& part) {
  const size_t at = text.find(part);
  return at == std::string::npos ? text : text.erase(at, part.size());
}
uint64_t mask_of(int bits) {
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

int bits_of_type(std::string_view type) {
  const size_t digits = type.find_first_of("0123456789");
  return std::atoi(std::string(type.substr(digits)).c_str());
}

// pack.b64.b16x4 and unpack.b16x4.b64.2, unpack.b32x2.b64 (dst only; dst2 is in moves' own tests).
Expectation packing(const std::vector<std::string_view>& parts) {
  const bool packs = parts[0] == "pack";
  const std::string_view many = packs ? parts[2] : parts[1];
  const size_t x = many.find('x');
  const int count = many[x + 1] - '0', bits = bits_of_type(many.substr(0, x));
  if (packs)
    return [=](const In& in) {
      uint64_t result = 0;  // of 128 bits the low half
      for (int i = 0; i < count && i * bits < 64; ++i)
        result |= (in[static_cast<size_t>(i)] & mask_of(bits)) << i * bits;
      return result;
    };
  const int which = parts.size() > 3 ? parts[3][0] - '0' : 0;
  return [=](const In& in) { return which * bits < 64 ? in[0] >> which * bits & mask_of(bits) : 0; };
}

// vadd4.s32.u32.s32.sat and its kind, element by element in 64-bit integers.
Expectation video(const std::vector<std::string_view>& parts) {
  const std::string base(parts[0]), name = base.substr(1, base.size() - 2);
  const int count = base.back() - '0', bits = 32 / count;
  const bool is_set = name == "set", adds = parts.back() == "add", saturates = parts.back() == "sat";
  const bool to_signed = !is_set && parts[1] == "s32";
  const bool a_signed = parts[is_set ? 1 : 2] == "s32", b_signed = parts[is_set ? 2 : 3] == "s32";
  const std::string compare(is_set ? parts[3] : "");
  return [=](const In& in) {
    const int64_t most = (int64_t{1} << (to_signed ? bits - 1 : bits)) - 1, least = to_signed ? -most - 1 : 0;
    uint64_t packed = 0, sum = in[2];
    for (int i = 0; i < count; ++i) {
      const auto element = [&](uint64_t word, bool is_signed) {
        const auto raw = static_cast<int64_t>(word >> i * bits & mask_of(bits));
        return is_signed && raw >> (bits - 1) ? raw - (int64_t{1} << bits) : raw;
      };
      const int64_t a = element(in[0], a_signed), b = element(in[1], b_signed);
      int64_t value = 0;
      if (name == "add") value = a + b;
      if (name == "sub") value = a - b;
      if (name == "avrg") value = (a + b + (a + b >= 0)) >> 1;
      if (name == "absdiff") value = std::abs(a - b);
      if (name == "min") value = std::min(a, b);
      if (name == "max") value = std::max(a, b);
      if (is_set)
        value = compare == "eq"   ? a == b
                : compare == "ne" ? a != b
                : compare == "lt" ? a < b
                : compare == "le" ? a <= b
                : compare == "gt" ? a > b
                                  : a >= b;
      if (saturates) value = std::clamp(value, least, most);
      packed |= (static_cast<uint64_t>(value) & mask_of(bits)) << i * bits;
      sum += static_cast<uint64_t>(value);
    }
    return (adds ? sum : packed) & 0xffffffff;
  };
}

// What an operation that was not recorded must give, by operations that were; empty when nothing is known.
Expectation expectation_of(const std::string& opcode) {
  const auto parts = parts_of(opcode);
  const std::string_view base = parts.front(), type = parts.back();
  if (base == "pack" || base == "unpack") return packing(parts);
  if (opcode.ends_with(":scalar")) return {};
  if (base[0] == 'v') return video(parts);
  if (type == "relu")  // min.s32.relu is min.relu.s32
    return [plain = std::string(base) + ".relu." + std::string(parts[1])](const In& in) {
      return one(plain, in);
    };
  if (opcode == "mov.b128") return [](const In& in) { return in[0]; };
  if (base == "min3" || base == "max3") {
    const std::string two = opcode.substr(0, 3) + opcode.substr(4);
    return [=](const In& in) { return one(two, {one(two, {in[0], in[1]}), in[2]}); };
  }
  if (opcode == "lop3.or.b32" || opcode == "lop3.and.b32")  // the predicate's part is in bits_test.cpp
    return [](const In& in) { return one("lop3.b32", {in[0], in[1], in[2], in[3] & 0xff}); };
  if (type == "f32x2") {
    const std::string scalar = opcode.substr(0, opcode.size() - 2);
    return [=](const In& in) {
      uint64_t halves[2];
      for (int half = 0; half < 2; ++half) {
        In part;
        for (size_t i = 0; i < 4; ++i)
          part[i] = in[i] >> 32 * half & 0xffffffff;
        halves[half] = one(scalar, part);
      }
      return halves[0] | halves[1] << 32;
    };
  }
  if (opcode.ends_with(":minus") || opcode.ends_with(":subtracted")) {  // fma with the sign of c, or of a, flipped
    const std::string plain = opcode.substr(0, opcode.find(':'));
    const uint64_t sign = plain.ends_with("x2")    ? 0x80008000
                          : plain.ends_with("f64") ? uint64_t{1} << 63
                          : plain.ends_with("f32") ? 0x80000000
                                                   : 0x8000;
    const size_t flipped = opcode.ends_with(":minus") ? 2 : 0;
    return [=](In in) {
      in[flipped] ^= sign;
      return one(plain, in);
    };
  }
  if (const size_t colon = opcode.find(':'); colon != std::string::npos) {
    // The low bits go in; what comes out fills the register with its sign or with zeros.
    const std::string plain = opcode.substr(0, colon);
    const std::string_view to = parts[parts.size() - 2];
    const bool widens = opcode.find(":to64") != std::string::npos, is_signed = to[0] == 's';
    return [=](const In& in) {
      const uint64_t result = one(plain, {in[0]});
      return widens && is_signed ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(result)))
                                 : result;
    };
  }
  // Mixed precision: the small operands widened first. add and sub widen one, fma two.
  if ((base == "add" || base == "sub" || base == "fma") && (type == "f16" || type == "bf16")) {
    const std::string small(type), wide = opcode.substr(0, opcode.size() - small.size() - 1);
    const size_t count = base == "fma" ? 2 : 1;
    return [=](const In& in) {
      In widened = in;
      for (size_t i = 0; i < count; ++i)
        widened[i] = one("cvt.f32." + small, {in[i]});
      return one(wide, widened);
    };
  }
  if (base == "set" && opcode.ends_with(".ftz.bf16.f32"))  // 1.0 in another format
    return [f16 = opcode.substr(0, opcode.size() - 8) + "f16.f32"](const In& in) {
      return one(f16, in) == 0x3c00 ? uint64_t{0x3f80} : 0;
    };
  if (base != "cvt") return {};
  const std::string to(parts[parts.size() - 2]), from(type);
  const bool is_integer_source = from[0] == 'u' || from[0] == 's',
             is_integer_result = to[0] == 'u' || to[0] == 's';
  // From bf16, and small integers from and to bf16: through f32, which holds all of them.
  if (from == "bf16" && to == "bf16") {
    const std::string wide = opcode.substr(0, opcode.size() - 9) + "f32.f32";
    return [=](const In& in) { return one(wide, {one("cvt.f32.bf16", {in[0]})}) >> 16; };
  }
  if (from == "bf16") {
    std::string wide = opcode.substr(0, opcode.size() - 4) + "f32";
    if (to == "f32" || to == "f64" || find_lane_op(wide) != nullptr) {
      if (to == "f32" && opcode.find("ftz") == std::string::npos) wide = "cvt.sat.f32.f32";
      return [=](const In& in) { return one(wide, {one("cvt.f32.bf16", {in[0]})}); };
    }
  }
  if (to == "bf16" && opcode.find(".sat") != std::string::npos) {
    // Clamping to [0, 1] and rounding may be done in either order: both ends are representable.
    const std::string plain = without(opcode, ".sat");
    return
        [=](const In& in) { return one("cvt.sat.f32.f32", {one("cvt.f32.bf16", {one(plain, in)})}) >> 16; };
  }
  if (to == "bf16" && is_integer_source && find_lane_op("cvt.rn.f32." + from) != nullptr) {
    const std::string rounded = std::string(parts[0]) + "." + std::string(parts[1]) + ".bf16.f32";
    return [=](const In& in) {
      return one(rounded, {one("cvt.rn.f32." + from, {in[0]})});
    };  // exact: 8 and 16 bits
  }
  if (is_integer_source && is_integer_result && opcode.starts_with("cvt.sat."))  // nothing to clamp
    return [=](const In& in) { return one(without(opcode, ".sat"), in); };
  if (to == "f16" && from == "bf16") return {};
  if (to == "tf32") {
    const std::string plain = without(without(opcode, ".satfinite"), ".relu");
    const bool finite = opcode.find("satfinite") != std::string::npos,
               relu = opcode.find("relu") != std::string::npos;
    return [=](const In& in) {
      uint64_t result = one(plain, {in[0]});
      const bool is_nan = (result & 0x7fffffff) > 0x7f800000;
      if (finite && (result & 0x7fffffff) == 0x7f800000) result = (result & 0x80000000) | 0x7f7fe000;
      if (relu && !is_nan && result >> 31) result = 0;
      return result;
    };
  }
  if (to == "f16" && opcode.find(".sat") != std::string::npos) return {};
  return {};
}

bool is_recorded(const LaneOp& op) {
  static const Recording recording = read_recording(RIDGE_SOURCE_DIR "/tests/hardware/recorded/lane_ops.bin");
  const auto found = recording.find(std::string(op.opcode));
  return kinds_of(op).is_ptx && found != recording.end() && found->second.kind != EntryKind::refused;
}

In operands_for(const LaneOp& op, int index) {
  const RowType rows[] = {op.a, op.b, op.c, op.d};
  std::string_view type = parts_of(op.opcode).back();
  if (const size_t colon = type.find(':'); colon != std::string_view::npos) type = type.substr(0, colon);
  In in{};
  for (size_t i = 0; i < 4; ++i) {
    const uint64_t random = mixed(text_hash(op.opcode) + static_cast<uint64_t>(index) * 8 + i);
    // A value of the operation's type in the low bits, and of 64-bit registers anything above it.
    const bool is_wide = rows[i] == RowType::b64 || rows[i] == RowType::b128;
    std::string_view read_as = is_type(type) ? type : is_wide ? "b64" : "b32";
    in[i] = rows[i] == RowType::none ? 0 : operand_bits(read_as, random);
    if (is_wide && read_as != "f32x2" && !read_as.ends_with("64")) in[i] |= mixed(random) << 32;
  }
  if (op.opcode.starts_with("lop3")) in[3] &= 0xff;
  return in;
}

}  // namespace

TEST_CASE("operations without a recording are made of recorded ones") {
  constexpr int kEach = 64;
  int compared = 0;
  for (const LaneOp& op : all_lane_ops()) {
    if (is_recorded(op)) continue;
    const Expectation expected = expectation_of(std::string(op.opcode));
    if (!expected) continue;
    ++compared;
    for (int index = 0; index < kEach; ++index) {
      const In in = operands_for(op, index);
      const uint64_t got = run(op, in).dst, wanted = expected(in);
      // Results of 16 bits have nothing above them; any NaN is as good as another in what only passes it on.
      const Result a = normalised({got, 0, 0}, op.opcode, kinds_of(op)),
                   b = normalised({wanted, 0, 0}, op.opcode, kinds_of(op));
      if (a.dst == b.dst) continue;
      char text[160];
      std::snprintf(text, sizeof text, "(%llx, %llx, %llx, %llx): expected %llx, got %llx",
                    static_cast<unsigned long long>(in[0]), static_cast<unsigned long long>(in[1]),
                    static_cast<unsigned long long>(in[2]), static_cast<unsigned long long>(in[3]),
                    static_cast<unsigned long long>(wanted), static_cast<unsigned long long>(got));
      FAIL_CHECK(op.opcode << text);
      break;
    }
  }
  CHECK(compared > 300);
}

TEST_CASE("no lane operation is without an expectation") {
  const auto is_tested_elsewhere = [](const LaneOp& op) {
    return op.opcode.ends_with(":scalar");  // scalar_video_test.cpp
  };
  for (const LaneOp& op : all_lane_ops())
    if (!is_recorded(op) && !is_tested_elsewhere(op) && !expectation_of(std::string(op.opcode)))
      FAIL_CHECK(
          op.opcode
          << ": add it to the recording (tests/hardware/record_ptx.sh) or say here what it is made of");
}
