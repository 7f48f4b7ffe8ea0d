// The syntax tree of one PTX module from the parser: names are still text, nothing is resolved.
// `machine/` converts a Function to a Program; nothing else reads this tree. Its views are of the
// module's text and pools.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "virtual_gpu/ptx/text_lines.h"
#include "virtual_gpu/ptx/names/tree_pool.h"

namespace ridge::ptx {

enum class Space : uint8_t { none, reg, constant, global, local, param, shared };

// A line of the student's source (.loc), with the PTX line. If nvcc inlined the function,
// `inlined_at` is the call site: an index into Module::locations, or 0. It is always smaller than
// the location's own index, so the chain of call sites ends.
struct Location {
  uint32_t file = 0;  // key in Module::files; 0 = unknown
  uint32_t line = 0;  // 0 = nvcc merged code of several lines
  uint32_t column = 0;
  uint32_t inlined_at = 0;
};

// The number of a register in its function: of %r12 the number of `.reg %r<20>` plus 12. Every name
// that begins with '%' has one, also special registers and parts of vector registers.
using RegisterNumber = uint32_t;
inline constexpr RegisterNumber kNoRegister = 0xffffffffu;

struct Operand {
  enum class Kind : uint8_t {
    // %r1, %tid.x, %p2, %v1.x: the whole name; `negated` for !%p2; `component` repeats a trailing
    // .x .y .z .w.
    reg,
    integer,  // integer literal or constant expression, in `integer`
    // 0f3F800000, 0d..., 1.5: the value in `floating`, the literal's bits in `integer` (32 bits
    // with `is_f32_bits`, otherwise those of a double, so that NaN payloads survive).
    floating,
    symbol,  // a variable, function or label by name, plus `integer` bytes ("table+16")
    address,  // [name+offset] or [literal]: name may be empty; base is a register when it starts with '%'
    vector,  // {a, b, c, d} in `elements`; also the coordinates part of tensor addresses
    pair,    // p|q in `elements`
    sink,    // _
  };
  Kind kind = Kind::sink;
  bool negated = false;                 // !%p; -%r of a video instruction
  bool is_f32_bits = false;             // 0fXXXXXXXX
  bool is_generic = false;              // symbol written as generic(name)
  char component = 0;                   // 'x', 'y', 'z', 'w' when `name` ends in one; 0 otherwise
  // The byte or half of a video instruction's operand (%r1.b2, %r1.h0); it is not in `name`.
  char part = 0;                        // 'b', 'h'; 0: the whole register
  uint8_t part_index = 0;
  RegisterNumber number = kNoRegister;  // of `name`
  std::string_view name;                // reg, symbol, address base
  int64_t integer = 0;                  // integer literal, or the offset of an address or symbol
  double floating = 0;
  // vector, pair: the parts. address: the parts after the first comma in the brackets, in order:
  // [map, {x, y}] has one element, a vector; [texture, sampler, {x, y}] has two.
  OperandList elements;
};

inline Operand* OperandList::end() const {
  return first_ + count_;
}
inline Operand& OperandList::operator[](size_t index) const {
  return first_[index];
}
inline Operand& OperandList::back() const {
  return first_[count_ - 1];
}

struct Instruction {
  std::string_view opcode;  // with modifiers, as written: "ld.global.nc.v4.f32"
  std::string_view guard;   // predicate register without '@' and '!', empty when unguarded
  RegisterNumber guard_number = kNoRegister;
  bool guard_negated = false;
  // In the order written. For call always: vector of results, target (symbol or reg), vector of
  // arguments, and for an indirect call a symbol: a key of Function::prototypes or
  // Function::call_targets. The vectors may be empty.
  OperandList operands;
  uint32_t location = 0;  // index into Module::locations; 0 = none
  uint32_t ptx_line = 0;  // 1-based line in the PTX text
};

inline Operand guard_operand(const Instruction& instruction) {
  Operand guard;
  guard.kind = Operand::Kind::reg;
  guard.name = instruction.guard;
  guard.number = instruction.guard_number;
  return guard;
}

struct Variable {
  std::string name;
  Space space = Space::none;
  std::string type;            // "f32", "b8", "u64", "pred", ...
  uint32_t vector_width = 1;   // .v2, .v4
  uint32_t alignment = 0;      // bytes; 0 = natural
  uint64_t element_count = 1;  // product of the array extents; 0 for an unsized extern array
  bool is_extern = false;
  bool is_visible = false;  // .visible, .weak or .common: other modules and the host can name it
  bool is_weak = false;     // .weak or .common: a definition in another module may replace it
  bool is_managed = false;
  std::vector<uint8_t> initial;  // the first bytes; the rest of the variable is zero
  // Addresses in the initialiser: at byte `offset` store the low `bytes` bytes of (address of
  // `symbol` + `addend`) >> `shift_bits`. `generic` when it was written as generic(symbol).
  struct Relocation {
    uint64_t offset = 0;
    std::string symbol;
    int64_t addend = 0;
    bool generic = true;
    uint32_t bytes = 8;
    uint32_t shift_bits = 0;
  };
  std::vector<Relocation> relocations;
  uint32_t ptx_line = 0;
};

// Every register name starts with '%': the parser renames the `p` of an inline asm block to `%p$1`.
// The prefix of a range never ends in a digit, and declarations of a function have distinct names.
struct RegisterDeclaration {
  // "%r" for `.reg .b32 %r<10>` with count = 10 (%r0 ... %r9), or the whole name with count = 0.
  std::string_view name;
  std::string type;
  uint32_t vector_width = 1;
  uint32_t count = 0;
  RegisterNumber first = 0;  // of %r0, or of the only one
};

// Scopes { } in a body are flattened: the second `param0` of a function becomes `param0$2` in its
// scope.
struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  // no body
  bool is_extern = false;       // .extern
  bool is_visible = false;      // .visible, .weak: other modules and the host can name it
  bool is_weak = false;         // .weak
  bool no_return = false;
  std::vector<Variable> results;  // .func return parameters
  std::vector<Variable> parameters;
  std::vector<RegisterDeclaration> registers;
  uint32_t register_count = 0;  // every RegisterNumber of the body is smaller
  std::vector<Variable>
      variables;  // .local, .shared, .param declared in the body (scopes flattened, names made unique)
  std::vector<Instruction> instructions;
  // Label -> index of the next instruction; instructions.size() when the body ends there.
  std::unordered_map<std::string_view, uint32_t> labels;
  using NameLists = std::unordered_map<std::string_view, std::vector<std::string_view>>;
  NameLists branch_targets;  // label of .branchtargets -> labels
  NameLists call_targets;    // label of .calltargets -> functions
  struct Prototype {
    std::vector<Variable> results, parameters;
    bool no_return = false;
  };
  std::unordered_map<std::string_view, Prototype> prototypes;  // .callprototype by label
  std::array<uint32_t, 3> max_threads{0, 0, 0};                // .maxntid; 0 = not specified
  std::array<uint32_t, 3> required_threads{0, 0, 0};           // .reqntid
  std::array<uint32_t, 3> cluster{0, 0, 0};                    // .reqnctapercluster
  bool explicit_cluster = false;                               // .explicitcluster
  uint32_t max_cluster_rank = 0;                               // .maxclusterrank
  uint32_t min_blocks_per_sm = 0;                              // .minnctapersm
  uint32_t max_registers = 0;                                  // .maxnreg
  uint32_t ptx_line = 0;
  uint32_t line_shift = 0;  // linked modules: number of lines of other modules before its own text
  // The body from '{' to '}' and the line of its '{', until parse_bodies() reads it; then empty.
  std::string_view unread_body;
  uint32_t unread_body_line = 0;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;                               // "sm_90a"
  bool is_debug = false;                            // .target sm_90a, debug: nvcc -G
  std::unordered_map<uint32_t, std::string> files;  // .file index -> path
  std::vector<Location> locations{Location{}};      // [0] = unknown
  std::vector<Variable> variables;                  // module scope; each name once
  // Each name once: a definition replaces its declaration.
  std::vector<Function> functions;
  std::unordered_map<std::string_view, uint32_t> function_index;  // by name, in `functions`
  std::unordered_set<std::string_view> names;  // of variables, functions and aliases
  std::vector<std::pair<std::string, std::string>>
      aliases;          // .alias: first is another name of second
  TextLines ptx_lines;  // the text, for messages and the visualizer
  // They hold the strings of the tree that are not in the text. A linked module has the pools of all its modules.
  std::vector<std::shared_ptr<TreePool>> pools;
};

// nullptr when the module has no function of this name.
const Function* find_function(const Module& module, std::string_view name);

}  // namespace ridge::ptx
