// Frames with arbitrary samples, sizes, references and budgets. Encoded frames pass the check and keep their budget; without a
// budget they decode bit for bit.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_encoder.h"

using namespace tandem::codec;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHead = 8;
  if (size < kHead + 4) return 0;
  constexpr TileContent kContents[] = {TileContent::kPlane8, TileContent::kBgrx8, TileContent::kBgra8};
  TileSliceJob job;
  job.content = kContents[data[0] % 3];
  const std::uint32_t width = 1 + data[1] % 160;
  const std::uint32_t height = 1 + data[2] % 40;
  const std::uint32_t sample = BytesPerSample(job.content);
  const std::span<const std::uint8_t> seed(data + kHead, size - kHead);
  std::vector<std::byte> samples(std::size_t{width} * height * sample);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool meaningless = job.content == TileContent::kBgrx8 && i % 4 == 3;
    samples[i] = static_cast<std::byte>(meaningless ? 255 : seed[i / (1 + data[3] % 9) % seed.size()] + (data[4] & 1) * (i >> 6));
  }
  std::vector<std::byte> reference = samples;
  for (std::size_t i = data[5]; i < reference.size(); i += 97 * (1 + data[6])) reference[i] ^= std::byte{3};
  job.frame = {samples.data(), std::uint64_t{width} * sample, width, height};
  job.frame_number = 2;
  job.row_count = TileRows(height);
  if ((data[4] & 2) != 0) {
    job.reference = {reference.data(), std::uint64_t{width} * sample, width, height};
    job.reference_number = 1;
  }
  if ((data[4] & 4) != 0) job.budget_bytes = TileSliceFloor(job.content, width, job.row_count) + 16 * data[7];
  std::vector<std::byte> room(TileBudgetRoomBytes(width, job.row_count));
  job.budget_room = room;
  std::vector<std::byte> out(TileSliceCapacity(job.content, width, job.row_count));
  const auto summary = EncodeTileSlice(job, out);
  if (!summary.ok() || (job.budget_bytes != 0 && summary->bytes > job.budget_bytes)) std::abort();
  out.resize(summary->bytes);
  out.shrink_to_fit();
  const auto checked = CheckTileSlice(out);
  if (!checked.ok()) std::abort();
  std::vector<std::byte> back(samples.size());
  DecodeTileSlice(*checked, {back.data(), job.frame.pitch, width, height}, {reference.data(), job.frame.pitch, width, height});
  if (summary->lossy_tiles == 0 && job.content != TileContent::kBgrx8 && back != samples) std::abort();
  if (summary->lossy_tiles == 0 && job.reference_number == 0 && back != samples) std::abort();
  return 0;
}
