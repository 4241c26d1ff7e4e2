#include "drivers/kms/kmd/local_pictures.h"

#include <cstring>
#include <utility>

#include "base/memory_map.h"

namespace tandem::kms {
namespace {

constexpr std::uint32_t kPixelBytes = 4;

}  // namespace

Result<DumbBuffer> CreateWithPitch(const Card& card, std::uint64_t bytes, std::uint32_t pitch) {
  const std::uint64_t rows = (bytes + pitch - 1) / pitch;
  auto buffer = DumbBuffer::Create(card, pitch / kPixelBytes, static_cast<std::uint32_t>(rows), kPixelBytes * 8);
  if (!buffer.ok()) return std::move(buffer).error();
  if (buffer->pitch_bytes() == pitch) return buffer;
  return Fail(ErrorKind::kUnsupported, "The picture has rows of {} bytes, and the card makes rows of {}.", pitch,
              buffer->pitch_bytes());
}

Result<processor::LocalMemory> LocalPictures::Make(std::uint64_t size_bytes) {
  auto made = processor::LocalMemory::Create(size_bytes, processor::LocalPages::kPrivate);
  if (!made.ok()) return made;
  pages_ = made->map.data();
  size_bytes_ = made->map.size_bytes();
  return made;
}

Result<std::shared_ptr<const DumbBuffer>> LocalPictures::BufferAt(std::uint64_t offset, std::uint64_t bytes,
                                                                  std::uint32_t pitch) {
  const MutexLock lock(mutex_);
  for (const Picture& picture : pictures_) {
    if (picture.offset == offset && picture.bytes == bytes && picture.pitch == pitch) return picture.buffer;
  }
  const auto room = RoundUpToPages(bytes);
  if (!room.ok()) return room.error();
  if (offset % PageSize() != 0 || offset > size_bytes_ || *room > size_bytes_ - offset) {
    return Fail(ErrorKind::kInvalidArgument, "{} bytes at {} are no pages of {} bytes of local memory.", bytes, offset,
                size_bytes_);
  }
  auto buffer = CreateWithPitch(card_, bytes, pitch);
  if (!buffer.ok()) return std::move(buffer).error();
  if (buffer->size_bytes() < *room) {
    return Fail(ErrorKind::kUnsupported, "The card's buffer has {} bytes; {} are needed.", buffer->size_bytes(), *room);
  }
  auto moved = buffer->Map();
  if (!moved.ok()) return std::move(moved).error();
  std::memcpy(moved->data(), pages_ + offset, *room);
  if (auto mapped = buffer->MapOver(pages_ + offset, *room); !mapped.ok()) return std::move(mapped).error();
  std::erase_if(pictures_, [&](const Picture& picture) {
    return picture.offset < offset + *room && offset < picture.offset + picture.bytes;
  });
  pictures_.push_back({offset, bytes, pitch, std::make_shared<const DumbBuffer>(*std::move(buffer))});
  return pictures_.back().buffer;
}

}  // namespace tandem::kms
