// Leaves out what a file does not use of the headers of the toolkit and of the system.
#pragma once

#include <string>
#include <string_view>

namespace ridge::build {

// The folder of cuda_runtime.h by the line markers of `preprocessed`, with "/" at its end; "" without it.
std::string toolkit_headers_of(std::string_view preprocessed);

// `preprocessed` (of `gcc -E`) without the declarations of headers that nothing left names, on the same
// lines. Headers are the files that the preprocessor marks as the system's, and those under
// `toolkit_headers` ("" for none). `also_used`: C++ text whose names count as used. Text that is not
// understood comes back as it is.
//
// What is declared in a namespace is kept or left out with all that has its name (overloads,
// specialisations), so that a name that is found means the same as before. A file that does compile so
// therefore compiles to the same code; one that does not may need something that is used without its name.
std::string without_unused_declarations(std::string_view preprocessed,
                                        std::string_view toolkit_headers,
                                        std::string_view also_used);

}  // namespace ridge::build
