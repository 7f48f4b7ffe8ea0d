// The enumerations of cuDNN's graph API that we repeat have the values of its header.
#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>

#include "harness/runner/child/baselines/cudnn_graph.h"
#include "tests/catch.h"

namespace {

template <typename Ours, typename Theirs>
bool same_number(Ours ours, Theirs theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

}  // namespace

TEST_CASE("our enumerations of cuDNN's graph API equal those of its header") {
  using namespace ridge::runner::cudnn;
  CHECK(same_number(Kind::pointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
  CHECK(same_number(Kind::engine_config, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  CHECK(same_number(Kind::engine_heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR));
  CHECK(same_number(Kind::execution_plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
  CHECK(same_number(Kind::operation_pointwise, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
  CHECK(same_number(Kind::operation_graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR));
  CHECK(same_number(Kind::variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
  CHECK(same_number(Kind::tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR));
  CHECK(same_number(Kind::matmul, CUDNN_BACKEND_MATMUL_DESCRIPTOR));
  CHECK(same_number(Kind::operation_matmul, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR));
  CHECK(same_number(Kind::reduction, CUDNN_BACKEND_REDUCTION_DESCRIPTOR));
  CHECK(same_number(Kind::operation_reduction, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR));
  CHECK(same_number(Kind::operation_reshape, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR));
  CHECK(same_number(Holds::handle, CUDNN_TYPE_HANDLE));
  CHECK(same_number(Holds::data_type, CUDNN_TYPE_DATA_TYPE));
  CHECK(same_number(Holds::boolean, CUDNN_TYPE_BOOLEAN));
  CHECK(same_number(Holds::int64, CUDNN_TYPE_INT64));
  CHECK(same_number(Holds::pointer, CUDNN_TYPE_VOID_PTR));
  CHECK(same_number(Holds::heuristic_mode, CUDNN_TYPE_HEUR_MODE));
  CHECK(same_number(Holds::pointwise_mode, CUDNN_TYPE_POINTWISE_MODE));
  CHECK(same_number(Holds::descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR));
  CHECK(same_number(Holds::reduction_operator, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE));
  CHECK(same_number(Data::float32, CUDNN_DATA_FLOAT));
  CHECK(same_number(Data::bfloat16, CUDNN_DATA_BFLOAT16));
  CHECK(same_number(Data::boolean, CUDNN_DATA_BOOLEAN));
  CHECK(same_number(Data::int32, CUDNN_DATA_INT32));
  CHECK(same_number(Pointwise::add, CUDNN_POINTWISE_ADD));
  CHECK(same_number(Pointwise::multiply, CUDNN_POINTWISE_MUL));
  CHECK(same_number(Pointwise::divide, CUDNN_POINTWISE_DIV));
  CHECK(same_number(Pointwise::subtract, CUDNN_POINTWISE_SUB));
  CHECK(same_number(Pointwise::exponential, CUDNN_POINTWISE_EXP));
  CHECK(same_number(Pointwise::logarithm, CUDNN_POINTWISE_LOG));
  CHECK(same_number(Pointwise::identity, CUDNN_POINTWISE_IDENTITY));
  CHECK(same_number(Pointwise::greater_or_equal, CUDNN_POINTWISE_CMP_GE));
  CHECK(same_number(Pointwise::index, CUDNN_POINTWISE_GEN_INDEX));
  CHECK(same_number(Pointwise::select, CUDNN_POINTWISE_BINARY_SELECT));
  CHECK(same_number(Reduction::add, CUDNN_REDUCE_TENSOR_ADD));
  CHECK(same_number(Reduction::maximum, CUDNN_REDUCE_TENSOR_MAX));
}
#endif
