// The kernel's __shared__ arrays: their offsets in the program, and their declarations in the
// source.
#include "trace/shared_declarations.h"
#include "virtual_gpu/machine/faults/place_names.h"
#include "virtual_gpu/observe/trace/trace_recorder.h"

namespace ridge::observe {

std::vector<trace::TraceArray> shared_arrays(const machine::Program& program, uint64_t dynamic_bytes,
                                             const std::vector<trace::TraceSource>& sources) {
  std::vector<trace::TraceArray> arrays;
  const uint64_t static_bytes = machine::info(program).static_shared_bytes;
  for (const machine::SharedSymbol& symbol : machine::shared_symbols(program)) {
    trace::TraceArray& array = arrays.emplace_back();
    array.space = trace::RecordSpace::shared;
    array.address = symbol.offset;
    const uint64_t end = static_bytes + dynamic_bytes;
    array.bytes = symbol.bytes != 0 ? symbol.bytes : end > symbol.offset ? end - symbol.offset : 0;
    array.name = symbol.name.substr(symbol.name.rfind(':') + 1);
    array.origin = "__shared__ " + symbol.name;
  }
  trace::shape_shared_arrays(arrays, sources);
  return arrays;
}

}  // namespace ridge::observe
