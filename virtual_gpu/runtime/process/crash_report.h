// A signal that ends the program while the virtual GPU executes a kernel: what was being executed is printed
// and becomes a finding of the report, so that it is never taken for a fault of the program's host code.
#pragma once

namespace ridge::runtime {

// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT from now on. A signal of a thread that runs no kernel
// goes to the handler that was there before, and so does every signal after its report.
void report_crashes();

}  // namespace ridge::runtime
