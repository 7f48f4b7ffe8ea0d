// A program that is nothing but lane operations, and both ways to execute it.
#pragma once

#include <memory>
#include <vector>

#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/native/native_code.h"

namespace ridge::machine::test {

struct LaneStep {
  const LaneOp* operation;
  LaneOperands operands;
};

class Stretch {
 public:
  explicit Stretch(const std::vector<LaneStep>& steps, const std::vector<ConstantRow>& constants = {}) {
    for (const LaneStep& step : steps) {
      MicroOp op;
      op.kind = OpKind::lane;
      op.full = step.operation->full;
      op.masked = step.operation->masked;
      op.operands = step.operands;
      program_.ops.push_back(op);
    }
    program_.ops.front().stretch = static_cast<uint32_t>(steps.size());
    FunctionCode code;
    code.end = static_cast<uint32_t>(steps.size());
    code.constants = constants;
    program_.functions.push_back(code);
    native_ = make_native_code(program_);
  }

  void interpret(std::byte* registers, uint32_t mask) const {
    for (const MicroOp& op : program_.ops)
      (mask == kAllLanes ? op.full : op.masked)(registers, op.operands, mask);
  }

  // False when it was not compiled.
  bool execute(std::byte* registers, uint32_t mask) {
    NativeCode::Form form;
    form.is_masked = mask != kAllLanes;
    NativeEntry& entry = native_->entries()[0];
    NativeEntry::Variant& variant = (form.is_masked ? entry.masked : entry.full)[0];
    for (int heat = 0; heat < 2000 && variant.run == nullptr; ++heat)
      native_->interpreted(program_, 0, form);
    const NativeRun run = variant.run;
    if (run == nullptr) return false;
    NativeContext context;
    return run(registers, mask, &context) == 0;
  }

 private:
  Program program_;
  std::shared_ptr<NativeCode> native_;
};

}  // namespace ridge::machine::test
