// A program's Wayland surface on a test's compositor, and an output over it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/memory_map.h"
#include "base/sleep.h"
#include "color/format.h"
#include "outputs/output.h"
#include "outputs/testing/wayland_compositor.h"
#include "outputs/wayland/client.h"
#include "outputs/wayland/wayland_output.h"

#include <protocols/viewporter-client.h>

namespace tandem::outputs::testing {

inline constexpr std::uint32_t kWidth = 33, kHeight = 21, kPitch = 256;

inline bool HasUdmabuf() { return access("/dev/udmabuf", R_OK | W_OK) == 0; }

// A surface's pages, whose every byte follows from `seed`.
struct Picture {
  Picture(std::uint64_t id, int seed, color::Format format = color::Format::kB8G8R8A8Unorm) {
    constexpr std::size_t kBytes = std::size_t{kPitch} * kHeight;
    fd = *CreateSharedPages("wayland-output-test", kBytes);
    pages = *MemoryMap::MapShared(fd, 0, *RoundUpToPages(kBytes), MapAccess::kReadWrite);
    for (std::size_t i = 0; i < kBytes; ++i) pages.data()[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed));
    surface.id = id;
    surface.width = kWidth;
    surface.height = kHeight;
    surface.pitch = kPitch;
    surface.format = format;
    surface.pixels = pages.data();
    surface.backing_fd = fd.get();
    surface.backing_size = pages.size_bytes();
  }
  // Bytes that a compositor without stride has.
  [[nodiscard]] std::vector<std::byte> Packed() const {
    std::vector<std::byte> packed;
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      packed.insert(packed.end(), pages.data() + y * kPitch, pages.data() + y * kPitch + kWidth * 4);
    }
    return packed;
  }

  UniqueFd fd;
  MemoryMap pages;
  Surface surface;
};

class WaylandWindow : public ::testing::Test {
 protected:
  void Begin(const CompositorManners& manners) {
    Connect(manners);
    auto output = CreateWaylandOutput({display_, surface_});
    ASSERT_TRUE(output.ok()) << output.error().message;
    output_ = *std::move(output);
  }
  // The program's surface, without an output.
  void Connect(const CompositorManners& manners) {
    manners_ = manners;
    compositor_ = WaylandCompositor::Start(manners);
    ASSERT_TRUE(compositor_);
    display_ =
        manners.socket.empty() ? wl_display_connect_to_fd(compositor_->Connect()) : wl_display_connect(manners.socket.c_str());
    ASSERT_NE(display_, nullptr);
    ASSERT_TRUE(LoadWaylandClient().ok());
    static const wl_registry_listener kListener{
        [](void* data, wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t) {
          auto* window = static_cast<WaylandWindow*>(data);
          const auto bind = [&](const wl_interface& type, std::uint32_t version) {
            return wl_registry_bind(registry, name, &type, version);
          };
          const std::string kind = interface;
          if (kind == "wl_compositor") window->maker_ = static_cast<wl_compositor*>(bind(wl_compositor_interface, 4));
          if (kind == "wp_viewporter") window->viewporter_ = static_cast<wp_viewporter*>(bind(wp_viewporter_interface, 1));
        },
        [](void*, wl_registry*, std::uint32_t) {},
    };
    wl_registry* registry = wl_display_get_registry(display_);
    wl_registry_add_listener(registry, &kListener, this);
    wl_display_roundtrip(display_);
    ASSERT_NE(maker_, nullptr);
    surface_ = wl_compositor_create_surface(maker_);
    wl_registry_destroy(registry);
  }
  // May be called before the end, to begin anew.
  void TearDown() override {
    output_.reset();
    if (display_ == nullptr) return;
    if (surface_ != nullptr) wl_surface_destroy(std::exchange(surface_, nullptr));
    if (viewporter_ != nullptr) wp_viewporter_destroy(std::exchange(viewporter_, nullptr));
    if (maker_ != nullptr) wl_compositor_destroy(std::exchange(maker_, nullptr));
    wl_display_disconnect(std::exchange(display_, nullptr));
  }
  // The compositor's answer for the frame, for which it has 20 s.
  Seen AwaitSeen(std::int64_t shown_ns) {
    for (int i = 0; i < 20'000 && output_->SeenAt(shown_ns).fate == Fate::kPending; ++i) SleepFor(MonotonicClock(), 1'000'000);
    return output_->SeenAt(shown_ns);
  }
  void AwaitBeat() {
    for (int i = 0; i < 20'000 && output_->last_beat().awaited; ++i) SleepFor(MonotonicClock(), 1'000'000);
    EXPECT_FALSE(output_->last_beat().awaited);
  }

  // Nothing when Show succeeds for 20 s.
  std::optional<ErrorKind> ShowUntilItFails(const Picture& picture) {
    for (int i = 0; i < 20'000; ++i, SleepFor(MonotonicClock(), 1'000'000)) {
      if (const auto shown = output_->Show(picture.surface); !shown.ok()) return shown.error().kind;
    }
    return std::nullopt;
  }

  CompositorManners manners_;
  std::unique_ptr<WaylandCompositor> compositor_;
  wl_display* display_ = nullptr;
  wl_compositor* maker_ = nullptr;
  wp_viewporter* viewporter_ = nullptr;
  wl_surface* surface_ = nullptr;
  std::unique_ptr<Output> output_;
};

}  // namespace tandem::outputs::testing
