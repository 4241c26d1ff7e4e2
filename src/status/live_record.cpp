#include "status/live_record.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/limits.h"
#include "base/printable.h"
#include "link/governor/encodings.h"

namespace tandem::status {
namespace {

constexpr std::array<char, 8> kMagic = {'T', 'a', 'n', 'd', 'e', 'm', 'L', 'v'};
constexpr std::uint32_t kVersion = 4;
// Limits beyond any real figure: a million frames or ten terabytes a second; an hour of latency.
constexpr std::uint64_t kMaxMillihertz = 1'000'000'000;
constexpr std::uint64_t kMaxBytesPerSecond = 10'000'000'000'000;
constexpr std::int64_t kMaxLatencyNs = 3'600'000'000'000;

template <std::size_t kBytes>
void PutText(std::array<char, kBytes>& into, std::string_view text) {
  text = FittingUtf8(text, kBytes);
  std::copy(text.begin(), text.end(), into.begin());
}

template <std::size_t kBytes>
std::string TextIn(const std::array<char, kBytes>& from) {
  return Printable(std::string_view(from.begin(), std::find(from.begin(), from.end(), '\0')));
}

// The newer of the valid copies. Null if none was ever written.
Result<const LiveCopy*> CurrentOf(const std::array<LiveCopy, 2>& copies, std::uint32_t number) {
  const LiveCopy* best = nullptr;
  bool written = false;
  for (const LiveCopy& copy : copies) {
    written = written || copy.turn != 0;
    if (copy.turn == 0 || copy.checksum != ChecksumOf(copy)) continue;
    if (best == nullptr || copy.turn > best->turn) best = &copy;
  }
  if (written && best == nullptr) return Fail(ErrorKind::kInvalidArgument, "The figures of swap chain {} are damaged.", number);
  return best;
}

Result<void> CheckAtMost(const char* what, std::uint64_t value, std::uint64_t most) {
  if (value <= most) return {};
  return Fail(ErrorKind::kInvalidArgument, "{} {} is beyond {}.", what, value, most);
}

Result<LiveSwapChain> FiguresIn(const LiveCopy& copy) {
  const std::pair<const char*, std::pair<std::uint64_t, std::uint64_t>> limits[] = {
      {"Width", {copy.width, kMaxSurfaceExtent}},
      {"Height", {copy.height, kMaxSurfaceExtent}},
      {"Present mode", {copy.present_mode, static_cast<std::uint64_t>(swapchain::PresentMode::kImmediate)}},
      {"Path", {copy.path, static_cast<std::uint64_t>(swapchain::Path::kCompressed)}},
      {"Way to the screen", {copy.shown_by, static_cast<std::uint64_t>(swapchain::ShownBy::kComposition)}},
      {"Encoding", {copy.encoding, link::kLinkEncodings}},
      {"Frame rate", {copy.millihertz, kMaxMillihertz}},
      {"Bandwidth", {copy.link_bytes_per_second, kMaxBytesPerSecond}},
      {"Measured bandwidth", {copy.measured_link, kMaxBytesPerSecond}},
      {"Emulated bandwidth", {copy.emulated_link, kMaxBytesPerSecond}},
      {"Frame bytes", {copy.frame_bytes, link::kMaxFrameBytes}},
      {"Latency", {static_cast<std::uint64_t>(copy.latency_ns), static_cast<std::uint64_t>(kMaxLatencyNs)}},
  };
  for (const auto& [what, limit] : limits) {
    if (auto checked = CheckAtMost(what, limit.first, limit.second); !checked.ok()) return std::move(checked).error();
  }
  const auto yuv = link::ToLinkYuv(copy.yuv);
  if (!yuv) return Fail(ErrorKind::kInvalidArgument, "4:2:0 0x{:x} is no way to make it.", copy.yuv);
  LiveSwapChain figures;
  figures.reported_ns = copy.reported_ns;
  figures.width = copy.width;
  figures.height = copy.height;
  figures.present_mode = static_cast<swapchain::PresentMode>(copy.present_mode);
  figures.path = static_cast<swapchain::Path>(copy.path);
  figures.shown_by = static_cast<swapchain::ShownBy>(copy.shown_by);
  if (copy.encoding != 0) figures.encoding = static_cast<link::LinkEncoding>(copy.encoding - 1);
  figures.yuv = *yuv;
  figures.crossing_format = static_cast<DXGI_FORMAT>(copy.crossing_format);
  figures.frames = copy.frames;
  figures.millihertz = copy.millihertz;
  figures.link_bytes_per_second = copy.link_bytes_per_second;
  figures.latency_ns = copy.latency_ns;
  figures.measured_link = copy.measured_link;
  figures.emulated_link = copy.emulated_link;
  figures.frame_bytes = copy.frame_bytes;
  figures.lossy_frames = copy.lossy_frames;
  figures.render = TextIn(copy.render);
  figures.display = TextIn(copy.display);
  figures.path_reason = TextIn(copy.path_reason);
  figures.encoding_reason = TextIn(copy.encoding_reason);
  return figures;
}

}  // namespace

std::int64_t AgeNs(const LiveSwapChain& chain, std::int64_t now_ns) {
  return now_ns > chain.reported_ns && chain.reported_ns > 0 ? now_ns - chain.reported_ns : 0;
}

bool IsIdle(const LiveSwapChain& chain, std::int64_t now_ns) {
  constexpr std::int64_t kIdleNs = 2'000'000'000;
  return AgeNs(chain, now_ns) > kIdleNs;
}

double ShownPerSecond(const LiveSwapChain& chain, std::int64_t now_ns) {
  return IsIdle(chain, now_ns) ? 0.0 : static_cast<double>(chain.millihertz) / 1e3;
}

std::uint64_t ChecksumOf(const LiveCopy& copy) {
  const auto bytes = std::as_bytes(std::span(&copy, 1)).subspan(sizeof(copy.checksum));
  std::uint64_t sum = 14695981039346656037ULL;
  for (const std::byte byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 1099511628211ULL;
  return sum;
}

LiveFileLayout MakeLiveFile(const LiveProcess& process, const LiveProcess& run, std::string_view program) {
  LiveFileLayout file{};
  file.magic = kMagic;
  file.version = kVersion;
  file.pid = process.pid;
  file.start = process.start;
  file.pid_namespace = process.pid_namespace;
  file.run_pid = run.pid;
  file.run_start = run.start;
  PutText(file.program, program);
  return file;
}

LiveCopy MakeLiveCopy(const LiveSwapChain& figures, const LiveCounts& earlier, std::uint64_t turn) {
  LiveCopy copy{};
  copy.turn = turn;
  copy.open = 1;
  copy.reported_ns = figures.reported_ns;
  copy.width = figures.width;
  copy.height = figures.height;
  copy.present_mode = static_cast<std::uint8_t>(figures.present_mode);
  copy.path = static_cast<std::uint8_t>(figures.path);
  copy.shown_by = static_cast<std::uint8_t>(figures.shown_by);
  copy.encoding = figures.encoding ? static_cast<std::uint8_t>(1 + static_cast<int>(*figures.encoding)) : std::uint8_t{0};
  copy.yuv = link::LinkYuvWord(figures.yuv);
  copy.crossing_format = static_cast<std::uint32_t>(figures.crossing_format);
  copy.frames = figures.frames;
  copy.earlier = earlier;
  copy.millihertz = std::min(figures.millihertz, kMaxMillihertz);
  copy.link_bytes_per_second = std::min(figures.link_bytes_per_second, kMaxBytesPerSecond);
  copy.latency_ns = std::clamp<std::int64_t>(figures.latency_ns, 0, kMaxLatencyNs);
  copy.measured_link = std::min(figures.measured_link, kMaxBytesPerSecond);
  copy.emulated_link = std::min(figures.emulated_link, kMaxBytesPerSecond);
  copy.frame_bytes = figures.frame_bytes;
  copy.lossy_frames = figures.lossy_frames;
  PutText(copy.render, figures.render);
  PutText(copy.display, figures.display);
  PutText(copy.path_reason, figures.path_reason);
  PutText(copy.encoding_reason, figures.encoding_reason);
  copy.checksum = ChecksumOf(copy);
  return copy;
}

LiveCopy MakeClosedCopy(const LiveCounts& earlier, std::uint64_t turn) {
  LiveCopy copy{};
  copy.earlier = earlier;
  copy.turn = turn;
  copy.checksum = ChecksumOf(copy);
  return copy;
}

Result<LiveProgram> ParseLiveFile(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(LiveFileLayout)) {
    return Fail(ErrorKind::kInvalidArgument, "The file has {} bytes in place of {}.", bytes.size(), sizeof(LiveFileLayout));
  }
  LiveFileLayout file;
  std::memcpy(&file, bytes.data(), sizeof(file));
  if (file.magic != kMagic) return Fail(ErrorKind::kInvalidArgument, "The file does not begin with {}.", "TandemLv");
  if (file.version != kVersion) {
    return Fail(ErrorKind::kInvalidArgument, "The file has version {}; this one reads {}.", file.version, kVersion);
  }
  LiveProgram program;
  program.process = {file.pid, file.start, file.pid_namespace};
  program.run = {file.run_pid, file.run_start, file.pid_namespace};
  program.program = TextIn(file.program);
  for (std::uint32_t i = 0; i < kLiveSwapChains; ++i) {
    const auto copy = CurrentOf(file.swap_chains[i], i + 1);
    if (!copy.ok()) return copy.error();
    if (*copy == nullptr) continue;
    program.earlier += (*copy)->earlier;
    if ((*copy)->open == 0) continue;
    auto figures = FiguresIn(**copy);
    if (!figures.ok()) return std::move(figures).error();
    program.swap_chains.push_back(*std::move(figures));
  }
  return program;
}

}  // namespace tandem::status
