// Messages of the virtual GPU to the user, on stderr.
#pragma once

#include <string>
#include <string_view>

namespace ridge::runtime {

// Prints one message with the prefix "virtual GPU: "; faults are red on a terminal.
void say(std::string_view message);
void print_fault(std::string_view message);


// "1.5 MB", "48 bytes".
std::string bytes_text(unsigned long long bytes);

}  // namespace ridge::runtime
