#include "base/link_measure.h"

#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"

namespace tandem {
namespace {

// A link whose first transfer of each size finds cold caches.
class FakeLink {
 public:
  FakeLink(FakeClock& clock, double bytes_per_second, std::int64_t latency_ns)
      : clock_(clock), ns_per_byte_(1e9 / bytes_per_second), latency_ns_(latency_ns) {}
  Result<void> Transfer(std::uint64_t bytes) {
    const bool cold = bytes != last_bytes_;
    last_bytes_ = bytes;
    clock_.Advance(latency_ns_ + static_cast<std::int64_t>(static_cast<double>(bytes) * ns_per_byte_) + (cold ? 50'000'000 : 0));
    return {};
  }

 private:
  FakeClock& clock_;
  double ns_per_byte_;
  std::int64_t latency_ns_;
  std::uint64_t last_bytes_ = 0;
};

TEST(MeasureLink, RateAndLatency_AreToldApart) {
  for (const auto& [rate, latency_ns] : {std::pair{250e6, std::int64_t{40'000}}, {2.5e9, 15'000}, {25e9, 60'000}, {100e6, 0}}) {
    FakeClock clock(0);
    FakeLink link(clock, rate, latency_ns);
    const auto measured = MeasureLink(clock, [&](std::uint64_t bytes) { return link.Transfer(bytes); });
    ASSERT_TRUE(measured.ok());
    EXPECT_NEAR(static_cast<double>(measured->bytes_per_second), rate, rate * 0.001);
    EXPECT_NEAR(static_cast<double>(measured->latency_ns), static_cast<double>(latency_ns), 1000);
  }
}

TEST(MeasureLink, ATransferThatFails_IsTheAnswer) {
  FakeClock clock(0);
  const auto measured = MeasureLink(clock, [](std::uint64_t) { return Result<void>(Fail(ErrorKind::kTimeout, "It hangs.")); });
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().message, "It hangs.");
}

TEST(FitLink, TimesThatDoNotRise_CountTheLargerOne) {
  const LinkMeasure measured = FitLink({65536, 2'000'000}, {4'000'000, 1'000'000});
  EXPECT_EQ(measured.bytes_per_second, 4'000'000'000U);
  EXPECT_EQ(measured.latency_ns, 0);
  // A negative latency becomes 0.
  EXPECT_EQ(FitLink({65536, 1}, {4'000'000, 1'000'000}).latency_ns, 0);
  EXPECT_GT(FitLink({65536, 0}, {4'000'000, 0}).bytes_per_second, 0U);
}

TEST(NarrowerOf, AnUnknownLink_IsWide) {
  EXPECT_EQ(NarrowerOf({0, 0}, {5, 1}).bytes_per_second, 5U);
  EXPECT_EQ(NarrowerOf({5, 1}, {0, 0}).bytes_per_second, 5U);
  EXPECT_EQ(NarrowerOf({5, 1}, {4, 2}).latency_ns, 2);
  EXPECT_EQ(NarrowerOf({0, 0}, {0, 0}).bytes_per_second, 0U);
}

}  // namespace
}  // namespace tandem
