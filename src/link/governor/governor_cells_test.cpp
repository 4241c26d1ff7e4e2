// Compares the governor with the best fixed choice on a model of adapters and a link: it loses next to nothing. Cells cover
// displays, links and contents. The clock is the model's, so figures are equal on every machine.
#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "color/format.h"
#include "link/governor/governor.h"

namespace tandem::link {
namespace {

struct Screen {
  std::uint32_t width, height;
  double rate;
};

// Ratios by which frames get smaller, without unchanged tiles.
struct Content {
  std::string_view name;
  double lossless;
  double tiles;
  std::uint32_t unchanged;  // per mille
};

constexpr Screen kScreens[] = {{1280, 1024, 100}, {1920, 1080, 60}, {2560, 1440, 144}, {3840, 2160, 60}};
constexpr double kLinks[] = {0.25e9, 1e9, 2.5e9, 8e9};
constexpr Content kContents[] = {
    {"game", 3.7, 6.8, 0}, {"desktop", 20, 15, 980}, {"video", 2.2, 4.4, 0}, {"noise", 1.3, 2.67, 0}};

// Engine speeds to encode and decode, in bytes of plain frames per nanosecond.
struct Engines {
  std::string_view name;
  std::array<double, kLinkEncodings> encode;  // indexed by LinkEncoding
  std::array<double, kLinkEncodings> decode;
};
constexpr Engines kEngines[] = {{"one core each", {6, 4, 12, 6, 3, 4}, {6, 5, 12, 6, 4, 9}},
                                {"busy cores", {2.5, 1.5, 5, 2.4, 1.2, 2}, {2.5, 2, 5, 2.4, 1.5, 4}},
                                {"shaders", {300, 200, 300, 300, 150, 300}, {300, 200, 300, 300, 150, 300}}};

struct Cell {
  Screen screen;
  double link;
  Content content;
  Engines engines;
};

// Cost of one frame.
struct FrameTimes {
  double bytes, encode_ns, link_ns, decode_ns;
};

FrameTimes TimesOf(const Cell& cell, LinkEncoding encoding) {
  const double plain = 4.0 * cell.screen.width * cell.screen.height;
  const auto index = static_cast<std::uint32_t>(encoding);
  FrameTimes times{};
  times.bytes =
      static_cast<double>(LinkFrameBytes(encoding, color::Format::kB8G8R8A8Unorm, cell.screen.width, cell.screen.height));
  if (encoding == LinkEncoding::kLossless) times.bytes = plain / cell.content.lossless * (1 - cell.content.unchanged / 1000.0);
  if (encoding == LinkEncoding::kYuv420Tiles) times.bytes = std::min(times.bytes, plain / cell.content.tiles);
  times.encode_ns = plain / cell.engines.encode[index];
  times.link_ns = times.bytes * 1e9 / cell.link;
  times.decode_ns = plain / cell.engines.decode[index];
  return times;
}

// Frames shown on the display.
struct Shown {
  double at_first = 0;  // within the first third of a second
  double later = 0;     // within one second, after half a second
};

// Three frames are on their way at once; each engine takes one after the other.
Shown FramesShown(const Cell& cell, const EncodingRequest& request) {
  const auto refresh_ns = static_cast<std::int64_t>(1e9 / cell.screen.rate);
  Governor governor(
      {request, ContentKind::kAuto, cell.screen.width, cell.screen.height, refresh_ns, static_cast<std::uint64_t>(cell.link), 0});
  struct OnItsWay {
    double arrived_ns, shown_ns;
    SentFrame sent;
  };
  std::deque<OnItsWay> frames;
  std::array<LinkEncoding, 3> in_buffer{};
  double encoder_ns = 0, link_ns = 0, decoder_ns = 0, shown_ns = 0, now_ns = 0;
  std::uint64_t number = 0;
  Shown shown;
  std::size_t told = 0;
  while (now_ns < 1.5e9) {
    bool waited = false;
    if (frames.size() == 3) {
      waited = frames.front().shown_ns > now_ns;
      now_ns = std::max(now_ns, frames.front().shown_ns);
    }
    const auto tell = [&] {
      for (; told < frames.size() && frames[told].arrived_ns <= now_ns; ++told) governor.Sent(frames[told].sent);
    };
    tell();
    while (governor.Waits()) {
      now_ns = frames[told].arrived_ns;
      waited = true;
      tell();
    }
    if (frames.size() == 3) {
      if (frames.front().shown_ns < 1e9 / 3) ++shown.at_first;
      if (now_ns >= 0.5e9 && now_ns < 1.5e9) ++shown.later;
      frames.pop_front();
      --told;
    }
    const auto choice = governor.Choose(static_cast<std::int64_t>(now_ns), waited);
    const FrameTimes times = TimesOf(cell, choice.encoding);
    OnItsWay frame{};
    frame.sent.encoding = choice.encoding;
    frame.sent.bytes = static_cast<std::uint64_t>(times.bytes);
    frame.sent.encode_ns = static_cast<std::int64_t>(times.encode_ns);
    frame.sent.link_ns = static_cast<std::int64_t>(times.link_ns);
    frame.sent.decoded = in_buffer[number % 3];
    if (number >= 3) frame.sent.decode_ns = static_cast<std::int64_t>(TimesOf(cell, in_buffer[number % 3]).decode_ns);
    if (choice.encoding == LinkEncoding::kLossless) frame.sent.unchanged = cell.content.unchanged;
    if (choice.probes) {
      frame.sent.probed_bytes = static_cast<std::uint64_t>(4.0 * cell.screen.width * cell.screen.height / cell.content.lossless);
      frame.sent.probed_ns = static_cast<std::int64_t>(TimesOf(cell, LinkEncoding::kLossless).encode_ns);
    }
    in_buffer[number % 3] = choice.encoding;
    ++number;
    const double start_ns = std::max(now_ns, encoder_ns);
    encoder_ns = start_ns + times.encode_ns + static_cast<double>(frame.sent.probed_ns) / 16;
    link_ns = std::max({encoder_ns, link_ns + times.link_ns, start_ns + times.link_ns});
    decoder_ns = std::max({link_ns, decoder_ns + times.decode_ns});
    shown_ns = std::max(shown_ns + static_cast<double>(refresh_ns), decoder_ns);
    frame.arrived_ns = link_ns;
    frame.shown_ns = shown_ns;
    frames.push_back(frame);
  }
  return shown;
}

// The best encoding that is chosen once for all frames; still pictures stay exact.
Shown BestFixed(const Cell& cell) {
  Shown best;
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    if (cell.content.unchanged > 500 && !IsExact(encoding)) continue;
    const Shown shown = FramesShown(cell, EncodingRequest::Just(encoding));
    best.at_first = std::max(best.at_first, shown.at_first);
    best.later = std::max(best.later, shown.later);
  }
  return best;
}

// Calls `check` with each cell and its name.
template <class Check>
void ForCells(Check&& check) {
  for (const Engines& engines : kEngines) {
    for (const Screen& screen : kScreens) {
      for (const double link : kLinks) {
        for (const Content& content : kContents) {
          check(Cell{screen, link, content, engines}, fmt::format("{}, {} x {} at {}, {} GB/s, {}", engines.name, screen.width,
                                                                  screen.height, screen.rate, link / 1e9, content.name));
        }
      }
    }
  }
}

TEST(GovernorCells, EachOfThem_NearlyTheFramesOfTheBestFixedChoice) {
  ForCells([](const Cell& cell, const std::string& name) {
    const double best = BestFixed(cell).later;
    EXPECT_GE(FramesShown(cell, {}).later, 0.97 * best) << name << ": " << best << " are the best's";
  });
}

// The governor learns the lossless size only when the first such frame has crossed.
TEST(GovernorCells, TheStart_CostsTwoFramesAndThatOfOneLosslessFrame) {
  ForCells([](const Cell& cell, const std::string& name) {
    const double best = BestFixed(cell).at_first;
    const double shown = FramesShown(cell, {}).at_first;
    const FrameTimes lossless = TimesOf(cell, LinkEncoding::kLossless);
    const double frame_ns = std::max({lossless.encode_ns, lossless.link_ns, lossless.decode_ns});
    EXPECT_LE((best - shown - 2) * 1e9 / cell.screen.rate, frame_ns) << name << ": " << shown << " of " << best;
  });
}

}  // namespace
}  // namespace tandem::link
