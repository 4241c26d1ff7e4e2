// What each encoding makes of generated pictures, or of given ones.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace tandem::system {

struct EncodingReportRow {
  std::string picture;
  std::string encoding;
  double ratio = 0;  // bytes of the frame over bytes coded
  double psnr_db = 0;
  double luma_psnr_db = 0;
  double luma_ssim = 0;
  int max_error = 0;
  double encode_gigabytes_per_second = 0;  // of the frame's four-byte pixels
  double decode_gigabytes_per_second = 0;
};

struct EncodingReportRequest {
  // PNG files, such as `tandem run --output png:FILE` writes, in place of generated pictures; named after the file. Alpha is
  // taken for opaque, as a display does.
  std::vector<std::string> picture_files;
  std::uint32_t width = 1920;  // of generated pictures
  std::uint32_t height = 1080;
  // An existing folder for pictures: original, decoded and their difference times 8 beside each other, a part of the frame at its
  // own size; empty: none.
  std::string pictures_folder;
};

// kIo when a picture cannot be read or written, kInvalidArgument for one that is too large.
[[nodiscard]] Result<std::vector<EncodingReportRow>> ReportEncodings(const EncodingReportRequest& request, Clock& clock);

}  // namespace tandem::system
