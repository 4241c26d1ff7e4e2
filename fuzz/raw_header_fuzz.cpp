// Arbitrary headers of raw streams; an accepted header is written back unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "outputs/headless/raw_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto header = tandem::outputs::DecodeRawHeader(bytes);
  if (!header.ok()) return 0;
  const auto again = tandem::outputs::DecodeRawHeader(tandem::outputs::EncodeRawHeader(*header));
  if (!again.ok() || again->bytes != header->bytes || again->width != header->width || again->height != header->height)
    std::abort();
  return 0;
}
