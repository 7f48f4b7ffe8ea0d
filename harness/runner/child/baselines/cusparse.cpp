// cuSPARSE's product of a CSR matrix and a vector, with the fastest of its algorithms.
#include <algorithm>

#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

using Handle = void*;
using Descriptor = void*;
using CreateHandle = int(Handle*);
using SetHandleStream = int(Handle, problems::Stream);
using VersionOf = int(Handle, int*);
using CreateMatrix = int(Descriptor*, int64_t rows, int64_t cols, int64_t entries, void* offsets,
                         void* columns, void* values, int offset_type, int column_type, int base,
                         int value_type);
using CreateVector = int(Descriptor*, int64_t size, void* values, int type);
using Destroy = int(Descriptor);
using SpmvBytes = int(Handle, int operation, const void* alpha, Descriptor a, Descriptor x,
                      const void* beta, Descriptor y, int type, int algorithm, size_t* bytes);
using Spmv = int(Handle, int operation, const void* alpha, Descriptor a, Descriptor x,
                 const void* beta, Descriptor y, int type, int algorithm, void* room);

constexpr int kIndex32 = 2, kZeroBased = 0, kNotTransposed = 0, kRealFloat = 0;
struct Algorithm {
  int code;
  const char* name;
};
constexpr Algorithm kAlgorithms[] = {
    {0, "default algorithm"}, {2, "CSR algorithm 1"}, {3, "CSR algorithm 2"}};

class CusparseSpmv : public Baseline {
 public:
  CusparseSpmv()
      : library_(Library::open(kCusparse)),
        create_matrix_(library_.function<CreateMatrix>("cusparseCreateCsr")),
        create_vector_(library_.function<CreateVector>("cusparseCreateDnVec")),
        destroy_matrix_(library_.function<Destroy>("cusparseDestroySpMat")),
        destroy_vector_(library_.function<Destroy>("cusparseDestroyDnVec")),
        spmv_(library_.function<Spmv>("cusparseSpMV")) {}

  BaselineReport prepare(const Work& work, const Slot& trial) override {
    work_ = work;
    expect(library_.function<CreateHandle>("cusparseCreate")(&handle_), "making a handle");
    expect(library_.function<SetHandleStream>("cusparseSetStream")(handle_, work.stream),
           "setting its stream");
    int version = 0;
    expect(library_.function<VersionOf>("cusparseGetVersion")(handle_, &version),
           "asking for its version");
    BaselineReport report{"cuSPARSE " + std::to_string(version / 1000) + "." +
                              std::to_string(version / 100 % 10) + "." +
                              std::to_string(version % 100),
                          "",
                          {}};
    size_t most = 0;
    const auto bytes_of = library_.function<SpmvBytes>("cusparseSpMV_bufferSize");
    for (const Algorithm& algorithm : kAlgorithms)
      with_descriptors(trial, [&](Descriptor a, Descriptor x, Descriptor y) {
        size_t bytes = 0;
        expect(bytes_of(handle_, kNotTransposed, &kOne, a, x, &kZero, y, kRealFloat, algorithm.code,
                        &bytes),
               "asking how much room it needs");
        most = std::max(most, bytes);
      });
    room_ = DeviceMemory(static_cast<int64_t>(most));
    double best = 0;
    int chosen = 0;
    for (const Algorithm& algorithm : kAlgorithms) {
      algorithm_ = algorithm.code;
      const double time = trial_ms(*this, work, trial);
      report.trials.push_back({algorithm.name, time});
      if (best > 0 && time >= best) continue;
      best = time;
      chosen = algorithm.code;
      report.chosen = algorithm.name;
    }
    algorithm_ = chosen;
    return report;
  }

  void run(const Slot& slot) override {
    with_descriptors(slot, [&](Descriptor a, Descriptor x, Descriptor y) {
      expect(spmv_(handle_, kNotTransposed, &kOne, a, x, &kZero, y, kRealFloat, algorithm_,
                   room_.start()),
             "the product");
    });
  }

 private:
  static constexpr float kOne = 1, kZero = 0;
  static void expect(int status, std::string_view doing) {
    expect_success(status, "cuSPARSE", doing);
  }

  // Descriptors hold pointers and sizes in host memory only.
  template <typename Work>
  void with_descriptors(const Slot& slot, const Work& use) {
    const int64_t rows = work_.sizes[0], cols = work_.sizes[1], entries = work_.sizes[2];
    Descriptor a = nullptr, x = nullptr, y = nullptr;
    expect(create_matrix_(&a, rows, cols, entries, slot.pointers[0], slot.pointers[1],
                          slot.pointers[2], kIndex32, kIndex32, kZeroBased, kRealFloat),
           "describing the matrix");
    expect(create_vector_(&x, cols, slot.pointers[3], kRealFloat), "describing x");
    expect(create_vector_(&y, rows, slot.pointers[4], kRealFloat), "describing y");
    use(a, x, y);
    destroy_matrix_(a);
    destroy_vector_(x);
    destroy_vector_(y);
  }

  Library library_;
  CreateMatrix* create_matrix_;
  CreateVector* create_vector_;
  Destroy *destroy_matrix_, *destroy_vector_;
  Spmv* spmv_;
  Handle handle_ = nullptr;
  DeviceMemory room_;
  int algorithm_ = 0;
  Work work_;
};

}  // namespace

std::unique_ptr<Baseline> make_cusparse_spmv() {
  return std::make_unique<CusparseSpmv>();
}

}  // namespace ridge::runner
