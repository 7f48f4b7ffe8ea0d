// The sector calculator: which sectors of 32 bytes one load of a warp fetches, from element size,
// stride and offset.
#include <fmt/format.h>

#include <bit>

#include "visualizer/session/text/access_text.h"
#include "visualizer/web/calculators/access_calculator.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

constexpr uint64_t kArray = 0x7000000000;  // on a line of 128 bytes, as cudaMalloc allocates

class SectorCalculator : public AccessCalculator {
 public:
  SectorCalculator()
      : AccessCalculator("warp", Settings({{"element_bytes", 4, 1, 16},
                                           {"stride", 1, 0, 64},
                                           {"offset", 0, 0, 64},
                                           {"lanes", 32, 1, 32}})) {}

 protected:
  bool allows(std::string_view name, double value) const override {
    return name != "element_bytes" ||
           std::has_single_bit(static_cast<uint32_t>(std::max(0.0, value)));
  }

  CalculatedAccess access() const override {
    CalculatedAccess access;
    const uint32_t element = settings().whole("element_bytes"), lanes = settings().whole("lanes");
    access.bytes = element;
    access.mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (uint32_t lane = 0; lane < 32; ++lane)
      access.addresses[lane] = kArray + uint64_t{element} * (settings().whole("offset") +
                                                             settings().whole("stride") * lane);
    access.array.address = kArray;
    access.array.bytes = uint64_t{element} * (65 + 64 * 32);
    access.array.name = "in";
    access.array.element_bytes = element;
    return access;
  }

  nlohmann::json results(const CalculatedAccess& access) const override {
    const warp_model::GlobalCost cost =
        warp_model::global_cost(access.addresses.data(), access.mask, access.bytes);
    const uint32_t fetched = cost.sectors * warp_model::kSectorBytes;
    // Lanes that ask for the same bytes use them once.
    const uint32_t stride = settings().whole("stride");
    const uint32_t used = stride == 0 ? access.bytes : cost.bytes;
    return nlohmann::json::array(
        {result("Sectors", fmt::format("{} ({} would do)", cost.sectors, cost.ideal_sectors)),
         result("Lines of 128 bytes", fmt::format("{}", cost.tags)),
         result("Bytes fetched", fmt::format("{}", fetched)),
         result("Bytes used", fmt::format("{} ({})", used, percent_text(double(used) / fetched)))});
  }
};

}  // namespace

std::unique_ptr<Surface> make_sector_calculator() {
  return std::make_unique<SectorCalculator>();
}

}  // namespace ridge::view
