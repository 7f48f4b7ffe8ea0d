// Whether this process is in a network of its own that reaches nobody.
#pragma once

namespace ridge::sandbox {

// True when the loopback interface is up and is the only interface: no packet leaves this network.
// The caller must know that the network is not the machine's, where other programs may listen.
bool has_loopback_alone();

}  // namespace ridge::sandbox
