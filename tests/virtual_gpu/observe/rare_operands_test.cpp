#include "virtual_gpu/observe/counts/sass/rare_operands.h"

#include <bit>
#include <limits>
#include <vector>

#include "tests/catch.h"
#include "virtual_gpu/observe/counts/sass/sass_executions.h"

using namespace ridge;
using namespace ridge::observe;
using warp_model::SassClass;
using warp_model::SassFlow;
using warp_model::SassInstruction;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(),
                kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

// The decisions of the path that a float division takes; empty: in line.
std::string_view way(RoundedForm form, uint64_t a, uint64_t b = 0) {
  const uint32_t path = path_of(form, a, b);
  return path == kInLine ? std::string_view() : paths_of(form)[path];
}
std::string_view divide(float a, float b) {
  return way(RoundedForm::divide_f32, std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b));
}
std::string_view divide(double a, double b) {
  return way(RoundedForm::divide_f64, std::bit_cast<uint64_t>(a), std::bit_cast<uint64_t>(b));
}

// A division whose routine has one branch: 3 calls, of which 2 with other lanes beside.
std::vector<SassInstruction> code_with_routine() {
  struct Line {
    SassFlow flow;
    bool guarded;
    uint32_t target;
  };
  //  0 straight   1 @P BRA 3   2 CALL 5   3 BSYNC   4 EXIT   5 @P BRA 7   6 straight   7 RET
  const Line lines[] = {{SassFlow::straight, false, 0}, {SassFlow::branch, true, 3},
                        {SassFlow::call, false, 5},     {SassFlow::straight, false, 0},
                        {SassFlow::exit, false, 0},     {SassFlow::branch, true, 7},
                        {SassFlow::straight, false, 0}, {SassFlow::other, false, 0}};
  std::vector<SassInstruction> code;
  for (const Line& line : lines) {
    SassInstruction i;
    i.address = static_cast<uint32_t>(code.size()) * warp_model::kSassBytes;
    i.ptx_line = code.size() < 4 ? 2 : 0;
    i.sass_class = SassClass::integer;
    i.flow = line.flow;
    i.guarded = line.guarded;
    i.target = line.target * warp_model::kSassBytes;
    code.push_back(i);
  }
  return code;
}

}  // namespace

TEST_CASE(
    "Rounded divisions, reciprocals and roots have a routine, approximate ones and integers have none") {
  CHECK(rounded_form("sqrt.rn.f32 %f2, %f1;") == RoundedForm::root_f32);
  CHECK(rounded_form("@%p1 div.rn.f64 %fd3, %fd1, %fd2;") == RoundedForm::divide_f64);
  CHECK(rounded_form("rcp.rn.ftz.f32 %f2, %f1;") == RoundedForm::reciprocal_f32);
  CHECK(rounded_form("div.rz.f32 %f3, %f1, %f2;") == RoundedForm::unknown);
  CHECK(rounded_form("div.s64 %rd3, %rd1, %rd2;") == RoundedForm::none);
  CHECK(rounded_form("div.full.f32 %f3, %f1, %f2;") == RoundedForm::none);
  CHECK(rounded_form("rsqrt.approx.f32 %f2, %f1;") == RoundedForm::none);
}

TEST_CASE(
    "Ordinary operands of a float division stay in line, each kind of rare ones takes its way") {
  CHECK(divide(1.0F, 3.0F).empty());
  CHECK(divide(-7.5F, 1e20F).empty());
  CHECK(divide(0.0F, 3.0F) == "00001");
  CHECK(divide(-0.0F, 3.0F) == "00001");
  CHECK(divide(3.0F, kInfinity) == "00001");
  CHECK(divide(kNan, 1.0F) == "01");
  CHECK(divide(0.0F, 0.0F) == "001");
  CHECK(divide(kInfinity, -kInfinity) == "0001");
  CHECK(divide(1.0F, 0.0F) == "000001");
  CHECK(divide(kInfinity, 2.0F) == "000001");
  CHECK(divide(1e-37F, 1e-37F) == "11");
  CHECK(divide(1e30F, 1e-30F) == "101");
  CHECK(divide(1e-30F, 1e30F) == "10001");
  CHECK(divide(1e-30F, 1e12F) == "10000");
  CHECK(divide(kTiny, kTiny) == "0000001");
}

TEST_CASE(
    "Ordinary operands of a double division stay in line, each kind of rare ones takes its way") {
  constexpr double kLeast = std::numeric_limits<double>::min(),
                   kInf = std::numeric_limits<double>::infinity();
  CHECK(divide(1.0, 3.0).empty());
  CHECK(divide(1e-200, 7.0).empty());
  CHECK(divide(0.0, 3.0) == "1000");
  CHECK(divide(1.0, 0.0) == "1000");
  CHECK(divide(0.0, 0.0) == "1001");
  CHECK(divide(kInf, kInf) == "1001");
  CHECK(divide(std::numeric_limits<double>::quiet_NaN(), 1.0) == "11");
  CHECK(divide(1.0, std::numeric_limits<double>::quiet_NaN()) == "101");
  CHECK(divide(1e-300, 3.0) == "01");
  CHECK(divide(kLeast, 2.0) == "001");
  CHECK(divide(kLeast, 3.0) == "000");
}

TEST_CASE("Zero takes the routine of every root and reciprocal, ordinary values take none") {
  const auto of_float = [](RoundedForm form, float value) {
    return way(form, std::bit_cast<uint32_t>(value));
  };
  const auto of_double = [](double value) {
    return way(RoundedForm::root_f64, std::bit_cast<uint64_t>(value));
  };
  CHECK(of_float(RoundedForm::root_f32, 2.0F).empty());
  CHECK(of_float(RoundedForm::root_f32, 0.0F) == "1");
  CHECK(of_float(RoundedForm::root_f32, -1.0F) == "01");
  CHECK(of_float(RoundedForm::root_f32, kNan) == "001");
  CHECK(of_float(RoundedForm::root_f32, kInfinity) == "000");
  CHECK(of_float(RoundedForm::reciprocal_f32, 2.0F).empty());
  CHECK(of_float(RoundedForm::reciprocal_f32, 0.0F) == "0");
  CHECK(of_float(RoundedForm::reciprocal_f32, kInfinity) == "11");
  CHECK(of_float(RoundedForm::reciprocal_f32, 1.5e38F) == "10");
  CHECK(of_double(2.0).empty());
  CHECK(of_double(0.0) == "11");
  CHECK(of_double(-1.0) == "101");
  CHECK(of_double(1e-310) == "1000");
  CHECK(of_double(1e-300) == "0");
  CHECK(of_double(std::numeric_limits<double>::infinity()) == "1001");
}

TEST_CASE("A warp whose lanes divide zeros and other numbers counts one mixed call") {
  std::vector<float> a(32, 1.0F), b(32, 4.0F);
  a[3] = 0.0F;
  const auto bytes = [](const std::vector<float>& row) {
    return reinterpret_cast<const std::byte*>(row.data());
  };
  RareCalls rare;
  rare.count(RoundedForm::divide_f32, 0xffffffff, bytes(a), bytes(b));
  CHECK((rare.calls == 1 && rare.mixed == 1));
  rare.count(RoundedForm::divide_f32, 0x8, bytes(a), bytes(b));
  CHECK((rare.calls == 2 && rare.mixed == 1));
  rare.count(RoundedForm::divide_f32, 0x7, bytes(a), bytes(b));
  CHECK(rare.calls == 2);
  CHECK(rare.by_paths == std::map<uint32_t, uint64_t>{{1, 2}});
}

TEST_CASE("A routine is issued once per call, along the way that the operands take") {
  // The reciprocal's first way has one branch, which is not taken.
  PtxCounts ptx;
  ptx[2].executions = 10;
  ptx[2].rounded = RoundedForm::reciprocal_f32;
  ptx[2].rare = {3, 2, {{1, 3}}};
  CHECK(sass_executions(code_with_routine(), ptx, 10) ==
        std::vector<uint64_t>{10, 10, 3, 12, 12, 3, 3, 3});
  ptx[2].rare = {};
  CHECK(sass_executions(code_with_routine(), ptx, 10) ==
        std::vector<uint64_t>{10, 10, 0, 10, 10, 0, 0, 0});
}
