// What the learner's file calls a place in shared memory: `tile[3][17]`, `shared.a[1][64]`. The
// compiled code knows one name per array and no types, and of dynamic shared memory only where it
// begins.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::grade {

class SharedNames {
 public:
  // `code`: without comments (source_scan).
  explicit SharedNames(const std::string& code);

  // `array`: the name in the compiled code; `begin`: where it begins in the block's shared memory,
  // `offset`: of the place, both in bytes. nullopt where the declaration is not understood or has
  // no such place.
  std::optional<std::string> place(const std::string& array, uint64_t begin, uint64_t offset) const;
  // A place so many bytes into an array, also beyond its end: {"tile[32][0]", "32 x 33"}; nullopt
  // for arrays that do not have two dimensions or more.
  struct Element {
    std::string name, extent;
  };
  std::optional<Element> element(const std::string& array, int64_t offset) const;

 private:
  struct Variable;
  struct Type {
    uint64_t bytes = 0, alignment = 0;
    std::vector<Variable> members;  // of a struct
    bool is_vector = false;         // of floats, float4 and its like: x, y, z, w
  };
  struct Variable {
    std::string name;
    Type type;
    std::vector<int64_t> extents;
    uint64_t offset = 0;  // of a member in its struct; of a view: what its beginning is rounded up to
    bool is_dynamic = false;
    uint64_t elements() const;
  };

  void read_constants(const std::string& code);
  void read_structs(const std::string& code);
  void read_arrays(const std::string& code);
  // "float a[4][kTile], b" and its like.
  std::vector<Variable> declared(std::string_view text) const;
  std::optional<Type> type_named(const std::string& name) const;
  std::optional<int64_t> value_of(std::string_view expression) const;
  static std::optional<std::string> name_in(const Variable& variable, uint64_t offset);

  std::map<std::string, int64_t> constants_;
  std::map<std::string, Type> structs_;
  std::map<std::string, std::vector<Variable>> arrays_,
      views_;  // views: by the dynamic array that they show
};

}  // namespace ridge::grade
