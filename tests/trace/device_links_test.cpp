// Links between devices: written, read, added to an existing trace, and refused when damaged.
#include "trace/links/device_links.h"

#include "tests/catch.h"
#include "tests/trace/example_trace.h"
#include "tests/trace/scratch_folder.h"
#include "trace/byte_stream.h"
#include "trace/links/links_text.h"

using namespace ridge::trace;
using Catch::Matchers::Contains;

namespace {

void check_same(const DeviceLinks& a, const DeviceLinks& b) {
  CHECK(a.devices == b.devices);
  CHECK(a.recorded_device == b.recorded_device);
  REQUIRE(a.memory.size() == b.memory.size());
  for (size_t k = 0; k < a.memory.size(); ++k) {
    CHECK(a.memory[k].begin == b.memory[k].begin);
    CHECK(a.memory[k].bytes == b.memory[k].bytes);
  }
  REQUIRE(a.steps.size() == b.steps.size());
  for (size_t k = 0; k < a.steps.size(); ++k) {
    CHECK(a.steps[k].device == b.steps[k].device);
    CHECK(a.steps[k].launch == b.steps[k].launch);
    CHECK(a.steps[k].name == b.steps[k].name);
    REQUIRE(a.steps[k].links.size() == b.steps[k].links.size());
    for (size_t i = 0; i < a.steps[k].links.size(); ++i) {
      const LinkCounts &x = a.steps[k].links[i], &y = b.steps[k].links[i];
      CHECK(std::tie(x.source, x.destination, x.kind, x.bytes, x.requests, x.strong_requests,
                     x.requests_by_sectors) == std::tie(y.source, y.destination, y.kind, y.bytes,
                                                        y.requests, y.strong_requests,
                                                        y.requests_by_sectors));
    }
  }
}

std::string complaint_about(const DeviceLinks& links) {
  return complaint_of([&] { unpack_device_links(pack_device_links(links)); });
}

}  // namespace

TEST_CASE("links that are added to a trace are read with it, and nothing else changes") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path / "t";
  write_example(file);
  annotate_trace(file, example_notes());
  CHECK_FALSE(read_access_trace(file).links.known());
  for (int times = 0; times < 2; ++times) {  // the second replaces the first
    add_links_to_trace(file, example_links());
    const AccessTrace trace = read_access_trace(file);
    CHECK(trace.records() == 600);
    CHECK(trace.notes.title == example_notes().title);
    CHECK(trace.links.known());
    check_same(trace.links, example_links());
  }
  annotate_trace(file, example_notes());
  check_same(read_access_trace(file).links, example_links());
}

TEST_CASE("notes have the least bytes of a device, and older ones do not") {
  TraceNotes notes = example_notes();
  notes.ideal_link_bytes = 98304;
  notes.ideal_link_formula = "2 (N - 1) / N of the array";
  std::vector<uint8_t> bytes = pack_notes(notes);
  CHECK(unpack_notes(bytes).ideal_link_bytes == 98304);
  CHECK(unpack_notes(bytes).ideal_link_formula == notes.ideal_link_formula);
  bytes.resize(bytes.size() - 3 - 1 - notes.ideal_link_formula.size());
  CHECK(unpack_notes(bytes).ideal_link_bytes == 0);
  CHECK(unpack_notes(bytes).scene.text == notes.scene.text);
}

TEST_CASE("steps are in the order of their launches, and late ones are added up") {
  std::vector<LinkStep> steps;
  const LinkCounts link{0, 1, "store", 32, 1, 0, {1, 0, 0, 0}};
  for (uint32_t launch = 0; launch < kMostLinkLaunches + 10; ++launch)
    for (const uint32_t device : {1u, 0u})
      add_step(steps, device, launch, "k", {link});
  add_step(steps, 0, 3, "k", {});
  REQUIRE(steps.size() == 2 * (kMostLinkLaunches + 1));
  CHECK(steps[0].device == 0);
  CHECK(steps[1].device == 1);
  CHECK(steps[7].launch == 3);
  CHECK(steps.back().name == "later launches");
  CHECK(steps.back().links.at(0).bytes == 320);
}

TEST_CASE("the device of an address is the one whose memory has it") {
  const DeviceLinks links = example_links();
  CHECK(links.device_of(0x7000000000) == 0u);
  CHECK(links.device_of(0x70000fffff) == 0u);
  CHECK(links.device_of(0x7000100000) == 1u);
  CHECK_FALSE(links.device_of(0x7000300000));
  CHECK_FALSE(links.device_of(0x6fffffffff));
}

TEST_CASE("damaged links are an error that says so") {
  DeviceLinks links = example_links();
  links.steps[0].links[0].destination = 3;
  CHECK_THAT(complaint_about(links),
             Contains("the links between devices are damaged") &&
                 Contains("the destination of a link is 3, at most 2 is possible") &&
                 Contains("record the trace again"));
  links = example_links();
  links.steps[1].links[0].destination = links.steps[1].links[0].source;
  CHECK_THAT(complaint_about(links), Contains("to itself"));
  links = example_links();
  links.devices = 1;
  CHECK_THAT(complaint_about(links), Contains("fewer than two devices"));
  links = example_links();
  links.memory.pop_back();
  CHECK_THAT(complaint_about(links), Contains("the memory of 2 devices, and there are 3"));
  links = example_links();
  links.steps[1].links[0].requests_by_sectors = {3, 2, 0, 0};
  CHECK_THAT(complaint_about(links), Contains("requests of one size"));
  const std::vector<uint8_t> good = pack_device_links(example_links());
  for (size_t size = 0; size < good.size(); ++size)
    CHECK_THAT(complaint_of([&] { unpack_device_links(std::span(good).first(size)); }),
               Contains("the links between devices are damaged"));
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  CHECK_THAT(complaint_of([&] { unpack_device_links(longer); }), Contains("follow its end"));
}

TEST_CASE("the table of links folds equal rows of a mesh, and no others") {
  std::vector<LinkCounts> mesh;
  for (uint32_t from = 0; from < 4; ++from)
    for (uint32_t to = 0; to < 4; ++to)
      if (from != to) mesh.push_back({from, to, "store", 32768, 256, 0, {0, 0, 0, 256}});
  const std::string all = links_text(mesh, 24576, "2 (N - 1) / N of the array");
  CHECK_THAT(
      all,
      Contains("\n   12 links   store         32,768         256     0%     0%     0%   100%\n"));
  CHECK_THAT(
      all,
      Contains(
          "\n  each of 4 devices sends 98,304 bytes (4 times the least) and receives 98,304\n"));
  CHECK_THAT(all, !Contains("->  1"));
  mesh[3].bytes += 32;
  const std::string other = links_text(mesh);
  CHECK_THAT(other, Contains("11 links") && Contains("\n     1 -> 0   store         32,800"));
  CHECK_THAT(other, Contains("device 1 sends 98,336 bytes and receives 98,304"));
  mesh.resize(6);
  CHECK_THAT(links_text(mesh), !Contains(" links "));
}
