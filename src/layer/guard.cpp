#include "layer/guard.h"

namespace tandem::layer {

VkResult ToVkResult(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kDeviceLost: return VK_ERROR_DEVICE_LOST;
    case ErrorKind::kOutOfMemory: return VK_ERROR_OUT_OF_HOST_MEMORY;
    case ErrorKind::kOutOfVideoMemory: return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    case ErrorKind::kOutOfDate: return VK_ERROR_OUT_OF_DATE_KHR;
    case ErrorKind::kTimeout: return VK_TIMEOUT;
    case ErrorKind::kInvalidArgument:
    case ErrorKind::kNotFound:
    case ErrorKind::kUnsupported:
    case ErrorKind::kLimit:
    case ErrorKind::kSurfaceLost:
    case ErrorKind::kIo:
    case ErrorKind::kInternal: return VK_ERROR_SURFACE_LOST_KHR;
  }
  return VK_ERROR_SURFACE_LOST_KHR;
}

VkResult ToVkCreationResult(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kDeviceLost: return VK_ERROR_DEVICE_LOST;
    case ErrorKind::kOutOfMemory: return VK_ERROR_OUT_OF_HOST_MEMORY;
    case ErrorKind::kOutOfVideoMemory: return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    case ErrorKind::kSurfaceLost:
    case ErrorKind::kOutOfDate: return VK_ERROR_SURFACE_LOST_KHR;
    case ErrorKind::kInvalidArgument:
    case ErrorKind::kNotFound:
    case ErrorKind::kUnsupported:
    case ErrorKind::kLimit:
    case ErrorKind::kTimeout:
    case ErrorKind::kIo:
    case ErrorKind::kInternal: return VK_ERROR_INITIALIZATION_FAILED;
  }
  return VK_ERROR_INITIALIZATION_FAILED;
}

VkResult ToVkQueryResult(const Error& error) {
  const VkResult result = ToVkCreationResult(error);
  const bool memory = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return memory ? result : VK_ERROR_SURFACE_LOST_KHR;
}

}  // namespace tandem::layer
