// Words of the packed structures that a QXL device shares with its driver. They are aligned all the same.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::bus {

[[nodiscard]] inline std::uint32_t* WordAt(void* structure, std::size_t offset) {
  return reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(structure) + offset);
}

}  // namespace tandem::bus
