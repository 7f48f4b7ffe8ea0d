// Writes a small trace with every kind of record, for the fuzzer to start from: trace_seed FILE
#include "tests/trace/example_trace.h"

int main(int count, char** arguments) {
  if (count < 2) return 2;
  ridge::trace::AccessTraceWriter writer(arguments[1], example_launch());
  writer.add_block(packed(3, example_records(1, 40)));
  writer.add_block(packed(5, example_records(2, 3)));
  writer.add_block(packed(7, asynchronous_records()));
  writer.add_block(packed(9, multicast_records()));
  ridge::trace::TraceEnd end;
  end.arrays = {{0x7f0000000000, 65536, "cudaMalloc"}};
  end.placement = {132, 8, {1, 1, 1}};
  end.report = ridge::trace::LaunchReport{};
  writer.finish(end);
  ridge::trace::annotate_trace(arguments[1], example_notes());
  return 0;
}
