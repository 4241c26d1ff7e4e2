// Measures each encoding on generated or given pictures.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace tandem::system {

struct EncodingReportRow {
  std::string picture;
  std::string encoding;
  double ratio = 0;  // bytes of the frame divided by its coded bytes
  double psnr_db = 0;
  double luma_psnr_db = 0;
  double luma_ssim = 0;
  int max_error = 0;
  double encode_gigabytes_per_second = 0;  // counts the frame's four-byte pixels
  double decode_gigabytes_per_second = 0;
};

struct EncodingReportRequest {
  // PNG files that replace the generated pictures, for example from `tandem run --output png:FILE`. Each picture is named after
  // its file and treated as opaque, as a display does.
  std::vector<std::string> picture_files;
  std::uint32_t width = 1920;  // size of generated pictures
  std::uint32_t height = 1080;
  // An existing folder for pictures; empty: none. Each picture shows a part of the frame unscaled: original, decoded, and their
  // difference times 8.
  std::string pictures_folder;
};

// kIo when a picture cannot be read or written, kInvalidArgument when one is too large.
[[nodiscard]] Result<std::vector<EncodingReportRow>> ReportEncodings(const EncodingReportRequest& request, Clock& clock);

}  // namespace tandem::system
