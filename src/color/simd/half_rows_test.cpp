// Every half float, on every instruction set, against the reference.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "color/blit.h"
#include "color/convert.h"
#include "color/dither.h"

namespace tandem::color {
namespace {

constexpr std::uint32_t kCodes = 65536;

// Each code once as each channel, in another order for each; an odd width leaves a rest.
std::vector<std::uint16_t> EveryCode() {
  std::vector<std::uint16_t> halves(4ULL * kCodes);
  for (std::uint32_t i = 0; i < kCodes; ++i) {
    for (std::uint32_t channel = 0; channel < 4; ++channel) {
      halves[4 * i + channel] = static_cast<std::uint16_t>(i * (2 * channel + 1) + 77 * channel);
    }
  }
  return halves;
}

template <class Body>
void OnEachTarget(Body&& body) {
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    hwy::GetChosenTarget().Update(targets & -targets);
    SCOPED_TRACE(hwy::TargetName(targets & -targets));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(HalfRowsTest, EachFormatAndCurve_EqualsTheReference) {
  std::vector<std::uint16_t> halves = EveryCode();
  constexpr std::uint32_t kWidth = 331;
  // Runs of opaque pixels, as most pictures have, between all others.
  const std::size_t every = halves.size();
  halves.insert(halves.end(), halves.begin(), halves.begin() + static_cast<std::ptrdiff_t>(every));
  for (std::size_t i = every + 3; i < halves.size(); i += 4) halves[i] = i / 4 % 97 < 60 ? 0x3C00 : halves[i];
  constexpr std::uint32_t kHeight = 2 * kCodes / kWidth;
  for (const Format format : {Format::kB8G8R8A8Unorm, Format::kR8G8B8A8Unorm, Format::kR10G10B10A2Unorm}) {
    for (const Transfer transfer : {Transfer::kPassThrough, Transfer::kLinearToSrgb}) {
      for (const bool dither : {false, true}) {
        BlitRequest request;
        request.source = reinterpret_cast<const std::byte*>(halves.data());
        request.source_pitch = 8ULL * kWidth;
        request.source_format = Format::kR16G16B16A16Float;
        request.source_width = request.destination_width = kWidth;
        request.source_height = request.destination_height = kHeight;
        request.destination_pitch = 4ULL * kWidth;
        request.destination_format = format;
        request.part = {0, 0, kWidth, kHeight};
        request.transfer = transfer;
        request.dither = dither;
        std::vector<std::byte> expected(4ULL * kWidth * kHeight);
        request.destination = expected.data();
        BlitReference(request);
        OnEachTarget([&] {
          std::vector<std::byte> fast(expected.size());
          request.destination = fast.data();
          Blit(request);
          EXPECT_TRUE(fast == expected) << ToString(format) << ", curve " << static_cast<int>(transfer) << ", dither " << dither;
        });
      }
    }
  }
}

// The picture that an output of eight bits shows is the one that a copy with the curve makes.
TEST(HalfRowsTest, OutputsConversion_EqualsTheCopys) {
  const std::vector<std::uint16_t> halves = EveryCode();
  constexpr std::uint32_t kWidth = 1021;
  constexpr std::uint32_t kHeight = kCodes / kWidth;
  const ConversionSource source{reinterpret_cast<const std::byte*>(halves.data()), 8ULL * kWidth, kWidth, kHeight,
                                Format::kR16G16B16A16Float};
  std::vector<std::byte> expected(4ULL * kWidth * kHeight);
  std::vector<std::byte> fast(expected.size());
  for (const Alpha alpha : {Alpha::kKeep, Alpha::kOpaque}) {
    OnEachTarget([&] {
      ConvertToBgra8Reference(expected.data(), 4ULL * kWidth, source, Transfer::kLinearToSrgb, alpha);
      ConvertToBgra8(fast.data(), 4ULL * kWidth, source, Transfer::kLinearToSrgb, alpha);
      EXPECT_TRUE(fast == expected);
      DitherToBgra8Reference(expected.data(), 4ULL * kWidth, source, Transfer::kLinearToSrgb, alpha, 5);
      DitherToBgra8(fast.data(), 4ULL * kWidth, source, Transfer::kLinearToSrgb, alpha, 5);
      EXPECT_TRUE(fast == expected);
    });
  }
}

}  // namespace
}  // namespace tandem::color
