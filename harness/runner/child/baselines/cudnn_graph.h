// cuDNN's graph API: a graph of operations on tensors, and the engines that compute it in one
// kernel. Names in capitals are those of cudnn_graph.h, whose values are repeated here; cuDNN keeps
// them from version to version.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/runner/child/baselines/library.h"

namespace ridge::runner::cudnn {

// cudnnBackendDescriptorType_t
enum class Kind {
  pointwise = 0,
  convolution = 1,
  engine_config = 3,
  engine_heuristics = 4,
  execution_plan = 5,
  operation_convolution_forward = 10,
  operation_pointwise = 13,
  operation_graph = 15,
  variant_pack = 16,
  tensor = 17,
  matmul = 18,
  operation_matmul = 19,
  reduction = 21,
  operation_reduction = 22,
  operation_reshape = 31,
};
// cudnnBackendAttributeType_t
enum class Holds {
  handle = 0,
  data_type = 1,
  boolean = 2,
  int64 = 3,
  float32 = 4,
  pointer = 6,
  convolution_mode = 7,
  heuristic_mode = 8,
  pointwise_mode = 14,
  descriptor = 15,
  reduction_operator = 18,
};
// cudnnDataType_t
enum class Data { float32 = 0, bfloat16 = 9, boolean = 11, int32 = 4 };
// cudnnPointwiseMode_t
enum class Pointwise {
  add = 0,
  multiply = 1,
  divide = 6,
  subtract = 9,
  exponential = 13,
  logarithm = 15,
  identity = 21,
  greater_or_equal = 303,
  index = 501,
  select = 601,
};
// cudnnReduceTensorOp_t
enum class Reduction { add = 0, maximum = 3 };

using Handle = void*;

// The functions of the library that a graph needs.
class Api {
 public:
  explicit Api(const Library& library);
  Handle make_handle(problems::Stream stream) const;
  std::string version() const;

  int (*create_descriptor)(int kind, void** descriptor);
  int (*destroy_descriptor)(void* descriptor);
  int (*set_attribute)(void* descriptor, int name, int type, int64_t count, const void* values);
  int (*get_attribute)(void* descriptor, int name, int type, int64_t wanted, int64_t* count,
                       void* values);
  int (*finalize)(void* descriptor);
  int (*execute)(Handle handle, void* plan, void* pack);

 private:
  int (*create_)(Handle*);
  int (*set_stream_)(Handle, problems::Stream);
  size_t (*version_)();
};

// An object of the graph: created, given its attributes, and finalized, after which it is constant.
class Descriptor {
 public:
  Descriptor(const Api& api, Kind kind);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept
      : api_(other.api_), raw_(std::exchange(other.raw_, nullptr)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  template <typename Value>
  Descriptor& set(int name, Holds type, const std::vector<Value>& values) {
    return set_raw(name, type, static_cast<int64_t>(values.size()), values.data());
  }
  Descriptor& set(int name, Holds type, int64_t value) { return set_raw(name, type, 1, &value); }
  Descriptor& set(int name, const Descriptor& other) {
    return set_raw(name, Holds::descriptor, 1, &other.raw_);
  }
  Descriptor& set(int name, bool value) { return set_raw(name, Holds::boolean, 1, &value); }
  // Every enumeration of cuDNN is an int.
  template <typename Enum>
  Descriptor& set_enum(int name, Holds type, Enum value) {
    const int raw = static_cast<int>(value);
    return set_raw(name, type, 1, &raw);
  }
  // Throws std::runtime_error with cuDNN's status.
  void finalize();
  bool finalizes();  // false: no engine can do this
  void* raw() const { return raw_; }

 private:
  Descriptor& set_raw(int name, Holds type, int64_t count, const void* values);
  const Api& api_;
  void* raw_ = nullptr;
};

// A tensor of a graph. Virtual ones exist only between two operations, in registers at best.
struct Tensor {
  int64_t id;
  Data data;
  std::vector<int64_t> extent, stride;
  bool is_virtual = true;
  bool by_value = false;  // a number on the host, given with each execution
};

// Builds the operations of one graph, in order, and finds the engines that can compute it.
class Graph {
 public:
  explicit Graph(const Api& api) : api_(api) {}
  // Returns its number among tensors_, which the operations take.
  size_t add(Tensor tensor);
  // An intermediate result of this extent, densely stored.
  size_t add_virtual(Data data, std::vector<int64_t> extent);
  // The same with its last two dimensions exchanged: `extent` is that after the exchange.
  size_t add_transposed(Data data, std::vector<int64_t> extent);

  void matmul(size_t a, size_t b, size_t c);
  // y = x * w, a cross-correlation in two dimensions with float32 accumulators. The extents are
  // those of NCHW and KCRS whatever the strides are.
  void convolve(size_t x, size_t w, size_t y, int64_t stride, int64_t padding);
  void pointwise(Pointwise mode, std::vector<size_t> inputs, size_t output,
                 Data arithmetic = Data::float32);
  void index_along(int axis, size_t like, size_t output);
  void reduce(Reduction operation, size_t input, size_t output);
  // The same bytes with other extents and strides: those of `output`.
  void reshape(size_t input, size_t output);

  // The engines' plans in the order of cuDNN's heuristic, those that it can build.
  std::vector<Descriptor> plans(Handle handle);
  static int64_t workspace_bytes(const Api& api, const Descriptor& plan);

 private:
  int64_t next_virtual_id() const;
  const Api& api_;
  std::vector<Tensor> described_;
  std::vector<Descriptor> tensors_, parts_, operations_;
};

// Data for an execution: pointers by tensor id.
Descriptor variant_pack(const Api& api, const std::vector<int64_t>& ids,
                        const std::vector<void*>& pointers, void* workspace);

}  // namespace ridge::runner::cudnn
