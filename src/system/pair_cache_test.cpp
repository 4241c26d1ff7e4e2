#include "system/pair_cache_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/adapter_info.h"

namespace tandem::system {
namespace {

KeptProbes Probes() {
  config::AdapterInfo soft;
  soft.name = "Tandem software adapter";
  soft.kind = "cpu";
  soft.driver = "soft";
  soft.tier = 3;
  soft.can_display = true;
  KeptProbes probes;
  probes.adapters = {soft};
  probes.probed = {{ProcessorAbilities(), "The processor orders its own work."}};
  probes.probed[0].pages.memfd.write_bytes_per_second = 12'345'678'901;
  probes.udmabuf = true;
  return probes;
}

Machine ThatMachine() {
  Machine machine;
  machine.key = {"kernel 6.12"};
  return machine;
}

TEST(PairCache, KeptProbes_AreReadAgain) {
  const auto read = ParsePairCache(PairCacheText(Probes(), ThatMachine()), ThatMachine());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->probed.size(), 1U);
  EXPECT_EQ(read->probed[0].pages.memfd.write_bytes_per_second, 12'345'678'901U);
  EXPECT_TRUE(read->probed[0].pages.anonymous.works);
  EXPECT_FALSE(read->probed[0].pages.own_dma_buf.works);
  EXPECT_EQ(read->probed[0].pages.own_dma_buf.reason, ProcessorAbilities().own_dma_buf.reason);
  EXPECT_EQ(read->probed[0].fences, "The processor orders its own work.");
  EXPECT_TRUE(read->udmabuf);
}

TEST(PairCache, OtherKernel_IsNotThisMachine) {
  Machine other = ThatMachine();
  other.key = {"kernel 6.13"};
  EXPECT_EQ(ParsePairCache(PairCacheText(Probes(), ThatMachine()), other).error().kind, ErrorKind::kNotFound);
}

TEST(PairCache, AnyPartOfTheText_IsRefused) {
  const std::string text = PairCacheText(Probes(), ThatMachine());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_FALSE(ParsePairCache(text.substr(0, length), ThatMachine()).ok()) << length;
  }
}

TEST(PairCache, WrongFields_AreRefused) {
  const auto whole = nlohmann::json::parse(PairCacheText(Probes(), ThatMachine()));
  const std::vector<nlohmann::json> wrong{
      nullptr, -1, "x", nlohmann::json::array(), nlohmann::json::object(), std::string(5000, 'x')};
  for (const nlohmann::json& value : wrong) {
    for (const char* field : {"works", "write", "read"}) {
      auto changed = whole;
      changed["probes"][0]["memfd"][field] = value;
      EXPECT_FALSE(ParsePairCache(changed.dump(), ThatMachine()).ok()) << field << ' ' << value;
    }
    for (const char* field : {"probes", "udmabuf"}) {
      auto changed = whole;
      changed[field] = value;
      EXPECT_FALSE(ParsePairCache(changed.dump(), ThatMachine()).ok()) << field << ' ' << value;
    }
    auto changed = whole;
    changed["probes"][0]["anonymous"] = value;
    EXPECT_FALSE(ParsePairCache(changed.dump(), ThatMachine()).ok()) << value;
  }
}

}  // namespace
}  // namespace tandem::system
