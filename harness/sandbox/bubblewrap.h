// Builds the command line that runs a program in its own namespaces (package bubblewrap).
#pragma once

#include <optional>

#include "harness/sandbox/policy.h"

namespace ridge::sandbox {

std::optional<std::filesystem::path> find_bubblewrap();

// The result precedes the program and its arguments. Environment, working folder and open
// descriptors are inherited. own_namespace: also a user namespace. as_outside: for root, without
// one: the process inside can then become another user (confine.h), whereas root in a user
// namespace would still own root's files.
enum class Users { own_namespace, as_outside };
std::vector<std::string> bubblewrap_command(const std::filesystem::path& bubblewrap, const Policy& policy,
                                            Users users);

}  // namespace ridge::sandbox
