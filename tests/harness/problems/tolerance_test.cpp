// What the comparison lets pass and what it does not.
#include "harness/problems/tolerance.h"

#include <cmath>
#include <limits>

#include "harness/problems/compare.h"
#include "tests/catch.h"
#include "tests/harness/problems/rounded.h"

using namespace ridge::problems;

namespace {

std::vector<std::byte> bytes_from(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// 11 significant bits, as a tensor core reads a float32 operand.
float as_tf32(float value) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000) & ~0x1fffu);
}

using Rounding = float (*)(float);

// The problem's own arithmetic in float, with every operand rounded by `round` first.
std::vector<float> computed(const Case& given, Rounding round) {
  std::string_view id = given.problem->id;
  std::vector<float> out;
  for (size_t i = 0; i < given.input<float>(0).size(); ++i) {
    float x = round(given.input<float>(0)[i]);
    if (id == "vector_add") out.push_back(x + round(given.input<float>(1)[i]));
    if (id == "saxpy")
      out.push_back(round(static_cast<float>(given.scalars[0])) * x + round(given.input<float>(1)[i]));
    if (id == "scale") out.push_back(round(static_cast<float>(given.scalars[0])) * x);
    if (id == "scale_rows")
      out.push_back(round(given.input<float>(1)[i / static_cast<size_t>(given.sizes[1])]) * x);
  }
  return out;
}

Comparison compared(const Case& given, const std::vector<float>& got) {
  Expected expected = given.problem->reference(given).front();
  return compare(given.buffers[expected.buffer], expected, bytes_from(got));
}

}  // namespace

TEST_CASE("float32 arithmetic passes every draw, TF32 and float16 operands fail it") {
  for (const char* id : {"vector_add", "saxpy", "scale", "scale_rows"}) {
    const Problem& problem = find_problem(id);
    Sizes sizes = problem.size_names.size() == 1 ? Sizes{1000} : Sizes{40, 25};
    for (int draw = 0; draw < kDraws; ++draw) {
      Case given = make_case(problem, sizes, static_cast<Draw>(draw), 7);
      INFO(id << ", inputs " << to_string(given.draw));
      CHECK(compared(given, computed(given, [](float x) { return x; })).wrong == 0);
      CHECK(compared(given, computed(given, as_tf32)).wrong > 0);
      CHECK(compared(given, computed(given, ridge::tests::as_float16)).wrong > 0);
    }
  }
}

TEST_CASE("a fused multiply-add and a separate one are both correct") {
  Case given = make_case(find_problem("saxpy"), {1000}, Draw::offset, 3);
  std::vector<float> fused;
  for (size_t i = 0; i < 1000; ++i)
    fused.push_back(
        std::fma(static_cast<float>(given.scalars[0]), given.input<float>(0)[i], given.input<float>(1)[i]));
  CHECK(compared(given, fused).wrong == 0);
}

TEST_CASE("dot products in float32 pass at every length of the course, in TF32 they fail") {
  for (int64_t length : {16, 64, 256, 1024, 4096}) {
    Random random(static_cast<uint64_t>(length));
    int single_wrong = 0, tf32_wrong = 0;
    for (int element = 0; element < 500; ++element) {
      double exact = 0, magnitude = 0;
      float single = 0, tf32 = 0;
      for (int64_t k = 0; k < length; ++k) {
        auto draw = [&] {
          return static_cast<float>(static_cast<int64_t>(random.next() >> 40) - (1 << 23)) * 0x1p-23f;
        };
        float a = draw(), b = draw();
        exact += static_cast<double>(a) * b;
        magnitude += std::fabs(static_cast<double>(a) * b);
        single += a * b;
        tf32 += as_tf32(a) * as_tf32(b);
      }
      auto tolerance = static_cast<double>(tolerance_of(Type::float32, length, magnitude));
      single_wrong += !(std::fabs(single - exact) <= tolerance);
      tf32_wrong += !(std::fabs(tf32 - exact) <= tolerance);
    }
    INFO("length " << length);
    CHECK(single_wrong == 0);
    CHECK(tf32_wrong > 0);
  }
}

TEST_CASE("NaN, infinity and the fill pattern never pass") {
  Case given = make_case(find_problem("vector_add"), {4}, Draw::uniform, 1);
  std::vector<float> got = computed(given, [](float x) { return x; });
  got[1] = std::numeric_limits<float>::quiet_NaN();
  got[2] = std::numeric_limits<float>::infinity();
  auto bytes = bytes_from(got);
  for (size_t at = 12; at < 16; ++at)
    bytes[at] = poison_at(at);
  Expected expected = given.problem->reference(given).front();
  Comparison result = compare(given.buffers[2], expected, bytes);
  CHECK(result.wrong == 3);
  CHECK(result.untouched == 1);
  CHECK(result.first_wrong == 1);
}

TEST_CASE("a copy must be exact, including the sign of zero") {
  Case given = make_case(find_problem("transpose"), {30, 20}, Draw::zeros, 5);
  Expected expected = given.problem->reference(given).front();
  std::vector<float> got(expected.value.begin(), expected.value.end());
  REQUIRE(compare(given.buffers[1], expected, bytes_from(got)).right());
  size_t zero = 0;
  while (got[zero] != 0 || std::signbit(got[zero]))
    ++zero;
  got[zero] = -0.0f;
  CHECK(compare(given.buffers[1], expected, bytes_from(got)).wrong == 1);
  got[zero] = 0x1p-149f;
  CHECK(compare(given.buffers[1], expected, bytes_from(got)).wrong == 1);
}

TEST_CASE("the fill pattern is NaN in every type") {
  std::byte bytes[4];
  for (size_t at = 0; at < 4; ++at)
    bytes[at] = poison_at(at);
  for (Type type : {Type::float32, Type::float16, Type::bfloat16})
    for (int64_t i = 0; i < 4 / bytes_of(type); ++i)
      CHECK(std::isnan(load_element(type, bytes, i)));
}
