#include "color/yuv.h"

#include "color/copy.h"
#include "color/simd/yuv_decode_rows.h"
#include "color/simd/yuv_encode_rows.h"
#include "color/yuv_rows.h"

namespace tandem::color {

namespace {

simd::Stores StoresFor(std::uint64_t bytes) {
  return bytes >= kStreamingThresholdBytes ? simd::Stores::kStreamed : simd::Stores::kCached;
}

}  // namespace

void EncodeYuv420(const Yuv420<std::byte>& to, const Bgra8<const std::byte>& from, YuvCoding coding) {
  const EncodeWeights& weights = EncodeWeightsOf(coding);
  const simd::Stores stores = StoresFor(std::uint64_t{from.width} * from.height * 3 / 2);
  const simd::EncodeRowPairFunction encode = simd::EncodeRowPairFunctionFor(stores);
  ForEachRowPair(to, from, [&](const EncodeRowPair& rows) { encode(rows, weights); });
  if (stores == simd::Stores::kStreamed) simd::FenceStreams();
}

void DecodeYuv420(const Bgra8<std::byte>& to, const Yuv420<const std::byte>& from, YuvCoding coding, ChromaFilter filter) {
  if (!DecodesByTerms(coding, filter)) {
    const SumWeights& weights = SumWeightsOf(coding);
    const simd::DecodeRowFunction decode = simd::DecodeRowFunctionHere();
    ForEachRow(to, from, filter, [&](const DecodeRow& row) { decode(row, weights, filter); });
    return;
  }
  const TermWeights& weights = TermWeightsOf(coding.matrix);
  const simd::Stores stores = StoresFor(4ULL * to.width * to.height);
  const simd::DecodeRowPairFunction decode = simd::DecodeRowPairFunctionFor(stores);
  ForEachRowPair(to, from, [&](const DecodeRowPair& rows) { decode(rows, weights); });
  if (stores == simd::Stores::kStreamed) simd::FenceStreams();
}

}  // namespace tandem::color
