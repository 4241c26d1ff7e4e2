#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <drm.h>
#include <drm_mode.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <gtest/gtest.h>

#include "base/memory_map.h"
#include "color/format.h"
#include "outputs/testing/x_server.h"
#include "outputs/x11/x11_output.h"

namespace tandem::outputs {
namespace {

constexpr std::uint32_t kWidth = 320, kHeight = 100;
constexpr int kWaitMs = 60'000;

// The node of the card with this kernel driver.
std::optional<std::string> CardOf(const std::string& driver) {
  std::error_code error;
  for (int number = 0; number < 8; ++number) {
    const std::string card = "card" + std::to_string(number);
    const auto link = std::filesystem::read_symlink("/sys/class/drm/" + card + "/device/driver", error);
    if (!error && link.filename() == driver) return "/dev/dri/" + card;
  }
  return std::nullopt;
}

// A card's buffer in the form that its kernel driver can map, as a dma-buf.
class DumbBuffer {
 public:
  DumbBuffer(const std::string& card, int seed) : card_(open(card.c_str(), O_RDWR | O_CLOEXEC)) {
    drm_mode_create_dumb create{};
    create.width = kWidth;
    create.height = kHeight;
    create.bpp = 32;
    if (ioctl(card_.get(), DRM_IOCTL_MODE_CREATE_DUMB, &create) != 0) return;
    drm_mode_map_dumb map{};
    map.handle = create.handle;
    if (ioctl(card_.get(), DRM_IOCTL_MODE_MAP_DUMB, &map) != 0) return;
    void* pixels = mmap(nullptr, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, card_.get(), static_cast<off_t>(map.offset));
    drm_prime_handle prime{};
    prime.handle = create.handle;
    prime.flags = DRM_CLOEXEC | DRM_RDWR;
    if (pixels == MAP_FAILED || ioctl(card_.get(), DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) != 0) return;
    dma_buf_ = UniqueFd(prime.fd);
    size_ = create.size;
    surface.id = static_cast<std::uint64_t>(seed);
    surface.width = kWidth;
    surface.height = kHeight;
    surface.pitch = create.pitch;
    surface.format = color::Format::kB8G8R8X8Unorm;
    surface.pixels = static_cast<std::byte*>(pixels);
    surface.backing_fd = dma_buf_.get();
    surface.backing_size = size_;
    surface.backing_is_dma_buf = true;
    for (std::size_t i = 0; i < create.size; ++i) {
      static_cast<std::byte*>(pixels)[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed));
    }
  }
  ~DumbBuffer() {
    if (size_ > 0) munmap(const_cast<std::byte*>(surface.pixels), size_);
  }
  DumbBuffer(const DumbBuffer&) = delete;
  DumbBuffer& operator=(const DumbBuffer&) = delete;

  Surface surface;

 private:
  UniqueFd card_;
  UniqueFd dma_buf_;
  std::size_t size_ = 0;
};

// Xorg on a card of a virtual machine (scripts/vm.sh --devices virtio-gpu,bochs).
class X11Dri3Test : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto card = CardOf("virtio-pci"), other = CardOf("bochs-drm");
    if (!card || !other || geteuid() != 0) GTEST_SKIP() << "The tests need root, and the cards virtio-gpu and bochs.";
    card_ = *card;
    server_ = testing::XServer::StartXorg(*card, *other);
    if (!server_) GTEST_SKIP() << "Xorg is not installed, or does not start.";
    x_ = xcb_connect(server_->display().c_str(), nullptr);
    ASSERT_EQ(xcb_connection_has_error(x_), 0);
    const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(x_)).data;
    window_ = xcb_generate_id(x_);
    const std::uint32_t override_redirect = 1;
    xcb_create_window(x_, XCB_COPY_FROM_PARENT, window_, screen->root, 0, 0, kWidth, kHeight, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      screen->root_visual, XCB_CW_OVERRIDE_REDIRECT, &override_redirect);
    xcb_map_window(x_, window_);
    std::free(xcb_get_input_focus_reply(x_, xcb_get_input_focus(x_), nullptr));
    auto output = CreateX11Output({server_->display(), window_});
    ASSERT_TRUE(output.ok()) << output.error().message;
    output_ = *std::move(output);
  }
  void TearDown() override {
    output_.reset();
    if (x_ != nullptr) xcb_disconnect(x_);
  }

  // B, G, R of each pixel of the window.
  [[nodiscard]] std::vector<int> WindowColors() {
    auto* image =
        xcb_get_image_reply(x_, xcb_get_image(x_, XCB_IMAGE_FORMAT_Z_PIXMAP, window_, 0, 0, kWidth, kHeight, ~0U), nullptr);
    std::vector<int> colors;
    for (int i = 0; image != nullptr && i < xcb_get_image_data_length(image); ++i) {
      if (i % 4 != 3) colors.push_back(xcb_get_image_data(image)[i]);
    }
    std::free(image);
    return colors;
  }
  [[nodiscard]] static std::vector<int> ColorsOf(const Surface& surface) {
    std::vector<int> colors;
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t i = 0; i < kWidth * 4; ++i) {
        if (i % 4 != 3) colors.push_back(std::to_integer<int>(surface.pixels[y * surface.pitch + i]));
      }
    }
    return colors;
  }
  void AwaitFrames() {
    for (int i = 0; i < kWaitMs && output_->report().pending != 0; ++i) usleep(1000);
    EXPECT_EQ(output_->report().pending, 0u);
  }

  std::string card_;
  std::unique_ptr<testing::XServer> server_;
  xcb_connection_t* x_ = nullptr;
  xcb_window_t window_ = 0;
  std::unique_ptr<Output> output_;
};

TEST_F(X11Dri3Test, CardsOwnBuffers_AreShownWhereTheyAre) {
  const DumbBuffer first(card_, 3), second(card_, 90);
  ASSERT_GE(first.surface.backing_fd, 0);
  ASSERT_GE(second.surface.backing_fd, 0);
  for (int i = 0; i < 6; ++i) {
    const Surface& surface = (i % 2 == 0 ? first : second).surface;
    ASSERT_TRUE(output_->Show(surface).ok());
    EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
    AwaitFrames();
    EXPECT_EQ(WindowColors(), ColorsOf(surface));
  }
  EXPECT_EQ(output_->report().seen, 6u);
  // The server reads the buffer itself: what is drawn into it is on the window.
  std::byte* pixels = const_cast<std::byte*>(second.surface.pixels);
  for (std::size_t i = 0; i < 4 * kWidth; ++i) pixels[i] ^= std::byte{0xFF};
  ASSERT_TRUE(output_->Show(second.surface).ok());
  AwaitFrames();
  EXPECT_EQ(WindowColors(), ColorsOf(second.surface));
}

TEST_F(X11Dri3Test, PagesThatTheServerRefuses_TakeAnotherWayAndItIsSaid) {
  EXPECT_NE(output_->info().name.find("no DRI3: "), std::string::npos) << output_->info().name;
  const std::size_t bytes = std::size_t{kWidth} * 4 * kHeight;
  const UniqueFd fd = *CreateSharedPages("x11-dri3-test", bytes);
  const MemoryMap pages = *MemoryMap::MapShared(fd, 0, *RoundUpToPages(bytes), MapAccess::kReadWrite);
  for (std::size_t i = 0; i < bytes; ++i) pages.data()[i] = static_cast<std::byte>(i * 11 + 5);
  Surface surface;
  surface.id = 7;
  surface.width = kWidth;
  surface.height = kHeight;
  surface.pitch = kWidth * 4;
  surface.format = color::Format::kB8G8R8A8Unorm;
  surface.pixels = pages.data();
  surface.backing_fd = fd.get();
  surface.backing_size = pages.size_bytes();
  ASSERT_TRUE(output_->Show(surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  AwaitFrames();
  EXPECT_EQ(WindowColors(), ColorsOf(surface));
  // A dma-buf that is none is refused, and its pixels are copied.
  surface.id = 8;
  surface.backing_is_dma_buf = true;
  pages.data()[0] ^= std::byte{0xFF};
  ASSERT_TRUE(output_->Show(surface).ok());
  AwaitFrames();
  EXPECT_EQ(WindowColors(), ColorsOf(surface));
}

}  // namespace
}  // namespace tandem::outputs
