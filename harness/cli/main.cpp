// Starts the program.
#include "harness/cli/program.h"

int main(int argument_count, char** arguments) {
  return ridge::cli::run_program(argument_count, arguments);
}
