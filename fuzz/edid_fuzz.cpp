// A display's description, as any display or adapter cable may send it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "drivers/kms/card/edid.h"

namespace {

// Makes the checksums right, so that the input reaches what is behind them.
void SealBlocks(std::vector<std::byte>& bytes) {
  constexpr std::size_t kBlock = 128;
  for (std::size_t begin = 0; begin + kBlock <= bytes.size(); begin += kBlock) {
    unsigned sum = 0;
    for (std::size_t i = 0; i + 1 < kBlock; ++i) sum += std::to_integer<unsigned>(bytes[begin + i]);
    bytes[begin + kBlock - 1] = static_cast<std::byte>(256 - sum % 256);
  }
}

void ParseOnce(std::span<const std::byte> bytes) {
  const auto edid = tandem::kms::ParseEdid(bytes);
  if (!edid) return;
  TANDEM_CHECK(edid->name.size() <= 3 * 13 && edid->manufacturer.size() == 3 && edid->bad_blocks <= 255);
  TANDEM_CHECK(!edid->preferred || edid->preferred->htotal >= edid->preferred->width);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  ParseOnce(bytes);
  SealBlocks(bytes);
  ParseOnce(bytes);
  return 0;
}
