#include "bus/qxl/qxl_pieces.h"

#include <algorithm>
#include <cstring>

namespace tandem::bus {

Result<QxlPieces> QxlPieces::AtOnce(const QxlMemory& memory, QXLPHYSICAL address, std::uint64_t bytes) {
  QxlPieces pieces(memory, 0);
  pieces.at_ = memory.Find(address, bytes);
  if (pieces.at_ == nullptr)
    return Fail(ErrorKind::kInvalidArgument, "A command's {} bytes of data lie outside of their slot.", bytes);
  pieces.left_ = bytes;
  pieces.pieces_ = kMostPieces;
  return pieces;
}

// A list without end has pieces without data, or ends in the limit of their number.
Result<void> QxlPieces::Advance() {
  if (pieces_ == kMostPieces || next_ == 0) return Fail(ErrorKind::kInvalidArgument, "A command has less data than it names.");
  ++pieces_;
  const auto piece = memory_.Read<QXLDataChunk>(next_);
  const std::byte* const begin = piece ? memory_.Find(next_, sizeof(QXLDataChunk) + std::uint64_t{piece->data_size}) : nullptr;
  if (begin == nullptr) return Fail(ErrorKind::kInvalidArgument, "A piece of a command's data lies outside of its slot.");
  at_ = begin + sizeof(QXLDataChunk);
  left_ = piece->data_size;
  next_ = piece->next_chunk;
  return {};
}

Result<void> QxlPieces::Copy(std::span<std::byte> to) {
  while (!to.empty()) {
    if (left_ == 0) {
      if (auto advanced = Advance(); !advanced.ok()) return advanced;
    }
    const std::size_t bytes = std::min(left_, to.size());
    std::memcpy(to.data(), at_, bytes);
    at_ += bytes;
    left_ -= bytes;
    to = to.subspan(bytes);
  }
  return {};
}

Result<const std::byte*> QxlPieces::Take(std::size_t bytes, std::vector<std::byte>& gathered) {
  while (left_ == 0) {
    if (auto advanced = Advance(); !advanced.ok()) return std::move(advanced).error();
  }
  if (left_ >= bytes) {
    left_ -= bytes;
    return at_ += bytes, at_ - bytes;
  }
  gathered.resize(bytes);
  if (auto copied = Copy(gathered); !copied.ok()) return std::move(copied).error();
  return gathered.data();
}

}  // namespace tandem::bus
