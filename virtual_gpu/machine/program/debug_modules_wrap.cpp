// Replaces dl_iterate_phdr in programs linked with --wrap=dl_iterate_phdr. A separate file, so that
// other programs do not need __real_dl_iterate_phdr.
#include <link.h>

#include "virtual_gpu/machine/program/debug_modules.h"

namespace {

using Visit = int (*)(dl_phdr_info*, size_t, void*);

struct Visitor {
  Visit visit;
  void* data;
};

int visit_unless_skipped(dl_phdr_info* info, size_t size, void* data) {
  const auto skips = ridge::machine::ModuleFilter::now();
  if (skips != nullptr && skips(info->dlpi_name)) return 0;
  const Visitor& visitor = *static_cast<Visitor*>(data);
  return visitor.visit(info, size, visitor.data);
}

}  // namespace

extern "C" int __real_dl_iterate_phdr(Visit visit, void* data);
extern "C" int __wrap_dl_iterate_phdr(Visit visit, void* data) {
  Visitor visitor{visit, data};
  return __real_dl_iterate_phdr(visit_unless_skipped, &visitor);
}
