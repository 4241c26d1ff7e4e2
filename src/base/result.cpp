#include "base/result.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace tandem {

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument: return "invalid argument";
    case ErrorKind::kNotFound: return "not found";
    case ErrorKind::kUnsupported: return "unsupported";
    case ErrorKind::kLimit: return "limit";
    case ErrorKind::kOutOfMemory: return "out of memory";
    case ErrorKind::kOutOfVideoMemory: return "out of video memory";
    case ErrorKind::kDeviceLost: return "device lost";
    case ErrorKind::kSurfaceLost: return "surface lost";
    case ErrorKind::kOutOfDate: return "out of date";
    case ErrorKind::kTimeout: return "timeout";
    case ErrorKind::kIo: return "input or output error";
    case ErrorKind::kInternal: return "internal error";
  }
  return "unknown";
}

Error Error::Context(std::string_view prefix) const { return Error{kind, fmt::format("{}: {}", prefix, message)}; }

std::string internal::Format(fmt::string_view format, fmt::format_args args) { return Escaped(fmt::vformat(format, args)); }

}  // namespace tandem
