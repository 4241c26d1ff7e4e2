#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/core.h>

#include "base/aligned.h"
#include "base/clock.h"
#include "bench/codec_cases.h"
#include "bench/round_robin.h"
#include "codec/pictures/pictures.h"
#include "color/blit.h"
#include "link/surface/link_surface.h"

namespace tandem::bench {
namespace {

using color::Rotation;
using link::LinkEncoding;

constexpr color::Format kFormat = color::Format::kB8G8R8A8Unorm;
constexpr std::uint32_t kSurfaces = 6;  // together several times the last-level cache of the machines used
constexpr std::uint32_t kSlices = 16;
constexpr std::uint64_t kPitchAlignment = 256;

struct Turn {
  Rotation rotation;
  std::string_view name;
};
constexpr std::array<Turn, 3> kTurns{{{Rotation::k90, "90"}, {Rotation::k180, "180"}, {Rotation::k270, "270"}}};

// Frames at the display adapter's end of a link.
class Arrived {
 public:
  Arrived(std::uint32_t width, std::uint32_t height, LinkEncoding encoding)
      : width_(width), height_(height), surfaces_(kSurfaces * link::LinkSurfaceBytes(width, height)) {
    const std::vector<std::byte> picture = codec::DrawPicture(codec::Picture::kGradient, width, height, 1);
    const link::LinkPicture<const std::byte> from{picture.data(), 4ULL * width, kFormat, width, height};
    for (std::size_t turn = 0; turn < kSurfaces; ++turn) {
      link::InitializeLinkSurface(Surface(turn), link::LinkSliceRows(height, kSlices));
      link::RequestLinkFrame(Surface(turn), 1, encoding);
      if (!link::EncodeLinkRows({Surface(turn), 0, height}, from, MonotonicClock(), room_).ok()) std::abort();
    }
  }

  void Decode(std::size_t turn, std::byte* to, std::uint64_t pitch, Rotation rotation) {
    const link::LinkPicture<std::byte> picture{to, pitch, kFormat, width_, height_};
    if (!link::DecodeLinkRows({Surface(turn), 0, height_}, picture, MonotonicClock(), room_, rotation).ok()) std::abort();
  }

 private:
  [[nodiscard]] std::span<std::byte> Surface(std::size_t turn) const {
    const std::uint64_t bytes = surfaces_.size() / kSurfaces;
    return {surfaces_.data() + turn % kSurfaces * bytes, bytes};
  }

  std::uint32_t width_;
  std::uint32_t height_;
  Buffer surfaces_;
  std::vector<std::byte> room_;
};

}  // namespace

std::vector<Row> MeasureTurned(std::uint32_t width, std::uint32_t height, std::size_t rounds) {
  // Pitches as primaries have them.
  const std::uint64_t pitch = AlignUp(4ULL * width, kPitchAlignment);
  const std::uint64_t quarter_pitch = AlignUp(4ULL * height, kPitchAlignment);
  const std::uint64_t bytes = std::max(pitch * height, quarter_pitch * width);
  const Buffer upright(kSurfaces * bytes);
  const Buffer turned(kSurfaces * bytes);
  const auto at = [bytes](const Buffer& frames, std::size_t turn) { return frames.data() + turn % kSurfaces * bytes; };
  std::vector<Row> rows;
  for (const LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    if (link::RefersToFrames(encoding) || !link::IsBuilt(encoding)) continue;
    Arrived arrived(width, height, encoding);
    const auto copy = [&](std::size_t turn, Rotation rotation, std::uint64_t to_pitch) {
      color::Blit(color::TurnOf(at(upright, turn), pitch, kFormat, width, height, at(turned, turn), to_pitch, rotation));
    };
    std::vector<Contender> contenders;
    contenders.push_back({"as it is", [&](std::size_t t) { arrived.Decode(t, at(upright, t), pitch, Rotation::kIdentity); }});
    for (const auto& [rotation, degrees] : kTurns) {
      const std::uint64_t turned_pitch = rotation == Rotation::k180 ? pitch : quarter_pitch;
      contenders.push_back({fmt::format("turned by {} degrees", degrees), [&, turned_pitch, rotation = rotation](std::size_t t) {
                              arrived.Decode(t, at(turned, t), turned_pitch, rotation);
                            }});
      contenders.push_back({"the same by a copy", [&, turned_pitch, rotation = rotation](std::size_t t) {
                              arrived.Decode(t, at(upright, t), pitch, Rotation::kIdentity);
                              copy(t, rotation, turned_pitch);
                            }});
    }
    const auto figures = RunRoundRobin(contenders, rounds);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      Row row{fmt::format("Out of a link onto a turned output, {} x {} (peer: decoded, then copied)", width, height),
              fmt::format("{}, {}", link::ToString(encoding), figures[i].name), figures[i].median_ms};
      row.gigabytes_per_second = 4e-6 * width * height / figures[i].median_ms;
      if (i > 0) row.times_peer = TimesFaster(figures[i], figures[i + i % 2]);
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace tandem::bench
