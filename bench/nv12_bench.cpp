// Compares decoding at scan-out with decoding by the display adapter. 4:2:0 frames of 1920 x 1080 cross an emulated link
// between two software adapters. nv12_bench. Every round runs both once; the output is each round's figures and the medians of
// their ratios.
//
// "250 MB/s" requests 60 frames a second, for which 4:2:0 needs 187 MB/s; "8 GB/s" requests more than either reaches. Processor
// time includes encoding, decoding and the virtual screen, which drops its pictures.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "system/link_trial.h"

namespace {

using namespace tandem;

constexpr std::size_t kRounds = 9;

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Run {
  double frames_per_second = 0;
  double megabytes_written = 0;  // per frame, by all passes of both adapters and scan-out
  double megabytes_crossed = 0;
  double processor_ms = 0;  // per shown frame
};

Run Measure(double frames_per_second, std::uint64_t link, bool scan_out_nv12, system::LinkPictures& pictures) {
  system::LinkTrialRequest request;
  request.width = 1920;
  request.height = 1080;
  request.frames_per_second = frames_per_second;
  request.link_bytes_per_second = link;
  request.encodings = link::EncodingRequest::Just(link::LinkEncoding::kYuv420);
  request.encodings.asked_for = true;
  request.scan_out_nv12 = scan_out_nv12;
  for (std::uint32_t i = 0; i < system::kLinkPictures; ++i) {
    static_cast<void>(pictures.At(request.content, request.width, request.height, i));  // drawn before the measurement
  }
  const double before = ProcessorSeconds();
  const auto trial = system::TryLink(request, pictures);
  if (!trial.ok()) {
    std::fprintf(stderr, "nv12_bench: %s\n", trial.error().message.c_str());
    std::exit(1);
  }
  // The warm-up, a quarter of the time, counts as well.
  const double frames = trial->frames_per_second * request.seconds * 1.25;
  return {trial->frames_per_second, trial->bytes_written_per_frame / 1e6, trial->bytes_per_frame / 1e6,
          (ProcessorSeconds() - before) * 1e3 / frames};
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void Compare(const char* name, double frames_per_second, std::uint64_t link, system::LinkPictures& pictures) {
  std::printf("1080p at %.0f frames/s, link of %s (emulated), %zu rounds\n", frames_per_second, name, kRounds);
  std::printf("  scanned out: frames/s  MB written  MB crossed  CPU ms   decoded: frames/s  MB written  MB crossed  CPU ms\n");
  std::vector<double> frames;
  std::vector<double> written;
  std::vector<double> processor;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const Run shown = Measure(frames_per_second, link, true, pictures);
    const Run decoded = Measure(frames_per_second, link, false, pictures);
    frames.push_back(shown.frames_per_second / decoded.frames_per_second);
    written.push_back(shown.megabytes_written / decoded.megabytes_written);
    processor.push_back(shown.processor_ms / decoded.processor_ms);
    std::printf("  %21.1f %11.2f %11.2f %7.2f %19.1f %11.2f %11.2f %7.2f\n", shown.frames_per_second, shown.megabytes_written,
                shown.megabytes_crossed, shown.processor_ms, decoded.frames_per_second, decoded.megabytes_written,
                decoded.megabytes_crossed, decoded.processor_ms);
  }
  std::printf("  median ratios: frames %.2f, bytes written %.2f, CPU %.2f\n", Median(frames), Median(written), Median(processor));
}

}  // namespace

int main() {
  system::LinkPictures pictures;
  Compare("250 MB/s", 60, 250'000'000, pictures);
  Compare("8 GB/s", 1000, 8'000'000'000, pictures);
  return 0;
}
