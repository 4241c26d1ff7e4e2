// Copies into and out of NV12 against the scalar references: every part, rotated, converted and stretched.
#include "color/nv12.h"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "color/simd/testing/each_target.h"

namespace tandem::color {
namespace {

using Bytes = std::vector<std::byte>;

constexpr Rotation kRotations[] = {Rotation::kIdentity, Rotation::k90, Rotation::k180, Rotation::k270};

Bytes RandomBytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// A surface with odd pitch and odd address.
struct Surface {
  Surface(std::uint32_t of_width, std::uint32_t of_height, std::uint32_t pixel_bytes, unsigned seed)
      : width(of_width),
        height(of_height),
        pitch(std::uint64_t{of_width} * pixel_bytes + 3),
        bytes(RandomBytes(pitch * of_height + 1, seed)) {}
  [[nodiscard]] std::byte* at() { return bytes.data() + 1; }

  std::uint32_t width, height;
  std::uint64_t pitch;
  Bytes bytes;
};

bool IsQuarter(Rotation rotation) { return IsQuarterTurn(rotation); }

BlitRequest RequestFor(const BlitRect& part, Rotation rotation, std::uint32_t width, std::uint32_t height) {
  BlitRequest request;
  request.source_width = request.destination_width = width;
  request.source_height = request.destination_height = height;
  request.part = part;
  request.rotation = rotation;
  return request;
}

// Sets the destination to the first byte of the part in the rotated surface.
void PutInto(BlitRequest& request, Surface& to, Format format) {
  const BlitRect at = RotatedRect(request.part, request.destination_width, request.destination_height, request.rotation);
  request.destination = to.at() + at.top * to.pitch + std::uint64_t{at.left} * BytesPerPixel(format);
  request.destination_pitch = to.pitch;
  request.destination_format = format;
}

void ExpectFromNv12(std::uint32_t width, std::uint32_t height, BlitRequest request, Format format) {
  Surface nv12(width, Nv12Rows(height), 1, width);
  const auto planes = Nv12Planes<const std::byte>(nv12.at(), nv12.pitch, height);
  Surface decoded(width, height, 4, 1);
  DecodeYuv420Reference({decoded.at(), decoded.pitch, width, height}, planes, {}, ChromaFilter::kNearest);
  const bool quarter = IsQuarter(request.rotation);
  const Surface before(quarter ? request.destination_height : request.destination_width,
                       quarter ? request.destination_width : request.destination_height, BytesPerPixel(format), 2);
  Surface expected = before;
  request.source = decoded.at();
  request.source_pitch = decoded.pitch;
  request.source_format = kNv12Between;
  PutInto(request, expected, format);
  BlitReference(request);
  request.source = nullptr;
  simd::OnEachTarget([&] {
    Surface got = before;
    Bytes room;
    PutInto(request, got, format);
    BlitFromNv12(request, planes, room);
    EXPECT_TRUE(got.bytes == expected.bytes);
  });
}

TEST(Nv12, OutOfIt_AnyPartTurned_IsTheReferencesPixelsTurned) {
  constexpr std::uint32_t kWidth = 1078, kHeight = 90;
  for (const Rotation rotation : kRotations) {
    for (const BlitRect& part : {BlitRect{0, 0, kWidth, kHeight},
                                 {0, 0, 1, 1},
                                 {1, 1, 2, 2},
                                 {3, 5, 600, 64},
                                 {511, 31, 1026, 90},
                                 {2, 4, 515, 37},
                                 {1, 0, kWidth, kHeight},
                                 {0, 1, kWidth, kHeight - 1}}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(rotation) << ": " << part.left << ", " << part.top << " to "
                                        << part.right << ", " << part.bottom);
      ExpectFromNv12(kWidth, kHeight, RequestFor(part, rotation, kWidth, kHeight), kNv12Between);
    }
  }
}

// Size and alignment reach the point at which pixels are written past the caches.
TEST(Nv12, OutOfIt_LargeAndAligned_IsTheReferencesPixelsTurned) {
  constexpr std::uint32_t kWidth = 448, kHeight = 320;
  struct alignas(64) Line {
    std::byte bytes[64];
    bool operator==(const Line&) const = default;
  };
  Surface nv12(kWidth, Nv12Rows(kHeight), 1, 1);
  const auto planes = Nv12Planes<const std::byte>(nv12.at(), nv12.pitch, kHeight);
  Surface decoded(kWidth, kHeight, 4, 1);
  DecodeYuv420Reference({decoded.at(), decoded.pitch, kWidth, kHeight}, planes, {}, ChromaFilter::kNearest);
  for (const Rotation rotation : kRotations) {
    BlitRequest request = RequestFor({0, 0, kWidth, kHeight}, rotation, kWidth, kHeight);
    request.destination_format = kNv12Between;
    request.destination_pitch = 4ULL * (IsQuarter(rotation) ? kHeight : kWidth);
    std::vector<Line> expected(std::size_t{kWidth} * kHeight * 4 / sizeof(Line));
    BlitRequest reference = request;
    reference.source = decoded.at();
    reference.source_pitch = decoded.pitch;
    reference.source_format = kNv12Between;
    reference.destination = expected.data()->bytes;
    BlitReference(reference);
    simd::OnEachTarget([&] {
      std::vector<Line> got(expected.size());
      Bytes room;
      request.destination = got.data()->bytes;
      BlitFromNv12(request, planes, room);
      EXPECT_TRUE(got == expected) << static_cast<int>(rotation);
    });
  }
}

TEST(Nv12, OutOfIt_EachFormatAndStretched_IsACopyOfTheReferencesPixels) {
  for (const Rotation rotation : kRotations) {
    for (const Format format : {Format::kR8G8B8A8Unorm, Format::kR10G10B10A2Unorm, Format::kR16G16B16A16Float}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(rotation) << ToString(format));
      ExpectFromNv12(70, 46, RequestFor({3, 5, 69, 46}, rotation, 70, 46), format);
      BlitRequest stretched = RequestFor({3, 5, 31, 83}, rotation, 70, 46);
      stretched.destination_width = 33;
      stretched.destination_height = 92;
      ExpectFromNv12(70, 46, stretched, format);
    }
  }
}

void ExpectToNv12(const BlitRequest& given, Format format) {
  const bool quarter = IsQuarter(given.rotation);
  const std::uint32_t width = quarter ? given.destination_height : given.destination_width;
  const std::uint32_t height = quarter ? given.destination_width : given.destination_height;
  Surface source(given.source_width, given.source_height, BytesPerPixel(format), 3);
  BlitRequest request = given;
  request.source = source.at();
  request.source_pitch = source.pitch;
  request.source_format = format;
  // The expected pixels: the copy into the intermediate format, then encoded.
  Surface between(width, height, 4, 4);
  PutInto(request, between, kNv12Between);
  BlitReference(request);
  const BlitRect at = RotatedRect(request.part, request.destination_width, request.destination_height, request.rotation);
  const auto planes = [&](Surface& nv12) {
    return Nv12Planes<std::byte>(nv12.at() + at.top * nv12.pitch + at.left, nv12.pitch, Nv12ChromaDistance(height, at.top));
  };
  const Surface before(width, Nv12Rows(height), 1, 5);
  Surface expected = before;
  EncodeYuv420Reference(planes(expected), {request.destination, between.pitch, at.width(), at.height()}, {});
  request.destination = nullptr;
  simd::OnEachTarget([&] {
    Surface got = before;
    Bytes room;
    BlitToNv12(request, planes(got), room);
    EXPECT_TRUE(got.bytes == expected.bytes);
  });
}

TEST(Nv12, IntoIt_EvenPartsTurnedConvertedAndStretched_AreTheReferencesSamples) {
  constexpr std::uint32_t kWidth = 150, kHeight = 94;
  for (const Rotation rotation : kRotations) {
    for (const Format format : {kNv12Between, Format::kR8G8B8A8Unorm, Format::kR10G10B10A2Unorm}) {
      for (const BlitRect& part : {BlitRect{0, 0, kWidth, kHeight}, {0, 0, 2, 2}, {6, 4, 140, 94}, {148, 2, 150, 80}}) {
        SCOPED_TRACE(::testing::Message() << static_cast<int>(rotation) << ToString(format) << part.left << ", " << part.top);
        ExpectToNv12(RequestFor(part, rotation, kWidth, kHeight), format);
        BlitRequest stretched = RequestFor(part, rotation, kWidth, kHeight);
        stretched.source_width = 77;
        stretched.source_height = 131;
        ExpectToNv12(stretched, format);
      }
    }
  }
}

}  // namespace
}  // namespace tandem::color
