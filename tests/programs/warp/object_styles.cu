// C++ as people write it in kernels: lambdas with captures, functors, templates with packs, virtual functions
// on objects built on the device, operator overloading, constexpr tables, unions and bit fields.
#include <vector>

#include "check.h"

template <typename Function>
__global__ void for_each(int n, Function function) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    function(i);
}

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 4; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Rectangle : Square {
  int other;
  __device__ Rectangle(int a, int b) : Square(a), other(b) {}
  __device__ int area() const override { return side * other; }
};
struct Triangle : Shape {
  int base, height;
  __device__ Triangle(int b, int h) : base(b), height(h) {}
  __device__ int area() const override { return base * height / 2; }
  __device__ int corners() const override { return 3; }
};

__global__ void make_shapes(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 3 == 0) shapes[i] = new Square(i);
  if (i % 3 == 1) shapes[i] = new Rectangle(i, 2);
  if (i % 3 == 2) shapes[i] = new Triangle(i, 4);
}
__global__ void measure(Shape** shapes, int2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = {shapes[i]->area(), shapes[i]->corners()};
}
__global__ void destroy(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete shapes[i];
}

template <typename... Values>
__device__ auto sum_of(Values... values) {
  return (values + ...);
}
template <int kDegree>
struct Polynomial {
  int coefficients[kDegree + 1];
  __host__ __device__ constexpr int operator()(int x) const {
    int result = 0;
    for (int i = kDegree; i >= 0; --i)
      result = result * x + coefficients[i];
    return result;
  }
};
union Bits {
  float value;
  unsigned bits;
  struct {
    unsigned mantissa : 23, exponent : 8, sign : 1;
  } parts;
};

__global__ void many_things(int* out) {
  constexpr Polynomial<3> cubic{{1, -2, 0, 3}};
  static_assert(cubic(2) == 21);
  int t = threadIdx.x;
  Bits bits{static_cast<float>(t) - 7.5f};
  auto twice = [t](auto x) { return x + x + t; };
  const auto fibonacci = [](int n) {
    int a = 0, b = 1;
    for (; n > 0; --n) {
      int next = a + b;
      a = b;
      b = next;
    }
    return a;
  };
  int result = sum_of(cubic(t), twice(t), static_cast<int>(twice(0.5)), fibonacci(t % 20));
  switch (t % 9) {  // dense enough for a jump table
    case 0:
      result += 5;
      break;
    case 1:
      result ^= 0x55;
      break;
    case 2:
      result *= 3;
      break;
    case 3:
      result -= t;
      [[fallthrough]];
    case 4:
      result += static_cast<int>(bits.parts.exponent);
      break;
    case 5:
      result |= 1;
      break;
    case 6:
      result = -result;
      break;
    case 7:
      result += static_cast<int>(bits.parts.sign) << 8;
      break;
    default:
      result /= 2;
  }
  out[t] = result;
}

int many_on_cpu(int t) {
  Polynomial<3> cubic{{1, -2, 0, 3}};
  Bits bits;
  bits.value = static_cast<float>(t) - 7.5f;
  int a = 0, b = 1;
  for (int n = t % 20; n > 0; --n) {
    int next = a + b;
    a = b;
    b = next;
  }
  int result = cubic(t) + (t + t + t) + (1 + t) + a;
  int exponent = bits.bits >> 23 & 255, sign = bits.bits >> 31;
  switch (t % 9) {
    case 0:
      return result + 5;
    case 1:
      return result ^ 0x55;
    case 2:
      return result * 3;
    case 3:
      return result - t + exponent;
    case 4:
      return result + exponent;
    case 5:
      return result | 1;
    case 6:
      return -result;
    case 7:
      return result + (sign << 8);
    default:
      return result / 2;
  }
}

int main() {
  constexpr int n = 300;
  int* out = device_array<int>(n);
  int offset = 11;
  for_each<<<3, 64>>>(n, [=] __device__(int i) { out[i] = i * i + offset; });
  finish("lambda");
  std::vector<int> got(n);
  to_host(got.data(), out, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += got[i] != i * i + offset;
  printf("lambda wrong %d\n", wrong);

  Shape** shapes = device_array<Shape*>(n);
  int2* areas = device_array<int2>(n);
  make_shapes<<<3, 100>>>(shapes, n);
  measure<<<3, 100>>>(shapes, areas, n);
  destroy<<<3, 100>>>(shapes, n);
  finish("shapes");
  std::vector<int2> measured(n);
  to_host(measured.data(), areas, n);
  wrong = 0;
  for (int i = 0; i < n; ++i) {
    int area = i % 3 == 0 ? i * i : 2 * i;
    wrong += measured[i].x != area || measured[i].y != (i % 3 == 2 ? 3 : 4);
  }
  printf("virtual functions wrong %d\n", wrong);

  many_things<<<1, 128>>>(out);
  finish("many");
  to_host(got.data(), out, 128);
  wrong = 0;
  for (int t = 0; t < 128; ++t)
    wrong += got[t] != many_on_cpu(t);
  printf("the rest wrong %d, last %d\n", wrong, got[127]);
}
