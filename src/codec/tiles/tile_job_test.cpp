#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_encoder.h"

namespace tandem::codec {
namespace {

TEST(TileJobTest, SealTileSlice_OverTheSameRows_IsTheSliceItself) {
  const auto pixels = DrawPicture(Picture::kScene, 130, 40, 1);
  TileSliceJob job;
  job.frame = {pixels.data(), 520, 130, 40};
  job.frame_number = 3;
  job.row_count = TileRows(40);
  std::vector<std::byte> bytes(TileSliceCapacity(job.content, 130, job.row_count));
  const auto summary = EncodeTileSlice(job, bytes);
  ASSERT_TRUE(summary.ok());
  const auto before = bytes;
  std::memset(bytes.data(), 0xEE, sizeof(TileSliceHeader));
  const auto sealed = SealTileSlice(job, bytes);
  ASSERT_TRUE(sealed.ok()) << sealed.error().message;
  EXPECT_EQ(*sealed, summary->bytes);
  EXPECT_EQ(bytes, before);
  EXPECT_TRUE(CheckTileSlice(std::span(bytes).first(*sealed)).ok());

  const std::uint32_t too_many = 0xFFFFFFFF;
  std::memcpy(bytes.data() + sizeof(TileSliceHeader) + 4, &too_many, sizeof(too_many));
  EXPECT_FALSE(SealTileSlice(job, bytes).ok());
  job.frame_number = 0;
  EXPECT_FALSE(SealTileSlice(job, bytes).ok());
}

}  // namespace
}  // namespace tandem::codec
