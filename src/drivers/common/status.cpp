#include "drivers/common/status.h"

namespace tandem::drivers {

NTSTATUS ToNtStatus(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kInvalidArgument: return STATUS_INVALID_PARAMETER;
    case ErrorKind::kNotFound: return STATUS_NOT_FOUND;
    case ErrorKind::kUnsupported: return STATUS_NOT_SUPPORTED;
    case ErrorKind::kOutOfMemory: return STATUS_NO_MEMORY;
    case ErrorKind::kOutOfVideoMemory: return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
    case ErrorKind::kLimit: return STATUS_INSUFFICIENT_RESOURCES;
    default: return STATUS_UNSUCCESSFUL;
  }
}

}  // namespace tandem::drivers
