#include "harness/sandbox/own_network.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace ridge::sandbox {

bool has_loopback_alone() {
  struct if_nameindex* const names = if_nameindex();
  if (!names) return false;
  const bool is_alone = names[0].if_index != 0 && names[1].if_index == 0;
  ifreq request{};
  if (is_alone) std::strncpy(request.ifr_name, names[0].if_name, IFNAMSIZ - 1);
  if_freenameindex(names);
  if (!is_alone) return false;
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return false;
  const bool known = ioctl(any, SIOCGIFFLAGS, &request) == 0;
  close(any);
  const int flags = request.ifr_flags;
  return known && (flags & IFF_LOOPBACK) != 0 && (flags & IFF_UP) != 0;
}

}  // namespace ridge::sandbox
