// The bank calculator: how many wavefronts one load of a warp from a tile in shared memory takes,
// from the tile's row length, padding and swizzle.
#include <fmt/format.h>

#include <bit>

#include "visualizer/session/analysis/bank_layout.h"
#include "visualizer/web/calculators/access_calculator.h"
#include "warp_model/shared_memory/wavefronts.h"

namespace ridge::view {
namespace {

class BankCalculator : public AccessCalculator {
 public:
  BankCalculator()
      : AccessCalculator("banks", Settings({{"element_bytes", 4, 1, 16},
                                            {"columns", 32, 1, 64},
                                            {"padding", 0, 0, 32},
                                            {"down_a_column", 1, 0, 1},
                                            {"swizzle", 0, 0, 1}})) {}

 protected:
  bool allows(std::string_view name, double value) const override {
    return name != "element_bytes" ||
           std::has_single_bit(static_cast<uint32_t>(std::max(0.0, value)));
  }

  // Lane k reads tile[k][0] down a column, else tile[0][k] along a row (which goes on in the next
  // row).
  CalculatedAccess access() const override {
    const uint32_t element = settings().whole("element_bytes"),
                   columns = settings().whole("columns");
    trace::TraceRecord plain;
    plain.space = trace::RecordSpace::shared;
    plain.mask = 0xffffffffu, plain.bytes = element;
    for (uint32_t lane = 0; lane < 32; ++lane)
      plain.addresses[lane] =
          uint64_t{element} * lane * (settings().on("down_a_column") ? columns : 1);
    const LaidOut out = laid_out(plain, {0, columns, element},
                                 {settings().whole("padding"), settings().on("swizzle"), 0, 0});
    const uint32_t row = columns + settings().whole("padding");
    CalculatedAccess access;
    access.space = plain.space;
    access.bytes = out.bytes;
    access.addresses = out.offsets;
    access.array.space = plain.space;
    access.array.bytes = uint64_t{element} * row * 32;
    access.array.name = "tile";
    access.array.element_bytes = element;
    access.array.extent = {32, row};
    return access;
  }

  nlohmann::json results(const CalculatedAccess& access) const override {
    const auto wavefronts = warp_model::wavefronts_of(
        warp_model::SharedAccess::load, access.addresses.data(), access.mask, access.bytes);
    const uint32_t ideal = warp_model::ideal_wavefronts(wavefronts),
                   columns = settings().whole("columns");
    auto results = nlohmann::json::array(
        {result("Wavefronts", fmt::format("{} ({} would do)", wavefronts.size(), ideal)),
         result("Bank conflicts", fmt::format("{}", wavefronts.size() - ideal)),
         result("Declaration", fmt::format("tile[32][{}{}]", columns,
                                           settings().on("padding")
                                               ? fmt::format(" + {}", settings().whole("padding"))
                                               : ""))});
    if (settings().on("swizzle"))
      results.push_back(
          result("Swizzle", std::has_single_bit(columns)
                                ? "tile[row][column ^ row % columns]"
                                : "needs a row length that is a power of two: not applied"));
    return results;
  }
};

}  // namespace

std::unique_ptr<Surface> make_bank_calculator() {
  return std::make_unique<BankCalculator>();
}

}  // namespace ridge::view
