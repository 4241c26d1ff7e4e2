#include "outputs/headless/headless_output.h"

#include <cmath>
#include <utility>

#include "base/named_file.h"
#include "outputs/headless/png_file.h"
#include "outputs/headless/raw_stream.h"
#include "outputs/headless/y4m_stream.h"

namespace tandem::outputs {
namespace {

class HeadlessOutput final : public Output {
 public:
  HeadlessOutput(OutputInfo info, std::unique_ptr<Sink> sink, std::function<OutputStatus()> window_status)
      : info_(std::move(info)), sink_(std::move(sink)), window_status_(std::move(window_status)) {}

  [[nodiscard]] const OutputInfo& info() const override { return info_; }
  [[nodiscard]] OutputStatus Status() const override { return window_status_ ? window_status_() : OutputStatus(); }

  Result<void> Show(const Surface& surface) override {
    copied_bytes_ = 0;
    if (!sink_) return {};
    auto copied = sink_->Write(surface);
    if (!copied.ok()) return std::move(copied).error();
    copied_bytes_ = *copied;
    return {};
  }

  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return copied_bytes_; }

 private:
  OutputInfo info_;
  std::unique_ptr<Sink> sink_;  // null: frames are dropped
  const std::function<OutputStatus()> window_status_;
  std::uint64_t copied_bytes_ = 0;
};

Result<std::unique_ptr<Sink>> CreateSink(const HeadlessOptions& options) {
  switch (options.kind) {
    case HeadlessKind::kPng: return CreatePngSink(options.path, MonotonicClock());
    case HeadlessKind::kY4m: return CreateY4mSink(options.path, options.refresh_hz);
    case HeadlessKind::kRaw: return CreateRawSink(options.path);
    case HeadlessKind::kNone: break;
  }
  return std::unique_ptr<Sink>();
}

}  // namespace

Result<void> CheckHeadlessFile(HeadlessKind kind, const std::string& path) {
  if (kind == HeadlessKind::kNone) return {};
  if (kind == HeadlessKind::kPng) return CheckPngFile(path);
  return CheckWritable(path, Writing::kInPlace);
}

Result<std::unique_ptr<Output>> CreateHeadlessOutput(const HeadlessOptions& options) {
  if (!(options.refresh_hz >= 1.0 && options.refresh_hz <= 1000.0)) {
    return Fail(ErrorKind::kInvalidArgument, "Refresh rate {} Hz is not within 1 and 1000 Hz.", options.refresh_hz);
  }
  if (options.kind != HeadlessKind::kNone && options.path.empty()) {
    return Fail(ErrorKind::kInvalidArgument, "A headless output that writes a file needs its path.");
  }
  auto sink = CreateSink(options);
  if (!sink.ok()) return std::move(sink).error();
  OutputInfo info;
  info.kind = "headless";
  info.name = options.kind == HeadlessKind::kNone ? "headless" : "file " + options.path;
  info.refresh_period_ns = static_cast<std::int64_t>(std::llround(1e9 / options.refresh_hz));
  return std::make_unique<HeadlessOutput>(std::move(info), *std::move(sink), options.window_status);
}

}  // namespace tandem::outputs
