#include "color/blit.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "color/channels.h"
#include "color/copy.h"
#include "color/dither.h"
#include "color/simd/convert_rows.h"
#include "color/simd/half_rows.h"
#include "color/simd/transpose.h"

namespace tandem::color {
namespace {

constexpr std::uint32_t kChunkPixels = 256;

bool IsBgra8(Format format) { return SameBits(format, Format::kB8G8R8A8Unorm); }

// Source positions of successive destination pixels, without a division for each.
class Stepper {
 public:
  Stepper(std::uint32_t position, std::uint32_t source, std::uint32_t destination)
      : divisor_(2 * std::uint64_t{destination}),
        quotient_step_(2 * std::uint64_t{source} / divisor_),
        remainder_step_(2 * std::uint64_t{source} % divisor_) {
    const std::uint64_t numerator = (2 * std::uint64_t{position} + 1) * source;
    at_ = numerator / divisor_;
    remainder_ = numerator % divisor_;
  }
  [[nodiscard]] std::uint64_t at() const { return at_; }
  void Step() {
    at_ += quotient_step_;
    remainder_ += remainder_step_;
    const bool carry = remainder_ >= divisor_;
    at_ += carry ? 1 : 0;
    remainder_ -= carry ? divisor_ : 0;
  }

 private:
  std::uint64_t divisor_, quotient_step_, remainder_step_;
  std::uint64_t at_ = 0, remainder_ = 0;
};

template <class Pixel>
Pixel Load(const std::byte* at) {
  Pixel pixel;
  std::memcpy(&pixel, at, sizeof(pixel));
  return pixel;
}

template <class Pixel>
void Gather(std::byte* out, const std::byte* row, Stepper& x, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i, x.Step()) {
    const auto pixel = Load<Pixel>(row + x.at() * sizeof(Pixel));
    std::memcpy(out + i * sizeof(Pixel), &pixel, sizeof(pixel));
  }
}

template <class From, class To>
void ConvertChunk(std::byte* out, const std::byte* in, std::uint32_t count, const PixelConverter& convert) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto pixel = static_cast<To>(convert(Load<From>(in + i * sizeof(From))));
    std::memcpy(out + i * sizeof(To), &pixel, sizeof(pixel));
  }
}

// Writes `count` pixels, the first at `to`, `step` bytes apart.
template <class Pixel>
void Scatter(std::byte* to, std::int64_t step, const std::byte* in, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) std::memcpy(to + std::int64_t{i} * step, in + i * sizeof(Pixel), sizeof(Pixel));
}

void ScatterPixels(std::byte* to, std::int64_t step, const std::byte* in, std::uint32_t count, std::uint32_t pixel_bytes) {
  if (step == std::int64_t{pixel_bytes}) {
    std::memcpy(to, in, std::size_t{count} * pixel_bytes);
  } else if (pixel_bytes == 4) {
    Scatter<std::uint32_t>(to, step, in, count);
  } else {
    Scatter<std::uint64_t>(to, step, in, count);
  }
}

// Converts runs of pixels in the fastest way for a pair of formats.
class RowConverter {
 public:
  RowConverter(Format from, Format to, Transfer transfer, bool dither)
      : convert_(from, to, transfer), from_bytes_(BytesPerPixel(from)), to_bytes_(BytesPerPixel(to)) {
    const bool dithers = dither && Dithers(from, to);
    if (from == Format::kR16G16B16A16Float && to_bytes_ == 4 && LayoutOf(to).has_alpha) {
      const PixelLayout& layout = LayoutOf(to);
      const ChannelCode half = ChannelCode::kHalf;
      halves_.emplace();
      halves_->colors = dithers ? DitherTable(half, transfer) : ChannelTable(half, layout.color, transfer);
      halves_->alphas = ChannelTable(half, layout.alpha, Transfer::kPassThrough);
      halves_->shift = layout.shift;
      dithers_halves_ = dithers;
      // Without a curve the values can be computed, which is faster.
      if (dithers || transfer != Transfer::kPassThrough || !IsBgra8(to)) return;
      halves_.reset();
    }
    if (dithers) {
      dithers_fast_ = from == Format::kR10G10B10A2Unorm && IsBgra8(to) && transfer == Transfer::kPassThrough;
      dither_.emplace(from, to, transfer);
      return;
    }
    if (transfer != Transfer::kPassThrough) return;
    identity_ = SameBits(from, to);
    if (IsBgra8(to)) row_ = simd::RowFunctionFor(from);
    if (IsBgra8(from) && SameBits(to, Format::kR8G8B8A8Unorm)) row_ = simd::RowFunctionFor(to);  // the swap is its own inverse
    opaque_ = from == Format::kB8G8R8X8Unorm ? 0xFF000000U : 0;
  }
  [[nodiscard]] bool identity() const { return identity_; }
  // Converts the pixels from (x, y) of the destination rectangle on.
  void operator()(std::byte* out, const std::byte* in, std::uint32_t count, std::uint32_t x, std::uint32_t y) const {
    if (halves_) return ConvertHalves(out, in, count, x, y);
    if (dither_) return DitherRun(out, in, count, DitherThresholdsAt(x, y));
    if (row_ != nullptr) return row_(out, in, count, opaque_);
    if (from_bytes_ == 4)
      return to_bytes_ == 4 ? ConvertChunk<std::uint32_t, std::uint32_t>(out, in, count, convert_)
                            : ConvertChunk<std::uint32_t, std::uint64_t>(out, in, count, convert_);
    ConvertChunk<std::uint64_t, std::uint32_t>(out, in, count, convert_);
  }

 private:
  void ConvertHalves(std::byte* out, const std::byte* in, std::uint32_t count, std::uint32_t x, std::uint32_t y) const {
    simd::HalfConversion conversion = *halves_;
    const DitherThresholds thresholds = DitherThresholdsAt(x, y);
    if (dithers_halves_) conversion.thresholds = &thresholds;
    simd::HalfRow(out, in, count, conversion);
  }
  void DitherRun(std::byte* out, const std::byte* in, std::uint32_t count, const DitherThresholds& thresholds) const {
    if (dithers_fast_) return simd::DitherRgb10Row(out, in, count, 0, thresholds);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint64_t pixel = 0;
      std::memcpy(&pixel, in + std::uint64_t{i} * from_bytes_, from_bytes_);
      const auto written = static_cast<std::uint32_t>((*dither_)(pixel, thresholds[i % kDitherExtent]));
      std::memcpy(out + 4ULL * i, &written, sizeof(written));
    }
  }

  PixelConverter convert_;
  std::optional<PixelDitherer> dither_;
  bool dithers_fast_ = false;
  std::optional<simd::HalfConversion> halves_;
  bool dithers_halves_ = false;
  std::uint32_t from_bytes_, to_bytes_;
  bool identity_ = false;
  simd::RowFunction row_ = nullptr;
  std::uint32_t opaque_ = 0;
};

// The first pixel of row `y` of the part in memory, and the bytes to the next pixel of that row.
struct Run {
  std::byte* first;
  std::int64_t step;
};

Run RunOfRow(const BlitRequest& request, std::uint32_t y, std::uint32_t pixel_bytes) {
  const BlitRect at = RotatedRect({0, y, 1, y + 1}, request.part.width(), request.part.height(), request.rotation);
  const auto pitch = static_cast<std::int64_t>(request.destination_pitch);
  const std::int64_t steps[] = {pixel_bytes, -pitch, -std::int64_t{pixel_bytes}, pitch};
  return {request.destination + at.top * request.destination_pitch + std::uint64_t{at.left} * pixel_bytes,
          steps[static_cast<std::size_t>(request.rotation)]};
}

// Handles every stretch, conversion and rotation, in chunks of a row.
void BlitChunks(const BlitRequest& request, const RowConverter& convert) {
  const std::uint32_t from_bytes = BytesPerPixel(request.source_format);
  const std::uint32_t to_bytes = BytesPerPixel(request.destination_format);
  const bool stretched = request.source_width != request.destination_width;
  alignas(64) std::array<std::byte, std::size_t{kChunkPixels} * 8> gathered;
  alignas(64) std::array<std::byte, std::size_t{kChunkPixels} * 8> converted;
  Stepper y(request.part.top, request.source_height, request.destination_height);
  for (std::uint32_t row = 0; row < request.part.height(); ++row, y.Step()) {
    const std::byte* const from = request.source + y.at() * request.source_pitch;
    const Run run = RunOfRow(request, row, to_bytes);
    Stepper x(request.part.left, request.source_width, request.destination_width);
    for (std::uint32_t done = 0; done < request.part.width(); done += kChunkPixels) {
      const std::uint32_t count = std::min(kChunkPixels, request.part.width() - done);
      const std::byte* pixels = from + (std::uint64_t{request.part.left} + done) * from_bytes;
      if (stretched) {
        pixels = gathered.data();
        from_bytes == 4 ? Gather<std::uint32_t>(gathered.data(), from, x, count)
                        : Gather<std::uint64_t>(gathered.data(), from, x, count);
      }
      std::byte* const to = run.first + std::int64_t{done} * run.step;
      const std::uint32_t left = request.part.left + done;
      const std::uint32_t top = request.part.top + row;
      if (convert.identity()) {
        ScatterPixels(to, run.step, pixels, count, to_bytes);
      } else if (run.step == std::int64_t{to_bytes}) {
        convert(to, pixels, count, left, top);
      } else {
        convert(converted.data(), pixels, count, left, top);
        ScatterPixels(to, run.step, converted.data(), count, to_bytes);
      }
    }
  }
}

// Moves unstretched pixels without conversion.
void MoveBits(const BlitRequest& request, std::uint64_t all_bytes) {
  const std::uint32_t bytes = BytesPerPixel(request.destination_format);
  const std::uint32_t width = request.part.width();
  const std::uint32_t height = request.part.height();
  const std::byte* const source =
      request.source + request.part.top * request.source_pitch + std::uint64_t{request.part.left} * bytes;
  const auto source_pitch = static_cast<std::int64_t>(request.source_pitch);
  const auto pitch = static_cast<std::int64_t>(request.destination_pitch);
  const simd::Writes writes = all_bytes >= kStreamingThresholdBytes ? simd::Writes::kPastCaches : simd::Writes::kCached;
  const auto last_row = [](auto* first, std::int64_t stride, std::uint32_t rows) { return first + (rows - 1) * stride; };
  switch (request.rotation) {
    case Rotation::kIdentity:
      CopyRows(request.destination, request.destination_pitch, source, request.source_pitch, std::uint64_t{width} * bytes,
               height);
      break;
    case Rotation::k90:
      simd::TransposePixels({last_row(request.destination, pitch, width), -pitch, source, source_pitch}, width, height, bytes,
                            writes);
      break;
    case Rotation::k180:
      simd::ReversePixels({request.destination, pitch, last_row(source, source_pitch, height), -source_pitch}, width, height,
                          bytes, writes);
      break;
    case Rotation::k270:
      simd::TransposePixels({request.destination, pitch, last_row(source, source_pitch, height), -source_pitch}, width, height,
                            bytes, writes);
      break;
  }
}

}  // namespace

void Blit(const BlitRequest& request) {
  BlitPart(request, std::uint64_t{request.part.width()} * request.part.height() * BytesPerPixel(request.destination_format));
}

void BlitPart(const BlitRequest& request, std::uint64_t all_bytes) {
  if (request.key != ColorKey::kNone) {
    BlitReference(request);
    return;
  }
  const bool stretched = request.source_width != request.destination_width || request.source_height != request.destination_height;
  const RowConverter convert(request.source_format, request.destination_format, request.transfer, request.dither);
  if (!stretched && convert.identity()) {
    MoveBits(request, all_bytes);
  } else {
    BlitChunks(request, convert);
  }
}

}  // namespace tandem::color
