#include "bus/virtio/command_stream.h"

namespace tandem::bus {
namespace {

// Numbers of virgl_context_cmd. Those behind kLinkShader are of video.
enum class VirglCommand : std::uint32_t {
  kGetQueryResult = 21,
  kSetDebugFlags = 41,
  kTransfer3d = 43,
  kCopyTransfer3d = 45,
  kPipeResourceCreate = 48,
  kPipeResourceSetType = 49,
  kGetMemoryInfo = 50,
  kLinkShader = 52,
};

bool IsLetThrough(VirglCommand command) {
  switch (command) {
    case VirglCommand::kSetDebugFlags:
    case VirglCommand::kTransfer3d:
    case VirglCommand::kCopyTransfer3d:
    case VirglCommand::kPipeResourceCreate:
    case VirglCommand::kPipeResourceSetType:
    case VirglCommand::kGetMemoryInfo: return false;
    default: return command <= VirglCommand::kLinkShader;
  }
}

}  // namespace

StreamCheck CheckStream(std::span<const std::uint32_t> words) {
  StreamCheck check;
  while (!words.empty()) {
    const auto command = static_cast<VirglCommand>(words[0] & 0xFF);
    const std::size_t length = 1 + (words[0] >> 16);
    if (!IsLetThrough(command) || length > words.size()) return check;
    if (command == VirglCommand::kGetQueryResult) check.asks_results = true;
    words = words.subspan(length);
  }
  check.ok = true;
  return check;
}

}  // namespace tandem::bus
