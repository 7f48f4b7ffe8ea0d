// cuDNN's forward convolution in NHWC, as in the problem, with its fastest algorithm.
#include <fmt/format.h>

#include <stdexcept>

#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using Opaque = void*;
using Create = int(Opaque*);
using SetStream = int(Opaque, problems::Stream);
using GetVersion = size_t();
using SetTensor = int(Opaque, int format, int type, int n, int c, int h, int w);
using SetFilter = int(Opaque, int type, int format, int k, int c, int h, int w);
using SetConvolution = int(Opaque, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,
                           int dilation_w, int mode, int compute_type);
using SetMath = int(Opaque, int math);
struct AlgorithmTime {  // cudnnConvolutionFwdAlgoPerf_t
  int algorithm, status;
  float time_ms;
  size_t workspace_bytes;
  int determinism, math, reserved[3];
};
using Find = int(Opaque, Opaque x, Opaque w, Opaque convolution, Opaque y, int wanted, int* got,
                 AlgorithmTime*);
using Forward = int(Opaque, const void* alpha, Opaque x, const void*, Opaque w, const void*,
                    Opaque convolution, int, void* workspace, size_t, const void* beta, Opaque y, void*);

constexpr int kNhwc = 1, kFloat = 0, kBfloat16 = 9, kCrossCorrelation = 1;
constexpr int kTensorMath = 1, kPlainMath = 3;  // CUDNN_TENSOR_OP_MATH, CUDNN_FMA_MATH: never TF32
constexpr int kAlgorithms = 8;                  // CUDNN_CONVOLUTION_FWD_ALGO_COUNT

class CudnnConvolution : public Baseline {
 public:
  CudnnConvolution()
      : library_(Library::open(kCudnn)),
        forward_(library_.function<Forward>("cudnnConvolutionForward")) {}

  BaselineReport prepare(const Work& work, const Slot&) override {
    expect(library_.function<Create>("cudnnCreate")(&handle_), "making a handle");
    expect(library_.function<SetStream>("cudnnSetStream")(handle_, work.stream), "setting its stream");
    describe(work);
    AlgorithmTime found[kAlgorithms];
    int count = 0;
    expect(library_.function<Find>("cudnnFindConvolutionForwardAlgorithm")(handle_, x_, w_, convolution_, y_,
                                                                           kAlgorithms, &count, found),
           "trying its algorithms");
    BaselineReport report{
        "cuDNN " + cudnn_version(library_.function<GetVersion>("cudnnGetVersion")()), "", {}};
    for (int i = 0; i < count; ++i) {
      if (found[i].status != 0) continue;
      report.trials.push_back({fmt::format("algorithm {}{}", found[i].algorithm,
                                           found[i].math == kTensorMath ? ", tensor cores" : ""),
                               static_cast<double>(found[i].time_ms)});
      if (report.trials.size() == 1) best_ = found[i];  // sorted by time
    }
    if (report.trials.empty()) throw std::runtime_error("cuDNN has no algorithm for this convolution");
    report.chosen = report.trials.front().name;
    workspace_ = DeviceMemory(static_cast<int64_t>(best_.workspace_bytes));
    expect(library_.function<SetMath>("cudnnSetConvolutionMathType")(convolution_, best_.math),
           "choosing its arithmetic");
    return report;
  }

  void run(const Slot& slot) override {
    const float one = 1, zero = 0;
    expect(forward_(handle_, &one, x_, slot.pointers[0], w_, slot.pointers[1], convolution_, best_.algorithm,
                    workspace_.start(), best_.workspace_bytes, &zero, y_, slot.pointers[2]),
           "the convolution");
  }

 private:
  static void expect(int status, std::string_view doing) { expect_success(status, "cuDNN", doing); }
  // cuDNN 9.14.0 is 91400; 8.9.7 was 8907.
  static std::string cudnn_version(size_t version) { return version_text(static_cast<int>(version), 100); }

  // Sizes: as in harness/problems/convolution/convolution.cpp.
  void describe(const Work& work) {
    int size[8];
    for (size_t i = 0; i < 8; ++i)
      size[i] = static_cast<int>(work.sizes.at(i));
    const auto [n, h, w, c, k, r, stride, padding] = size;
    const int p = (h + 2 * padding - r) / stride + 1, q = (w + 2 * padding - r) / stride + 1;
    const int type =
        work.problem->buffers(work.sizes)[0].type == problems::Type::float32 ? kFloat : kBfloat16;
    for (Opaque* tensor : {&x_, &y_})
      expect(library_.function<Create>("cudnnCreateTensorDescriptor")(tensor), "describing a tensor");
    expect(library_.function<Create>("cudnnCreateFilterDescriptor")(&w_), "describing the filter");
    expect(library_.function<Create>("cudnnCreateConvolutionDescriptor")(&convolution_),
           "describing the convolution");
    auto* tensor = library_.function<SetTensor>("cudnnSetTensor4dDescriptor");
    expect(tensor(x_, kNhwc, type, n, c, h, w), "describing the input");
    expect(tensor(y_, kNhwc, type, n, k, p, q), "describing the output");
    expect(library_.function<SetFilter>("cudnnSetFilter4dDescriptor")(w_, type, kNhwc, k, c, r, r),
           "describing the filter");
    expect(library_.function<SetConvolution>("cudnnSetConvolution2dDescriptor")(
               convolution_, padding, padding, stride, stride, 1, 1, kCrossCorrelation, kFloat),
           "describing the convolution");
    expect(library_.function<SetMath>("cudnnSetConvolutionMathType")(
               convolution_, type == kFloat ? kPlainMath : kTensorMath),
           "choosing its arithmetic");
  }

  Library library_;
  Forward* forward_;
  Opaque handle_ = nullptr, x_ = nullptr, w_ = nullptr, y_ = nullptr, convolution_ = nullptr;
  AlgorithmTime best_{};
  DeviceMemory workspace_;
};

}  // namespace

std::unique_ptr<Baseline> make_cudnn_convolution() {
  return std::make_unique<CudnnConvolution>();
}

}  // namespace ridge::runner
