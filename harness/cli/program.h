// The program `ridge` without the header of the commands: that one includes CLI11, which takes
// seconds to compile.
#pragma once

namespace ridge::cli {

// The whole program: parses, runs, and turns every exception into a message and an exit status.
int run_program(int argument_count, const char* const* arguments);

}  // namespace ridge::cli
