#include "drivers/soft/kmd/picture_maker.h"

#include <cstring>

#include "color/format.h"
#include "drivers/processor/allocation_data.h"

namespace tandem::soft {
namespace {

constexpr drivers::PaletteColors kBlack{};
constexpr color::Format kEightBits = color::Format::kB8G8R8X8Unorm;

bool HasEightBits(color::Format format) {
  return color::SameBits(format, kEightBits) || color::SameBits(format, color::Format::kR8G8B8A8Unorm);
}

std::uint8_t ToEightBits(USHORT value) { return static_cast<std::uint8_t>((std::uint32_t{value} * 255 + 32767) / 65535); }

}  // namespace

outputs::Surface PictureMaker::Make(const outputs::Surface& surface, const PictureSettings& settings, bool takes_nv12) {
  written_bytes_ = 0;
  outputs::Surface made = surface;
  const auto use = [&](const outputs::Surface& next) {
    made = next;
    written_bytes_ += std::uint64_t{next.pitch} * next.height;
  };
  if (surface.pixels == nullptr) return surface;  // the processor does not see it
  const color::BlitRect covered = settings.pointer.SeenPart(surface.width, surface.height);
  const bool points = covered != color::BlitRect{}, turns = settings.rotation != color::Rotation::kIdentity;
  const bool copies = points || settings.gamma != nullptr;
  if (surface.format == drivers::kPaletteFormat) use(Colored(surface, settings.palette == nullptr ? kBlack : *settings.palette));
  // Pointer, ramp and rotation change pixels, not planes.
  if (drivers::IsNv12(surface.format) && (copies || turns || !takes_nv12)) use(Decoded(surface));
  if (copies) use(Copied(made, settings.gamma != nullptr && !HasEightBits(made.format) ? kEightBits : made.format));
  if (points) pointer_painter_.Draw(settings.pointer, covered, copied_.data(), made.pitch, made.format);
  if (settings.gamma != nullptr) ApplyGamma(settings.gamma, made);
  if (turns) use(Turned(made, settings.rotation));
  return made;
}

outputs::Surface PictureMaker::Copied(const outputs::Surface& surface, color::Format format) {
  outputs::Surface copied;
  copied.width = surface.width;
  copied.height = surface.height;
  copied.pitch = surface.width * color::BytesPerPixel(format);
  copied.format = format;
  copied_.resize(std::size_t{copied.pitch} * copied.height);
  copied.pixels = copied_.data();
  color::BlitRequest request = color::TurnOf(surface.pixels, surface.pitch, surface.format, surface.width, surface.height,
                                             copied_.data(), copied.pitch, color::Rotation::kIdentity);
  request.destination_format = format;
  color::Blit(request);
  return copied;
}

void PictureMaker::ApplyGamma(const processor::GammaRamp& gamma, const outputs::Surface& copy) {
  if (ramp_ != gamma) {
    ramp_ = gamma;
    const USHORT* const channels[] = {gamma->Red, gamma->Green, gamma->Blue};
    for (std::size_t channel = 0; channel < values_.size(); ++channel) {
      for (std::size_t value = 0; value < values_[channel].size(); ++value)
        values_[channel][value] = ToEightBits(channels[channel][value]);
    }
  }
  const bool red_first = color::SameBits(copy.format, color::Format::kR8G8B8A8Unorm);
  const auto& first = values_[red_first ? 0 : 2];
  const auto& last = values_[red_first ? 2 : 0];
  for (std::size_t byte = 0; byte < copied_.size(); byte += 4) {
    copied_[byte] = std::byte{first[std::to_integer<std::size_t>(copied_[byte])]};
    copied_[byte + 1] = std::byte{values_[1][std::to_integer<std::size_t>(copied_[byte + 1])]};
    copied_[byte + 2] = std::byte{last[std::to_integer<std::size_t>(copied_[byte + 2])]};
  }
}

outputs::Surface PictureMaker::Colored(const outputs::Surface& indexes, const drivers::PaletteColors& palette) {
  colored_.resize(std::size_t{indexes.width} * indexes.height);
  constexpr std::uint32_t kPixelBytes = sizeof(std::uint32_t);
  drivers::ColorIndexes(palette, reinterpret_cast<std::byte*>(colored_.data()), std::uint64_t{indexes.width} * kPixelBytes,
                        indexes.pixels, indexes.pitch, indexes.width, indexes.height);
  outputs::Surface colored;
  colored.pixels = reinterpret_cast<const std::byte*>(colored_.data());
  colored.width = indexes.width;
  colored.height = indexes.height;
  colored.pitch = indexes.width * kPixelBytes;
  colored.format = color::Format::kB8G8R8X8Unorm;
  return colored;
}

outputs::Surface PictureMaker::Decoded(const outputs::Surface& nv12) {
  outputs::Surface decoded;
  decoded.pixels = nv12_.Read(nv12.pixels, nv12.pitch, nv12.height, {0, 0, nv12.width, nv12.height});
  decoded.width = nv12.width;
  decoded.height = nv12.height;
  decoded.format = processor::SeenFormat(nv12.format);
  decoded.pitch = nv12.width * color::BytesPerPixel(decoded.format);
  return decoded;
}

outputs::Surface PictureMaker::Turned(const outputs::Surface& surface, color::Rotation rotation) {
  const bool quarter = color::IsQuarterTurn(rotation);
  outputs::Surface turned;
  turned.width = quarter ? surface.height : surface.width;
  turned.height = quarter ? surface.width : surface.height;
  turned.pitch = turned.width * color::BytesPerPixel(surface.format);
  turned.format = surface.format;
  turned_.resize(std::size_t{turned.pitch} * turned.height);
  turned.pixels = turned_.data();
  color::Blit(color::TurnOf(surface.pixels, surface.pitch, surface.format, surface.width, surface.height, turned_.data(),
                            turned.pitch, rotation));
  return turned;
}

}  // namespace tandem::soft
