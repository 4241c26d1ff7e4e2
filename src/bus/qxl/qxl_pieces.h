// Data of a QXL command: a list of pieces in the device's memory (QXLDataChunk).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "bus/qxl/qxl_memory.h"

namespace tandem::bus {

// Reads the bytes of a list, or of one place without pieces, from the first to the last.
class QxlPieces {
 public:
  // The list begins at `first`.
  QxlPieces(const QxlMemory& memory, QXLPHYSICAL first) : memory_(memory), next_(first) {}
  // One place of `bytes`.
  static Result<QxlPieces> AtOnce(const QxlMemory& memory, QXLPHYSICAL address, std::uint64_t bytes);

  // The next bytes, in the device's memory where they lie in one piece, otherwise gathered in `gathered`. kInvalidArgument when
  // they lie outside of their slot or are too few.
  [[nodiscard]] Result<const std::byte*> Take(std::size_t bytes, std::vector<std::byte>& gathered);
  // Fills `to` with the next bytes; Take()'s errors.
  Result<void> Copy(std::span<std::byte> to);

 private:
  // Goes on to the next piece.
  Result<void> Advance();

  static constexpr std::uint32_t kMostPieces = 65'536;

  const QxlMemory& memory_;
  QXLPHYSICAL next_ = 0;
  std::uint32_t pieces_ = 0;       // so far
  const std::byte* at_ = nullptr;  // in the piece
  std::size_t left_ = 0;           // bytes of it
};

}  // namespace tandem::bus
