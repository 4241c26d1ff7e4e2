// The beginning of tests on real cards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "drivers/kms/card/testing/lit_card.h"

namespace tandem::kms {

// The drivers that scripts/vm.sh has, by the beginning of the name in any kernel. Parameters of tests.
inline constexpr const char* kDrivers[] = {"vkms", "virtio_gpu", "bochs", "cirrus"};

inline std::string DriverOfTest(const testing::TestParamInfo<const char*>& test) { return test.param; }

// Opens the card whose driver is the parameter, or skips.
class LitCardTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto driver = FindDriver(GetParam());
    if (!driver) GTEST_SKIP() << "No card of driver " << GetParam() << " is here; scripts/vm.sh --devices has them.";
    auto lit = LitCard::Open(*driver);
    ASSERT_TRUE(lit.ok()) << lit.error().message;
    lit_ = *std::move(lit);
  }

  // Bytes that follow from their place.
  static void Paint(std::byte* pixels, std::size_t bytes, std::uint32_t seed) {
    std::uint32_t state = seed * 2654435761U + 1;
    for (std::size_t i = 0; i < bytes; ++i) {
      state = state * 1664525U + 1013904223U;
      pixels[i] = static_cast<std::byte>(state >> 24);
    }
  }

  std::unique_ptr<LitCard> lit_;
};

}  // namespace tandem::kms
