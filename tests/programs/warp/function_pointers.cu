// Pointers to device functions: a table in device memory, a pointer fetched by the host, virtual functions.
#include "check.h"

using Operation = int (*)(int, int);

__device__ __noinline__ int plus(int a, int b) {
  return a + b;
}
__device__ __noinline__ int minus(int a, int b) {
  return a - b;
}
__device__ __noinline__ int times(int a, int b) {
  return a * b;
}

__device__ Operation table[3] = {plus, minus, times};
__device__ Operation chosen = times;

__global__ void by_table(int* out) {
  out[threadIdx.x] = table[threadIdx.x % 3](static_cast<int>(threadIdx.x), 7);
}
__global__ void by_argument(int* out, Operation operation) {
  out[threadIdx.x] = operation(static_cast<int>(threadIdx.x), 3);
}

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Rectangle : Shape {
  int width, height;
  __device__ Rectangle(int w, int h) : width(w), height(h) {}
  __device__ int area() const override { return width * height; }
};

__global__ void by_virtual_call(int* out) {
  Square square(static_cast<int>(threadIdx.x));
  Rectangle rectangle(static_cast<int>(threadIdx.x), 100);
  const Shape* shape = threadIdx.x % 2 ? static_cast<const Shape*>(&square) : &rectangle;
  out[threadIdx.x] = shape->area();
}

void show(const int* device) {
  int host[6];
  to_host(host, device, 6);
  printf("%d %d %d %d %d %d\n", host[0], host[1], host[2], host[3], host[4], host[5]);
}

int main() {
  int* out = device_array<int>(6);
  by_table<<<1, 6>>>(out);
  finish("by_table");
  show(out);
  Operation operation = nullptr;
  check(cudaMemcpyFromSymbol(&operation, chosen, sizeof operation), "from symbol");
  by_argument<<<1, 6>>>(out, operation);
  finish("by_argument");
  show(out);
  by_virtual_call<<<1, 6>>>(out);
  finish("by_virtual_call");
  show(out);
}
