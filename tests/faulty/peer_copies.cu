// Copies between two devices that no event orders with what other devices do to the same bytes. The
// program asks for two virtual devices itself.
#include "faulty.h"

constexpr int kElements = 256;

struct Pair {
  int* data[2];
  int* out[2];
  cudaStream_t streams[2];
};

// What is queued in streams[waiting] from now on comes after what is in streams[awaited] now.
void let_wait(const Pair& pair, int waiting, int awaited) {
  cudaEvent_t event;
  must(cudaSetDevice(awaited), "cudaSetDevice");
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  must(cudaEventRecord(event, pair.streams[awaited]), "cudaEventRecord");
  must(cudaStreamWaitEvent(pair.streams[waiting], event, 0), "cudaStreamWaitEvent");
}

void copy(const Pair& pair, int* to, int to_device, const int* from, int from_device, int stream) {
  must(cudaSetDevice(stream), "cudaSetDevice");
  cudaMemcpyPeerAsync(to, to_device, from, from_device, kElements * sizeof(int), pair.streams[stream]);
}

// case peer_copy_not_awaited: race
// cause peer_copy_not_awaited: peer_not_ordered
// says peer_copy_not_awaited: a copy on device 0 writes it
__global__ void read_copied(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];  // <- peer_copy_not_awaited
}
void read_behind_copy(const Pair& pair, bool fixed) {
  copy(pair, pair.data[1], 1, pair.data[0], 0, 0);
  if (fixed) let_wait(pair, 1, 0);
  must(cudaSetDevice(1), "cudaSetDevice");
  read_copied<<<1, kElements, 0, pair.streams[1]>>>(pair.data[1], pair.out[1]);
}

// case peer_copy_source_overwritten: race
// says peer_copy_source_overwritten: a copy on device 1 reads it
__global__ void write_next(int* data) {
  data[threadIdx.x] = 1;  // <- peer_copy_source_overwritten
}
void overwrite_behind_copy(const Pair& pair, bool fixed) {
  copy(pair, pair.data[1], 1, pair.data[0], 0, 1);
  if (fixed) let_wait(pair, 0, 1);
  must(cudaSetDevice(0), "cudaSetDevice");
  write_next<<<1, kElements, 0, pair.streams[0]>>>(pair.data[0]);
}

// case peer_copy_behind_copy: race
// cause peer_copy_behind_copy: peer_copy
// says peer_copy_behind_copy: a copy on device 0 writes it
void copy_behind_copy(const Pair& pair, bool fixed) {
  copy(pair, pair.data[1], 1, pair.data[0], 0, 0);
  if (fixed) let_wait(pair, 1, 0);
  copy(pair, pair.out[0], 0, pair.data[1], 1, 1);  // <- peer_copy_behind_copy, without a line
}

void on_both(void (*act)(const Pair&, bool), bool fixed) {
  Pair pair{};
  for (int rank = 0; rank < 2; ++rank) {
    must(cudaSetDevice(rank), "cudaSetDevice");
    must(cudaDeviceEnablePeerAccess(1 - rank, 0), "cudaDeviceEnablePeerAccess");
    must(cudaStreamCreateWithFlags(&pair.streams[rank], cudaStreamNonBlocking), "cudaStreamCreate");
    pair.data[rank] = zeros<int>(kElements);
    pair.out[rank] = zeros<int>(kElements);
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  act(pair, fixed);
  for (const cudaStream_t stream : pair.streams) must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

int main(int argc, char** argv) {
  setenv("RIDGE_DEVICES", "2", 1);
  const Case cases[] = {
      {"peer_copy_not_awaited", [](bool fixed) { on_both(read_behind_copy, fixed); }},
      {"peer_copy_source_overwritten", [](bool fixed) { on_both(overwrite_behind_copy, fixed); }},
      {"peer_copy_behind_copy", [](bool fixed) { on_both(copy_behind_copy, fixed); }},
  };
  return run_cases(cases, argc, argv);
}
