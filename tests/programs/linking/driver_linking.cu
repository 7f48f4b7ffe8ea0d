// The driver API: a module from PTX text, linked PTX, a library, launches with attributes, entry points by name.
#include <cuda.h>

#include "values.h"
#define CU(x)                                    \
  do {                                           \
    CUresult r_ = (x);                           \
    if (r_ != CUDA_SUCCESS) {                    \
      const char* n_ = "?";                      \
      cuGetErrorName(r_, &n_);                   \
      printf("%d %s -> %s\n", __LINE__, #x, n_); \
      return 1;                                  \
    }                                            \
  } while (0)
static const char* ptx = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 5;
.const .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 p, .param .u32 n, .param .f32 k)
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<5>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [k];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4]; ld.const.u32 %r6, [factor]; cvt.rn.f32.u32 %f3, %r6; fma.rn.f32 %f2, %f2, %f1, %f3; st.global.f32 [%rd4], %f2;
  atom.global.add.u32 %r7, [counter], 1;
DONE: ret;
}
)";
static const char* part1 =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func (.param .b32 r) triple(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; mul.lo.s32 %r2, %r1, 3; st.param.b32 [r], %r2; ret; }\n";
static const char* part2 =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) triple(.param .b32 x);\n.visible .entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), triple, (a); ld.param.b32 %r2, [b]; } mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret; }\n";
int main() {
  CU(cuInit(0));
  int n, ver;
  CU(cuDeviceGetCount(&n));
  CU(cuDriverGetVersion(&ver));
  printf("%d %d\n", n > 0, ver >= 13000);
  CUdevice dev;
  CU(cuDeviceGet(&dev, 0));
  int at;
  CU(cuDeviceGetAttribute(&at, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, dev));
  printf("%d\n", at);
  CUcontext ctx;
  CU(cuDevicePrimaryCtxRetain(&ctx, dev));
  CU(cuCtxSetCurrent(ctx));
  CUmodule m;
  CU(cuModuleLoadData(&m, ptx));
  CUfunction f;
  CU(cuModuleGetFunction(&f, m, "scale"));
  CUdeviceptr p;
  CU(cuMemAlloc(&p, 4000));
  std::vector<float> h(1000);
  for (int i = 0; i < 1000; ++i)
    h[i] = i;
  CU(cuMemcpyHtoD(p, h.data(), 4000));
  unsigned cnt = 1000;
  float k = 0.5f;
  void* args[] = {&p, &cnt, &k};
  CU(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, args, 0));
  CU(cuCtxSynchronize());
  CUdeviceptr g;
  size_t gs;
  CU(cuModuleGetGlobal(&g, &gs, m, "counter"));
  unsigned c;
  CU(cuMemcpyDtoH(&c, g, 4));
  printf("counter %u of %zu\n", c, gs);
  CU(cuModuleGetGlobal(&g, &gs, m, "factor"));
  unsigned ten = 10;
  CU(cuMemcpyHtoD(g, &ten, 4));
  CUlaunchConfig cfg = {};
  cfg.gridDimX = 4;
  cfg.gridDimY = cfg.gridDimZ = 1;
  cfg.blockDimX = 256;
  cfg.blockDimY = cfg.blockDimZ = 1;
  CUlaunchAttribute la[1] = {};
  la[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  la[0].value.clusterDim.x = 2;
  la[0].value.clusterDim.y = la[0].value.clusterDim.z = 1;
  cfg.attrs = la;
  cfg.numAttrs = 1;
  CU(cuLaunchKernelEx(&cfg, f, args, 0));
  size_t sz = 0;
  struct {
    CUdeviceptr p;
    unsigned n;
    float k;
  } packed = {p, 1000, 2.f};
  sz = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &sz,
                   CU_LAUNCH_PARAM_END};
  CU(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, nullptr, extra));
  CU(cuMemcpyDtoH(h.data(), p, 4000));
  printf("%016llx %g %g\n", (unsigned long long)hash_of(h.data(), 4000), h[0], h[999]);
  CUlinkState ls;
  void* cubin;
  size_t cs;
  CU(cuLinkCreate(0, nullptr, nullptr, &ls));
  CU(cuLinkAddData(ls, CU_JIT_INPUT_PTX, (void*)part1, strlen(part1) + 1, "a", 0, 0, 0));
  CU(cuLinkAddData(ls, CU_JIT_INPUT_PTX, (void*)part2, strlen(part2) + 1, "b", 0, 0, 0));
  CU(cuLinkComplete(ls, &cubin, &cs));
  CUmodule lm;
  CU(cuModuleLoadData(&lm, cubin));
  CU(cuLinkDestroy(ls));
  CU(cuModuleGetFunction(&f, lm, "k"));
  void* a2[] = {&p};
  CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, a2, 0));
  unsigned t[32];
  CU(cuMemcpyDtoH(t, p, 128));
  printf("%u %u\n", t[1], t[31]);
  CUlibrary lib;
  CU(cuLibraryLoadData(&lib, ptx, 0, 0, 0, 0, 0, 0));
  CUkernel kn;
  CU(cuLibraryGetKernel(&kn, lib, "scale"));
  CUfunction kf;
  CU(cuKernelGetFunction(&kf, kn));
  CU(cuLaunchKernel((CUfunction)kn, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
  CU(cuCtxSynchronize());
  int regs;
  CU(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kf));
  printf("max threads %d\n", regs);
  const char* nm;
  CU(cuFuncGetName(&nm, kf));
  printf("%s\n", nm);
  void* fn;
  CUdriverProcAddressQueryResult q;
  CU(cuGetProcAddress("cuMemGetInfo", &fn, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &q));
  size_t fr, to;
  CU(((CUresult(*)(size_t*, size_t*))fn)(&fr, &to));
  printf("%d %d\n", fr <= to && fr > 0, q);
  CU(cuMemsetD32(p, 0x01020304, 100));
  CU(cuMemsetD8(p, 9, 5));
  CU(cuMemsetD16(p + 8, 7, 3));
  CU(cuMemcpyDtoH(t, p, 24));
  for (int i = 0; i < 6; ++i)
    printf("%x ", t[i]);
  printf("\n");
  int bs, mg;
  CU(cuOccupancyMaxPotentialBlockSize(&mg, &bs, kf, nullptr, 0, 0));
  printf("%d\n", bs > 0);
  CUstream st;
  CU(cuStreamCreate(&st, CU_STREAM_NON_BLOCKING));
  CUevent e;
  CU(cuEventCreate(&e, 0));
  CU(cuEventRecord(e, st));
  CU(cuStreamWaitEvent(st, e, 0));
  CU(cuStreamSynchronize(st));
  CUresult bad = cuModuleGetFunction(&f, m, "absent");
  const char* bn;
  cuGetErrorName(bad, &bn);
  printf("%s\n", bn);
  CU(cuLibraryUnload(lib));
  CU(cuMemFree(p));
  CU(cuDevicePrimaryCtxRelease(dev));
}
