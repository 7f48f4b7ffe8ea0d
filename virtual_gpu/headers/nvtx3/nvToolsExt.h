// NVTX: ranges and marks for a profiler. There is none here that listens, so they do nothing.
#pragma once

#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3
} nvtxPayloadType_t;

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;
typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_t {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define RIDGE_NVTX static inline
RIDGE_NVTX void nvtxMarkA(const char*) {}
RIDGE_NVTX void nvtxMarkEx(const nvtxEventAttributes_t*) {}
RIDGE_NVTX int nvtxRangePushA(const char*) {
  return 0;
}
RIDGE_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t*) {
  return 0;
}
RIDGE_NVTX int nvtxRangePop() {
  return 0;
}
RIDGE_NVTX nvtxRangeId_t nvtxRangeStartA(const char*) {
  return 0;
}
RIDGE_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t*) {
  return 0;
}
RIDGE_NVTX void nvtxRangeEnd(nvtxRangeId_t) {}
RIDGE_NVTX void nvtxNameOsThreadA(uint32_t, const char*) {}
RIDGE_NVTX void nvtxNameCategoryA(uint32_t, const char*) {}
RIDGE_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char*) {
  return nullptr;
}
RIDGE_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t) {}
RIDGE_NVTX nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t, const char*) {
  return nullptr;
}
RIDGE_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t, const nvtxEventAttributes_t*) {}
RIDGE_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t*) {
  return 0;
}
RIDGE_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t) {
  return 0;
}
RIDGE_NVTX nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t, const nvtxEventAttributes_t*) {
  return 0;
}
RIDGE_NVTX void nvtxDomainRangeEnd(nvtxDomainHandle_t, nvtxRangeId_t) {}
#undef RIDGE_NVTX

#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
