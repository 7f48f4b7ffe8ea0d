#include "harness/runner/child/baselines/cudnn_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ridge::runner::cudnn {

namespace {

// cudnnBackendAttributeName_t
constexpr int kPointwiseMode = 0, kPointwisePrecision = 1, kPointwiseAxis = 9;
constexpr int kConvolutionType = 100, kConvolutionMode = 101, kConvolutionDilations = 102,
              kConvolutionStrides = 103, kConvolutionPaddingAfter = 104,
              kConvolutionPaddingBefore = 105, kConvolutionDimensions = 106;
constexpr int kHeuristicMode = 200, kHeuristicGraph = 201, kHeuristicResults = 202;
constexpr int kPlanHandle = 400, kPlanEngineConfig = 401, kPlanWorkspaceBytes = 402;
constexpr int kForwardAlpha = 700, kForwardBeta = 701, kForwardConvolution = 702, kForwardW = 703,
              kForwardX = 704, kForwardY = 705;
constexpr int kOperationPointwise = 750, kOperationX = 751, kOperationB = 752, kOperationY = 753,
              kOperationT = 758;
constexpr int kGraphHandle = 800, kGraphOperations = 801;
constexpr int kTensorAlignment = 900, kTensorType = 901, kTensorExtent = 902, kTensorStride = 903,
              kTensorId = 906, kTensorVirtual = 907, kTensorByValue = 908;
constexpr int kPackIds = 1000, kPackPointers = 1001, kPackWorkspace = 1003;
constexpr int kMatmulType = 1500, kOperationMatmulA = 1520, kOperationMatmulB = 1521,
              kOperationMatmulC = 1522, kOperationMatmul = 1523;
constexpr int kReductionOperator = 1600, kReductionType = 1601, kOperationReductionX = 1610,
              kOperationReductionY = 1611, kOperationReduction = 1612;
constexpr int kOperationReshapeX = 2200, kOperationReshapeY = 2201;
// cudnnBackendHeurMode_t: A is the most precise, the fallback has engines that A does not name.
constexpr int kModes[] = {3, 2};
constexpr int64_t kMostEngines = 16;

std::vector<int64_t> dense_strides(const std::vector<int64_t>& extent) {
  std::vector<int64_t> stride(extent.size(), 1);
  for (size_t i = extent.size() - 1; i > 0; --i)
    stride[i - 1] = stride[i] * extent[i];
  return stride;
}

void expect(int status, std::string_view doing) {
  expect_success(status, "cuDNN", doing);
}

}  // namespace

Api::Api(const Library& library)
    : create_descriptor(library.function<int(int, void**)>("cudnnBackendCreateDescriptor")),
      destroy_descriptor(library.function<int(void*)>("cudnnBackendDestroyDescriptor")),
      set_attribute(
          library.function<int(void*, int, int, int64_t, const void*)>("cudnnBackendSetAttribute")),
      get_attribute(library.function<int(void*, int, int, int64_t, int64_t*, void*)>(
          "cudnnBackendGetAttribute")),
      finalize(library.function<int(void*)>("cudnnBackendFinalize")),
      execute(library.function<int(Handle, void*, void*)>("cudnnBackendExecute")),
      create_(library.function<int(Handle*)>("cudnnCreate")),
      set_stream_(library.function<int(Handle, problems::Stream)>("cudnnSetStream")),
      version_(library.function<size_t()>("cudnnGetVersion")) {}

Handle Api::make_handle(problems::Stream stream) const {
  Handle handle = nullptr;
  expect(create_(&handle), "making a handle");
  expect(set_stream_(handle, stream), "setting its stream");
  return handle;
}

std::string Api::version() const {
  return version_text(static_cast<int>(version_()), 100);  // 9.14.0 is 91400
}

Descriptor::Descriptor(const Api& api, Kind kind) : api_(api) {
  expect(api.create_descriptor(static_cast<int>(kind), &raw_), "making a descriptor");
}

Descriptor::~Descriptor() {
  if (raw_) api_.destroy_descriptor(raw_);
}

Descriptor& Descriptor::set_raw(int name, Holds type, int64_t count, const void* values) {
  expect(api_.set_attribute(raw_, name, static_cast<int>(type), count, values),
         fmt::format("setting attribute {}", name));
  return *this;
}

void Descriptor::finalize() {
  expect(api_.finalize(raw_), "finalizing a descriptor");
}

bool Descriptor::finalizes() {
  return api_.finalize(raw_) == 0;
}

size_t Graph::add(Tensor tensor) {
  constexpr int64_t kAlignment = 16;
  Descriptor descriptor(api_, Kind::tensor);
  descriptor.set_enum(kTensorType, Holds::data_type, tensor.data)
      .set(kTensorExtent, Holds::int64, tensor.extent)
      .set(kTensorStride, Holds::int64, tensor.stride)
      .set(kTensorId, Holds::int64, tensor.id)
      .set(kTensorAlignment, Holds::int64, kAlignment)
      .set(kTensorVirtual, tensor.is_virtual)
      .set(kTensorByValue, tensor.by_value);
  descriptor.finalize();
  described_.push_back(std::move(tensor));
  tensors_.push_back(std::move(descriptor));
  return tensors_.size() - 1;
}

size_t Graph::add_virtual(Data data, std::vector<int64_t> extent) {
  std::vector<int64_t> stride = dense_strides(extent);
  return add({next_virtual_id(), data, std::move(extent), std::move(stride)});
}

size_t Graph::add_transposed(Data data, std::vector<int64_t> extent) {
  const size_t rank = extent.size();
  std::swap(extent[rank - 2], extent[rank - 1]);
  std::vector<int64_t> stride = dense_strides(extent);
  std::swap(extent[rank - 2], extent[rank - 1]);
  std::swap(stride[rank - 2], stride[rank - 1]);
  return add({next_virtual_id(), data, std::move(extent), std::move(stride)});
}

int64_t Graph::next_virtual_id() const {
  constexpr int64_t kFirstId = 1000;  // above those that a caller gives
  return kFirstId + static_cast<int64_t>(tensors_.size());
}

void Graph::matmul(size_t a, size_t b, size_t c) {
  Descriptor& arithmetic = parts_.emplace_back(api_, Kind::matmul);
  arithmetic.set_enum(kMatmulType, Holds::data_type, Data::float32).finalize();
  Descriptor& operation = operations_.emplace_back(api_, Kind::operation_matmul);
  operation.set(kOperationMatmulA, tensors_[a])
      .set(kOperationMatmulB, tensors_[b])
      .set(kOperationMatmulC, tensors_[c]);
  operation.set(kOperationMatmul, arithmetic).finalize();
}

void Graph::convolve(size_t x, size_t w, size_t y, int64_t stride, int64_t padding) {
  constexpr int kCrossCorrelation = 1;
  constexpr float kOne = 1, kZero = 0;
  const std::vector<int64_t> paddings(2, padding);
  Descriptor& part = parts_.emplace_back(api_, Kind::convolution);
  part.set_enum(kConvolutionType, Holds::data_type, Data::float32)
      .set_enum(kConvolutionMode, Holds::convolution_mode, kCrossCorrelation)
      .set(kConvolutionDimensions, Holds::int64, 2)
      .set(kConvolutionDilations, Holds::int64, std::vector<int64_t>{1, 1})
      .set(kConvolutionStrides, Holds::int64, std::vector<int64_t>{stride, stride})
      .set(kConvolutionPaddingBefore, Holds::int64, paddings)
      .set(kConvolutionPaddingAfter, Holds::int64, paddings)
      .finalize();
  Descriptor& operation = operations_.emplace_back(api_, Kind::operation_convolution_forward);
  operation.set(kForwardX, tensors_[x]).set(kForwardW, tensors_[w]).set(kForwardY, tensors_[y]);
  operation.set(kForwardConvolution, part)
      .set(kForwardAlpha, Holds::float32, std::vector<float>{kOne})
      .set(kForwardBeta, Holds::float32, std::vector<float>{kZero})
      .finalize();
}

void Graph::pointwise(Pointwise mode, std::vector<size_t> inputs, size_t output, Data arithmetic) {
  constexpr int kInputs[] = {kOperationX, kOperationB, kOperationT};
  Descriptor& part = parts_.emplace_back(api_, Kind::pointwise);
  part.set_enum(kPointwiseMode, Holds::pointwise_mode, mode)
      .set_enum(kPointwisePrecision, Holds::data_type, arithmetic)
      .finalize();
  Descriptor& operation = operations_.emplace_back(api_, Kind::operation_pointwise);
  for (size_t i = 0; i < inputs.size(); ++i)
    operation.set(kInputs[i], tensors_[inputs[i]]);
  operation.set(kOperationY, tensors_[output]).set(kOperationPointwise, part).finalize();
}

void Graph::index_along(int axis, size_t like, size_t output) {
  Descriptor& part = parts_.emplace_back(api_, Kind::pointwise);
  part.set_enum(kPointwiseMode, Holds::pointwise_mode, Pointwise::index)
      .set_enum(kPointwisePrecision, Holds::data_type, Data::float32)
      .set(kPointwiseAxis, Holds::int64, axis)
      .finalize();
  Descriptor& operation = operations_.emplace_back(api_, Kind::operation_pointwise);
  operation.set(kOperationX, tensors_[like])
      .set(kOperationY, tensors_[output])
      .set(kOperationPointwise, part)
      .finalize();
}

void Graph::reduce(Reduction how, size_t input, size_t output) {
  Descriptor& part = parts_.emplace_back(api_, Kind::reduction);
  part.set_enum(kReductionOperator, Holds::reduction_operator, how)
      .set_enum(kReductionType, Holds::data_type, Data::float32)
      .finalize();
  Descriptor& operation = operations_.emplace_back(api_, Kind::operation_reduction);
  operation.set(kOperationReductionX, tensors_[input]).set(kOperationReductionY, tensors_[output]);
  operation.set(kOperationReduction, part).finalize();
}

void Graph::reshape(size_t input, size_t output) {
  operations_.emplace_back(api_, Kind::operation_reshape)
      .set(kOperationReshapeX, tensors_[input])
      .set(kOperationReshapeY, tensors_[output])
      .finalize();
}

std::vector<Descriptor> Graph::plans(Handle handle) {
  Descriptor& graph = parts_.emplace_back(api_, Kind::operation_graph);
  std::vector<void*> operations;
  for (const Descriptor& operation : operations_)
    operations.push_back(operation.raw());
  graph.set(kGraphOperations, Holds::descriptor, operations)
      .set(kGraphHandle, Holds::handle, std::vector<Handle>{handle})
      .finalize();
  std::vector<Descriptor> found;
  for (const int mode : kModes) {
    Descriptor heuristics(api_, Kind::engine_heuristics);
    heuristics.set(kHeuristicGraph, graph).set_enum(kHeuristicMode, Holds::heuristic_mode, mode);
    if (!heuristics.finalizes()) continue;
    std::vector<Descriptor> configs;
    std::vector<void*> raw;
    for (int64_t i = 0; i < kMostEngines; ++i)
      raw.push_back(configs.emplace_back(api_, Kind::engine_config).raw());
    int64_t count = 0;
    if (api_.get_attribute(heuristics.raw(), kHeuristicResults, static_cast<int>(Holds::descriptor),
                           kMostEngines, &count, raw.data()) != 0)
      continue;
    for (int64_t i = 0; i < std::min(count, kMostEngines); ++i) {
      Descriptor plan(api_, Kind::execution_plan);
      plan.set(kPlanHandle, Holds::handle, std::vector<Handle>{handle})
          .set(kPlanEngineConfig, configs[static_cast<size_t>(i)]);
      if (plan.finalizes()) found.push_back(std::move(plan));
    }
  }
  return found;
}

int64_t Graph::workspace_bytes(const Api& api, const Descriptor& plan) {
  int64_t bytes = 0, count = 0;
  expect(api.get_attribute(plan.raw(), kPlanWorkspaceBytes, static_cast<int>(Holds::int64), 1,
                           &count, &bytes),
         "asking for a plan's workspace");
  return bytes;
}

Descriptor variant_pack(const Api& api, const std::vector<int64_t>& ids,
                        const std::vector<void*>& pointers, void* workspace) {
  Descriptor pack(api, Kind::variant_pack);
  pack.set(kPackIds, Holds::int64, ids)
      .set(kPackPointers, Holds::pointer, pointers)
      .set(kPackWorkspace, Holds::pointer, std::vector<void*>{workspace})
      .finalize();
  return pack;
}

}  // namespace ridge::runner::cudnn
