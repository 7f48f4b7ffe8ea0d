// Functions of the runtime that kernels call: memory from the device's heap, texts of errors, the device.
#include "check.h"

__global__ void build_list(int count, int* out) {
  struct Node {
    int value;
    Node* next;
  };
  Node* head = nullptr;
  for (int i = 0; i < count; ++i) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, sizeof(Node)) != cudaSuccess) return;
    Node* node = static_cast<Node*>(memory);
    node->value = i * (threadIdx.x + 1);
    node->next = head;
    head = node;
  }
  int sum = 0;
  while (head != nullptr) {
    sum += head->value;
    Node* next = head->next;
    if (cudaFree(head) != cudaSuccess) sum = -1;
    head = next;
  }
  out[threadIdx.x] = sum;
}

__global__ void say() {
  int device = -1;
  const cudaError_t error = cudaGetDevice(&device);
  printf("device %d: %s, %s\n", device, cudaGetErrorName(error), cudaGetErrorString(cudaErrorInvalidValue));
}

int main() {
  int* out = device_array<int>(64);
  build_list<<<1, 64>>>(10, out);
  finish("build_list");
  int result[64];
  to_host(result, out, 64);
  printf("%d %d %d\n", result[0], result[1], result[63]);
  say<<<1, 1>>>();
  finish("say");
}
