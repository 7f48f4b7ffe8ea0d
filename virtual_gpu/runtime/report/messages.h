// What the virtual GPU says to the person, on stderr.
#pragma once

#include <string>
#include <string_view>

namespace ridge::runtime {

// One message, prefixed "virtual GPU: "; red for faults on a terminal.
void say(std::string_view message);
void print_fault(std::string_view message);


// "1.5 MB", "48 bytes".
std::string bytes_text(unsigned long long bytes);

}  // namespace ridge::runtime
