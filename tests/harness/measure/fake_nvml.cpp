// A library with NVML's functions that the monitor calls, answering from FAKE_NVML:
// "clock=1980,power=364000,reasons=4,devices=1".
#include <cstdlib>
#include <string>

namespace {

unsigned long long field(const char* name, unsigned long long otherwise) {
  const char* text = std::getenv("FAKE_NVML");
  const std::string all = text ? text : "", key = std::string(name) + "=";
  const size_t at = all.find(key);
  return at == std::string::npos ? otherwise : std::strtoull(all.c_str() + at + key.size(), nullptr, 10);
}

}  // namespace

extern "C" {
int nvmlInit_v2() {
  return static_cast<int>(field("init", 0));
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int code) {
  return code == 9 ? "Driver Not Loaded" : "an error";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(field("devices", 1));
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  *device = reinterpret_cast<void*>(1);
  return std::string(bus) == "0000:0B:00.0" ? 0 : 6;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  *device = reinterpret_cast<void*>(2);
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int which, unsigned* mhz) {
  *mhz = static_cast<unsigned>(which == 1 ? field("clock", 1980) : 3201);
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 41;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = static_cast<unsigned>(field("power", 364'000));
  return 0;
}
#ifdef FAKE_OLD_NVML  // before driver 535
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
#else
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
#endif
  *reasons = field("reasons", 0);
  return 0;
}
}
