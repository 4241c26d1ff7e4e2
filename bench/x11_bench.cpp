// Compares the ways of pixels to an X server: x11_bench SERVER_PID [FRAMES]. The server is that of $DISPLAY, for example
// "Xvfb :77 -screen 0 1920x1080x24 -noreset". Ways take turns; the medians of nine rounds are printed, for each frame.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>
#include <xcb/xcb.h>

#include "base/clock.h"
#include "base/memory_map.h"
#include "outputs/x11/x11_output.h"

namespace {

using tandem::outputs::Output;
using tandem::outputs::Surface;
using tandem::outputs::X11Way;

constexpr std::uint32_t kWidth = 1920, kHeight = 1080;
constexpr std::size_t kBytes = std::size_t{kWidth} * 4 * kHeight;
constexpr std::size_t kRounds = 9;

struct Buffer {
  explicit Buffer(std::uint64_t id) : fd(*tandem::CreateSharedPages("x11-bench", kBytes)) {
    pages = *tandem::MemoryMap::MapShared(fd, 0, *tandem::RoundUpToPages(kBytes), tandem::MapAccess::kReadWrite);
    std::memset(pages.data(), static_cast<int>(id * 50), kBytes);
    surface.id = id;
    surface.width = kWidth;
    surface.height = kHeight;
    surface.pitch = kWidth * 4;
    surface.format = tandem::color::Format::kB8G8R8A8Unorm;
    surface.pixels = pages.data();
    surface.backing_fd = fd.get();
    surface.backing_size = pages.size_bytes();
  }
  tandem::UniqueFd fd;
  tandem::MemoryMap pages;
  Surface surface;
};

double OwnSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Processor time of another process.
double SecondsOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/schedstat");
  double ns = 0;
  return file >> ns ? ns / 1e9 : 0;
}

struct Round {
  double wall_ms = 0, own_ms = 0, server_ms = 0;
};

Round Measure(Output& output, std::vector<std::unique_ptr<Buffer>>& buffers, const std::string& server, int frames,
              bool at_once) {
  const double own = OwnSeconds(), servers = SecondsOf(server);
  const std::int64_t start_ns = tandem::MonotonicClock().NowNs();
  for (int i = 0; i < frames; ++i) {
    Surface& surface = buffers[static_cast<std::size_t>(i) % buffers.size()]->surface;
    surface.at_once = at_once;
    if (const auto shown = output.Show(surface); !shown.ok()) {
      std::fprintf(stderr, "%s\n", shown.error().message.c_str());
      std::exit(EXIT_FAILURE);
    }
    while (!at_once && output.report().pending > 0) usleep(200);
  }
  const double scale = 1e3 / frames;
  return {static_cast<double>(tandem::MonotonicClock().NowNs() - start_ns) / 1e6 / frames, (OwnSeconds() - own) * scale,
          (SecondsOf(server) - servers) * scale};
}

double Median(const std::vector<Round>& rounds, double Round::*figure) {
  std::vector<double> values;
  for (const Round& round : rounds) values.push_back(round.*figure);
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: x11_bench SERVER_PID [FRAMES]\n");
    return 2;
  }
  const std::string server = words[1];
  const int frames = count > 2 ? std::max(std::atoi(words[2]), 1) : 60;
  xcb_connection_t* x = xcb_connect(nullptr, nullptr);
  if (xcb_connection_has_error(x) != 0) return EXIT_FAILURE;
  const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(x)).data;
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (std::uint64_t id = 1; id <= 3; ++id) buffers.push_back(std::make_unique<Buffer>(id));
  struct Case {
    X11Way way;
    bool at_once;
    xcb_window_t window = 0;
    std::unique_ptr<Output> output;
    std::vector<Round> rounds;
  };
  std::array<Case, 4> cases{Case{X11Way::kImages, false, 0, {}, {}}, Case{X11Way::kPixmaps, false, 0, {}, {}},
                            Case{X11Way::kImages, true, 0, {}, {}}, Case{X11Way::kPixmaps, true, 0, {}, {}}};
  // A window that others cover costs nothing.
  const auto run = [&](const Case& each) {
    const std::uint32_t above = XCB_STACK_MODE_ABOVE;
    xcb_configure_window(x, each.window, XCB_CONFIG_WINDOW_STACK_MODE, &above);
    std::free(xcb_get_input_focus_reply(x, xcb_get_input_focus(x), nullptr));
    return Measure(*each.output, buffers, server, frames, each.at_once);
  };
  for (Case& each : cases) {
    each.window = xcb_generate_id(x);
    xcb_create_window(x, XCB_COPY_FROM_PARENT, each.window, screen->root, 0, 0, kWidth, kHeight, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      screen->root_visual, 0, nullptr);
    xcb_map_window(x, each.window);
    std::free(xcb_get_input_focus_reply(x, xcb_get_input_focus(x), nullptr));
    auto output = tandem::outputs::CreateX11Output({"", each.window, each.way});
    if (!output.ok()) {
      std::fprintf(stderr, "%s\n", output.error().message.c_str());
      return EXIT_FAILURE;
    }
    each.output = *std::move(output);
    run(each);
  }
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (Case& each : cases) each.rounds.push_back(run(each));
  }
  for (const Case& each : cases) {
    const auto report = each.output->report();
    std::printf("%-9s %-8s wall %6.3f ms  own %6.3f ms  server %6.3f ms  seen %llu  replaced %llu\n",
                each.at_once ? "immediate" : "fifo", each.way == X11Way::kImages ? "images" : "pixmaps",
                Median(each.rounds, &Round::wall_ms), Median(each.rounds, &Round::own_ms), Median(each.rounds, &Round::server_ms),
                static_cast<unsigned long long>(report.seen), static_cast<unsigned long long>(report.replaced));
  }
}
