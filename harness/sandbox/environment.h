// Which variables of ours a program that is not trusted gets: those that it needs to run, and no other. What
// else a user keeps in the environment (tokens, addresses, names) is none of its business.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::sandbox {

bool may_be_passed_on(std::string_view variable);

// "NAME=value" for each of our variables that may be.
std::vector<std::string> passed_on_environment();

}  // namespace ridge::sandbox
