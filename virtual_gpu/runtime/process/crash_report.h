// Handles signals that end the program while the virtual GPU executes a kernel: prints what was
// being executed and adds a finding to the report, so that the crash is not attributed to the
// program's host code.
#pragma once

namespace ridge::runtime {

// Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. A signal of a thread that runs
// no kernel goes to the previous handler, and so does every signal after its report.
void report_crashes();

}  // namespace ridge::runtime
