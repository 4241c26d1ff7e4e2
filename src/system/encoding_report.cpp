#include "system/encoding_report.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "codec/pictures/pictures.h"
#include "codec/pictures/quality.h"
#include "color/format.h"
#include "color/yuv.h"
#include "link/trial/encoding_trial.h"
#include "outputs/headless/png_file.h"
#include "outputs/headless/png_picture.h"

namespace tandem::system {
namespace {

constexpr std::uint32_t kPartWidth = 480;
constexpr std::uint32_t kPartHeight = 360;
constexpr int kAmplification = 8;

using PictureView = color::Bgra8<const std::byte>;

// Saves the middle part of the original, the decoded picture and their difference.
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

struct NamedPicture {
  std::string name;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::byte> pixels;  // B8G8R8A8, opaque, rows one after the other
};

NamedPicture Generated(codec::Picture picture, const EncodingReportRequest& request) {
  return {std::string(ToString(picture)), request.width, request.height,
          codec::DrawPicture(picture, request.width, request.height, 1)};
}

Result<NamedPicture> FromFile(const std::string& path) {
  auto png = outputs::ReadPng(path);
  if (!png.ok()) return std::move(png).error();
  if (png->width < codec::kLeastCompared || png->height < codec::kLeastCompared) {
    return Fail(ErrorKind::kInvalidArgument, "Picture {} has {} x {} pixels; what is compared has {} x {} at least.", path,
                png->width, png->height, codec::kLeastCompared, codec::kLeastCompared);
  }
  for (std::size_t i = 3; i < png->pixels.size(); i += 4) png->pixels[i] = std::byte{255};
  return NamedPicture{std::filesystem::path(path).stem().string(), png->width, png->height, std::move(png->pixels)};
}

Result<void> Report(const NamedPicture& picture, const EncodingReportRequest& request, Clock& clock,
                    std::vector<EncodingReportRow>& rows) {
  const std::uint64_t pitch = 4ULL * picture.width;
  const auto frame_bytes = static_cast<double>(picture.pixels.size());
  const PictureView original{picture.pixels.data(), pitch, picture.width, picture.height};
  for (const link::Encoding encoding : link::kEncodings) {
    if (!link::IsBuilt(encoding)) continue;
    const link::EncodingTrial trial = link::TryEncoding(encoding, original, clock);
    const PictureView decoded{trial.decoded.data(), pitch, picture.width, picture.height};
    const codec::Quality quality = codec::Compare(original, decoded);
    const auto speed = [&](std::int64_t ns) { return frame_bytes / static_cast<double>(std::max<std::int64_t>(ns, 1)); };
    rows.push_back({picture.name, std::string(ToString(encoding)), frame_bytes / static_cast<double>(trial.bytes),
                    quality.psnr_db, quality.luma_psnr_db, quality.luma_ssim, quality.max_error, speed(trial.encode_ns),
                    speed(trial.decode_ns)});
    if (request.pictures_folder.empty()) continue;
    const std::string path = request.pictures_folder + "/" + FileName(picture.name, ToString(encoding));
    if (auto saved = SavePictures(path, original, decoded, clock); !saved.ok()) return saved;
  }
  return {};
}

}  // namespace

Result<std::vector<EncodingReportRow>> ReportEncodings(const EncodingReportRequest& request, Clock& clock) {
  std::vector<EncodingReportRow> rows;
  for (const std::string& file : request.picture_files) {
    const auto picture = FromFile(file);
    if (!picture.ok()) return picture.error();
    if (auto reported = Report(*picture, request, clock, rows); !reported.ok()) return std::move(reported).error();
  }
  if (!request.picture_files.empty()) return rows;
  for (const codec::Picture picture : codec::kPictures) {
    if (auto reported = Report(Generated(picture, request), request, clock, rows); !reported.ok())
      return std::move(reported).error();
  }
  return rows;
}

}  // namespace tandem::system
