// The command line that puts a program into namespaces of its own (package bubblewrap).
#pragma once

#include <optional>

#include "harness/sandbox/policy.h"

namespace ridge::sandbox {

std::optional<std::filesystem::path> find_bubblewrap();

// To be put before the program and its arguments. Environment, working folder and open descriptors are passed
// on. A namespace for users as well, or, for root, one without: then whoever is inside can be made another
// user (confine.h), while as root in a namespace it would still own root's files.
enum class Users { own_namespace, as_outside };
std::vector<std::string> bubblewrap_command(const std::filesystem::path& bubblewrap, const Policy& policy,
                                            Users users);

}  // namespace ridge::sandbox
