#include "cli/encodings.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "cli/exit_codes.h"

namespace tandem::cli {

std::string ToTable(std::span<const system::EncodingReportRow> rows) {
  std::string text = fmt::format("{:<11}{:<23}{:>8}{:>10}{:>10}{:>8}{:>11}{:>13}{:>13}\n", "picture", "encoding", "ratio",
                                 "PSNR dB", "luma dB", "SSIM", "max error", "encode GB/s", "decode GB/s");
  for (const system::EncodingReportRow& row : rows) {
    const auto decibels = [&row](double value) { return row.max_error == 0 ? std::string("-") : fmt::format("{:.1f}", value); };
    text += fmt::format("{:<11}{:<23}{:>8.2f}{:>10}{:>10}{:>8.4f}{:>11}{:>13.1f}{:>13.1f}\n", row.picture, row.encoding,
                        row.ratio, decibels(row.psnr_db), decibels(row.luma_psnr_db), row.luma_ssim, row.max_error,
                        row.encode_gigabytes_per_second, row.decode_gigabytes_per_second);
  }
  return text;
}

std::string ToJson(std::span<const system::EncodingReportRow> rows) {
  auto list = nlohmann::ordered_json::array();
  for (const system::EncodingReportRow& row : rows) {
    list.push_back({{"picture", row.picture},
                    {"encoding", row.encoding},
                    {"ratio", row.ratio},
                    {"lossless", row.max_error == 0},
                    {"psnr_db", row.psnr_db},
                    {"luma_psnr_db", row.luma_psnr_db},
                    {"luma_ssim", row.luma_ssim},
                    {"max_error", row.max_error},
                    {"encode_gigabytes_per_second", row.encode_gigabytes_per_second},
                    {"decode_gigabytes_per_second", row.decode_gigabytes_per_second}});
  }
  return nlohmann::ordered_json{{"encodings", list}}.dump(2) + "\n";
}

int ReportEncodings(const EncodingsCommand& command) {
  system::EncodingReportRequest request;
  request.picture_files = command.picture_files;
  request.pictures_folder = command.pictures_folder;
  const auto rows = system::ReportEncodings(request, MonotonicClock());
  if (!rows.ok()) {
    std::fprintf(stderr, "tandem encodings: %s\n", rows.error().message.c_str());
    return kExitFailure;
  }
  std::fputs((command.format == ListFormat::kJson ? ToJson(*rows) : ToTable(*rows)).c_str(), stdout);
  return kExitOk;
}

}  // namespace tandem::cli
