// Arbitrary reports of running programs, read as they are and with correct checksums.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/printable.h"
#include "status/live_record.h"

namespace {

using namespace tandem::status;  // NOLINT(google-build-using-namespace): one program

void CheckText(const std::string& text, std::size_t most) {
  if (text.size() > most || tandem::Printable(text) != text) std::abort();
}

void Read(std::span<const std::byte> bytes) {
  const auto program = ParseLiveFile(bytes);
  if (!program.ok()) {
    if (program.error().message.empty()) std::abort();
    return;
  }
  CheckText(program->program, kLiveNameBytes);
  if (program->swap_chains.size() > kLiveSwapChains) std::abort();
  for (const LiveSwapChain& chain : program->swap_chains) {
    CheckText(chain.render, kLiveNameBytes);
    CheckText(chain.display, kLiveNameBytes);
    CheckText(chain.path_reason, kLiveReasonBytes);
    CheckText(chain.encoding_reason, kLiveReasonBytes);
    if (ToString(chain.path).empty() || ToString(chain.present_mode).empty() || ToString(chain.shown_by).empty()) std::abort();
    if (chain.encoding && tandem::link::ToString(*chain.encoding).empty()) std::abort();
    if (chain.latency_ns < 0) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Read(std::as_bytes(std::span(data, size)));
  LiveFileLayout file = MakeLiveFile({1, 2, 3}, {}, "fuzz");
  std::memcpy(&file, data, size < sizeof(file) ? size : sizeof(file));
  file.magic = MakeLiveFile({}, {}, "").magic;
  file.version = MakeLiveFile({}, {}, "").version;
  for (auto& copies : file.swap_chains) {
    for (LiveCopy& copy : copies) copy.checksum = ChecksumOf(copy);
  }
  Read(std::as_bytes(std::span(&file, 1)));
  return 0;
}
