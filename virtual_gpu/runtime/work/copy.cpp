#include "virtual_gpu/runtime/work/copy.h"

#include <fmt/format.h>

#include <cstring>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/work/peer_copy.h"
#include "virtual_gpu/runtime/process/fault_status.h"
#include "virtual_gpu/runtime/report/findings.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/process/runtime_calls.h"

namespace ridge::runtime {
namespace {

enum class Side { host, device, either };

Side destination_side(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return Side::either;
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ? Side::device : Side::host;
}

Side source_side(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return Side::either;
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ? Side::device : Side::host;
}

cudaError_t refuse(const char* role, const void* pointer, const std::string& why) {
  say(fmt::format("copy or fill refused: its {} {} {}", role, fmt::ptr(pointer), why));
  return cudaErrorInvalidValue;
}

std::string made_by(uint64_t address) {
  const auto known = process().memory.find(address);
  return known ? " (" + known->origin_text() + ")" : "";
}

// Checks that [pointer, pointer + bytes) is memory that a copy may use on that side.
cudaError_t check_range(const char* role, const void* pointer, size_t bytes, Side side) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  if (bytes == 0) return cudaSuccess;
  if (!pointer) return refuse(role, pointer, "is a null pointer");
  std::optional<Block> block = process().allocations.find(address);
  if (!block) {
    std::optional<machine::Allocation> nearest = process().memory.nearest(address);
    // Unregistered memory is still the program's own.
    const bool is_own = nearest && nearest->freed_by == "cudaHostUnregister";
    if (nearest && nearest->freed && !is_own && address >= nearest->begin && address < nearest->begin + nearest->bytes) {
      return refuse(role, pointer,
                    fmt::format("lies in memory that {} freed ({}, {})", nearest->freed_text(),
                                nearest->origin_text(), bytes_text(nearest->bytes)));
    }
    // Memory that the program did not allocate with CUDA belongs to the host.
    return side != Side::device
               ? cudaSuccess
               : refuse(role, pointer, "is host memory, but the copy's direction says device");
  }
  if (side == Side::host && !block->host_accessible()) {
    return refuse(role, pointer, "is device memory, but the copy's direction says host");
  }
  if (bytes > block->end() - address && block->kind != MemoryKind::registered) {
    return refuse(role, pointer,
                  fmt::format("has {} bytes left in its allocation of {} bytes{}, but {} are asked for",
                              block->end() - address, block->bytes, made_by(address), bytes));
  }
  return cudaSuccess;
}

// Distance from the first byte of the box to the end of the last.
size_t extent_bytes(const PitchedPointer& memory, const Box& box) {
  if (box.width_bytes == 0 || box.height == 0 || box.depth == 0) return 0;
  return (box.depth - 1) * memory.slice_bytes + (box.height - 1) * memory.pitch_bytes + box.width_bytes;
}

bool pitch_fits(const PitchedPointer& memory, const Box& box) {
  return (box.height <= 1 && box.depth <= 1) || memory.pitch_bytes >= box.width_bytes;
}

std::byte* row_of(const PitchedPointer& memory, size_t y, size_t z) {
  return memory.data + z * memory.slice_bytes + y * memory.pitch_bytes;
}

uint64_t address_at(const PitchedPointer& memory, size_t y, size_t z) {
  return reinterpret_cast<uint64_t>(row_of(memory, y, z));
}

template <typename Row>
void for_each_row(const Box& box, Row row) {
  for (size_t z = 0; z < box.depth; ++z) {
    for (size_t y = 0; y < box.height; ++y)
      row(y, z);
  }
}

// `waits`: the call returns after the work is done.
cudaError_t run_in_stream(cudaStream_t stream, bool asynchronous, bool waits, GraphNode node, Work work) {
  std::shared_ptr<Stream> own = find_stream(stream);
  if (!own) return cudaErrorInvalidResourceHandle;
  if (!asynchronous) {
    if (cudaError_t error = require_not_capturing(stream); error != cudaSuccess) return error;
    if (cudaError_t error = require_no_capture(); error != cudaSuccess) return error;
  }
  node.task_executor = TaskExecutor::submitter;
  node.work = [work = std::move(work), &device = *process().devices[static_cast<size_t>(own->device)]] {
    return device.fault == cudaSuccess ? work() : cudaSuccess;
  };
  TaskRef task;
  if (cudaError_t error = submit(stream, std::move(node), &task); error != cudaSuccess) return error;
  if (!waits || !task) return cudaSuccess;
  ++runtime_calls().synchronizations;
  process().work.wait(task);
  return asynchronous ? device_fault() : synchronized(own->device);
}

bool is_pageable(const void* pointer) {
  return !process().allocations.find(reinterpret_cast<uint64_t>(pointer));
}

// True when new work of a stream would not begin immediately.
bool is_blocked(cudaStream_t handle) {
  std::shared_ptr<Stream> stream = find_stream(handle);
  return stream && !stream->capture && !process().work.is_idle(stream->queue);
}

// A result that was computed from unwritten bytes is an error when the host gets it.
cudaError_t check_results(const PitchedPointer& destination, const PitchedPointer& source, const Box& box) {
  Process& all = process();
  cudaError_t error = cudaSuccess;
  for_each_row(box, [&](size_t y, size_t z) {
    const uint64_t from = address_at(source, y, z);
    if (error != cudaSuccess || all.memory.written().covers(address_at(destination, y, z), box.width_bytes)) return;
    const auto result = all.undefined_results.read(all.memory, from, box.width_bytes);
    if (!result) return;
    record_fault();
    print_fault(result->fault.message);
    report_undefined_result(*result);
    all.devices[all.memory.arena_of(from)]->fault = cudaErrorLaunchFailure;
    error = cudaErrorLaunchFailure;
  });
  return error;
}

// A result among the copied bytes is one in the destination.
void copy_results(const PitchedPointer& destination, const PitchedPointer& source, const Box& box) {
  Process& all = process();
  for_each_row(box, [&](size_t y, size_t z) {
    if (const auto result = all.undefined_results.find(all.memory, address_at(source, y, z), box.width_bytes))
      all.undefined_results.add(all.memory, address_at(destination, y, z), *result);
  });
}

void copy_rows(PitchedPointer destination, PitchedPointer source, Box box) {
  const DeviceWork open(process().host_guard);
  for_each_row(box, [&](size_t y, size_t z) {
    std::memmove(destination.data + z * destination.slice_bytes + y * destination.pitch_bytes,
                 source.data + z * source.slice_bytes + y * source.pitch_bytes, box.width_bytes);
    process().memory.record_copied(address_at(destination, y, z), address_at(source, y, z), box.width_bytes);
  });
}

}  // namespace

cudaError_t copy_linear(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous) {
  PitchedPointer to{static_cast<std::byte*>(destination), bytes, bytes};
  PitchedPointer from{const_cast<std::byte*>(static_cast<const std::byte*>(source)), bytes, bytes};
  return copy_box(to, from, {bytes, 1, 1}, kind, stream, asynchronous);
}

cudaError_t copy_box(PitchedPointer destination, PitchedPointer source, Box box, cudaMemcpyKind kind,
                     cudaStream_t stream, bool asynchronous) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (!pitch_fits(destination, box) || !pitch_fits(source, box)) return cudaErrorInvalidPitchValue;
  cudaError_t error =
      check_range("destination", destination.data, extent_bytes(destination, box), destination_side(kind));
  if (error == cudaSuccess)
    error = check_range("source", source.data, extent_bytes(source, box), source_side(kind));
  if (error != cudaSuccess) return error;
  // Pageable memory is read before the call returns, and written before it returns: afterwards the
  // program may change it.
  std::shared_ptr<std::byte[]> staged;
  bool from_pageable = is_pageable(source.data), to_pageable = is_pageable(destination.data);
  if (asynchronous && from_pageable && !to_pageable && is_blocked(stream)) {
    staged = std::make_shared<std::byte[]>(box.width_bytes * box.height * box.depth);
    PitchedPointer packed{staged.get(), box.width_bytes, box.width_bytes * box.height};
    copy_rows(packed, source, box);
    source = packed;
  }
  bool waits = !asynchronous || to_pageable || (from_pageable && !staged);
  GraphNode node;
  node.type = cudaGraphNodeTypeMemcpy;
  const auto pitched = [&](const PitchedPointer& memory) {
    return cudaPitchedPtr{memory.data, memory.pitch_bytes, memory.pitch_bytes,
                          memory.pitch_bytes == 0 ? 1 : memory.slice_bytes / memory.pitch_bytes};
  };
  node.copy = cudaMemcpy3DParms{};
  node.copy->srcPtr = pitched(source);
  node.copy->dstPtr = pitched(destination);
  node.copy->extent = {box.width_bytes, box.height, box.depth};
  node.copy->kind = kind;
  return run_in_stream(stream, asynchronous, waits, std::move(node), [=] {
    process().note_copy(uint64_t{box.width_bytes} * box.height * box.depth);
    cudaError_t race = cudaSuccess;
    for_each_row(box, [&](size_t y, size_t z) {
      if (race == cudaSuccess)
        race = check_peer_copy(row_of(destination, y, z), row_of(source, y, z), box.width_bytes);
    });
    if (race != cudaSuccess) return race;
    const cudaError_t undefined = check_results(destination, source, box);
    if (undefined != cudaSuccess) return undefined;
    copy_rows(destination, source, box);
    copy_results(destination, source, box);
    (void)staged;
    return cudaSuccess;
  });
}

cudaError_t fill_box(PitchedPointer destination, Box box, int value, cudaStream_t stream, bool asynchronous,
                     size_t element_bytes) {
  if (!pitch_fits(destination, box)) return cudaErrorInvalidPitchValue;
  cudaError_t error =
      check_range("destination", destination.data, extent_bytes(destination, box), Side::device);
  if (error != cudaSuccess) return error;
  GraphNode node;
  node.type = cudaGraphNodeTypeMemset;
  node.fill = cudaMemsetParams{destination.data,
                               destination.pitch_bytes,
                               static_cast<unsigned>(value),
                               static_cast<unsigned>(element_bytes),
                               box.width_bytes / element_bytes,
                               box.height};
  return run_in_stream(stream, asynchronous, false, std::move(node), [=] {
    process().note_fill(uint64_t{box.width_bytes} * box.height * box.depth);
    cudaError_t race = cudaSuccess;
    const DeviceWork open(process().host_guard);
    for_each_row(box, [&](size_t y, size_t z) {
      std::byte* row = row_of(destination, y, z);
      if (race != cudaSuccess) return;
      race = check_peer_copy(row, nullptr, box.width_bytes);
      if (element_bytes == 1) std::memset(row, value, box.width_bytes);
      for (size_t x = 0; element_bytes > 1 && x + element_bytes <= box.width_bytes; x += element_bytes)
        std::memcpy(row + x, &value, element_bytes);
      process().memory.record_written(address_at(destination, y, z), box.width_bytes);
    });
    return race;
  });
}

}  // namespace ridge::runtime
