#include "compose/encoding_report.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "codec/encoding_trial.h"
#include "codec/pictures.h"
#include "codec/quality.h"
#include "outputs/headless/png_file.h"

namespace tandem::compose {
namespace {

constexpr std::uint32_t kPartWidth = 480;
constexpr std::uint32_t kPartHeight = 360;
constexpr int kAmplification = 8;

using PictureView = color::Bgra8<const std::byte>;

// The part in the middle of original, decoded and their difference.
Result<void> SavePictures(const std::string& path, const PictureView& original, const PictureView& decoded, Clock& clock) {
  const std::uint32_t width = std::min(kPartWidth, original.width);
  const std::uint32_t height = std::min(kPartHeight, original.height);
  const std::size_t row_bytes = 4 * std::size_t{width};
  std::vector<std::byte> pixels(3 * row_bytes * height);
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint64_t at = ((original.height - height) / 2 + y) * original.pitch + 4ULL * ((original.width - width) / 2);
    std::byte* const row = pixels.data() + 3 * row_bytes * y;
    std::memcpy(row, original.pixels + at, row_bytes);
    std::memcpy(row + row_bytes, decoded.pixels + at, row_bytes);
    for (std::size_t i = 0; i < row_bytes; ++i) {
      const int error = std::abs(std::to_integer<int>(row[i]) - std::to_integer<int>(row[row_bytes + i]));
      row[2 * row_bytes + i] = static_cast<std::byte>(std::min(255, kAmplification * error));
    }
  }
  auto sink = outputs::CreatePngSink(path, clock);
  if (!sink.ok()) return std::move(sink).error();
  outputs::Surface surface;
  surface.pixels = pixels.data();
  surface.pitch = static_cast<decltype(surface.pitch)>(3 * row_bytes);
  surface.width = 3 * width;
  surface.height = height;
  surface.format = color::Format::kB8G8R8X8Unorm;
  auto written = (*sink)->Write(surface);
  if (!written.ok()) return std::move(written).error();
  return {};
}

std::string FileName(std::string_view picture, std::string_view encoding) {
  std::string name = fmt::format("{}-{}.png", picture, encoding);
  for (char& c : name) {
    if (c == ' ' || c == ':' || c == ',') c = '_';
  }
  return name;
}

}  // namespace

Result<std::vector<EncodingReportRow>> ReportEncodings(const EncodingReportRequest& request, Clock& clock) {
  std::vector<EncodingReportRow> rows;
  const std::uint64_t pitch = 4ULL * request.width;
  const auto frame_bytes = static_cast<double>(pitch * request.height);
  for (const codec::Picture picture : codec::kPictures) {
    const auto pixels = codec::DrawPicture(picture, request.width, request.height, 1);
    const PictureView original{pixels.data(), pitch, request.width, request.height};
    for (const codec::Encoding encoding : codec::kEncodings) {
      if (!codec::IsBuilt(encoding)) continue;
      const codec::EncodingTrial trial = codec::TryEncoding(encoding, original, clock);
      const PictureView decoded{trial.decoded.data(), pitch, request.width, request.height};
      const codec::Quality quality = codec::Compare(original, decoded);
      const auto speed = [&](std::int64_t ns) { return frame_bytes / static_cast<double>(std::max<std::int64_t>(ns, 1)); };
      rows.push_back({std::string(ToString(picture)), std::string(ToString(encoding)),
                      frame_bytes / static_cast<double>(trial.bytes), quality.psnr_db, quality.luma_psnr_db, quality.luma_ssim,
                      quality.max_error, speed(trial.encode_ns), speed(trial.decode_ns)});
      if (request.pictures_folder.empty()) continue;
      const std::string path = request.pictures_folder + "/" + FileName(ToString(picture), ToString(encoding));
      if (auto saved = SavePictures(path, original, decoded, clock); !saved.ok()) return std::move(saved).error();
    }
  }
  return rows;
}

}  // namespace tandem::compose
