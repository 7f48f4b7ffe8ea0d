// The environment variables that an untrusted program receives: only those that it needs to run.
// Others may contain tokens, addresses and names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::sandbox {

bool may_be_passed_on(std::string_view variable);

// "NAME=value" for each of our variables that is passed on.
std::vector<std::string> passed_on_environment();

}  // namespace ridge::sandbox
