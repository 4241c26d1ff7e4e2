#include "drivers/vulkan/testing/vgem_fence.h"

#include <array>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <libdrm/drm.h>
#include <sys/ioctl.h>

#include "base/sync_file.h"

namespace tandem::vulkan::testing {
namespace {

// vgem_drm.h of the kernel, which no package here has.
struct FenceAttach {
  std::uint32_t handle;
  std::uint32_t flags;
  std::uint32_t out_fence;
  std::uint32_t pad;
};
struct FenceSignal {
  std::uint32_t fence;
  std::uint32_t flags;
};
constexpr std::uint32_t kFenceWrite = 1;
const auto kAttach = DRM_IOWR(DRM_COMMAND_BASE + 1, FenceAttach);
const auto kSignal = DRM_IOW(DRM_COMMAND_BASE + 2, FenceSignal);

bool IsVgem(const UniqueFd& card) {
  std::array<char, 16> name{};
  drm_version version{};
  version.name = name.data();
  version.name_len = name.size() - 1;
  return ioctl(card.get(), DRM_IOCTL_VERSION, &version) == 0 && std::strcmp(name.data(), "vgem") == 0;
}

}  // namespace

std::unique_ptr<VgemFence> VgemFence::Create(std::string& why_not) {
  auto self = std::make_unique<VgemFence>();
  for (int number = 0; number < 16 && !self->card_.valid(); ++number) {
    UniqueFd card(open(("/dev/dri/card" + std::to_string(number)).c_str(), O_RDWR | O_CLOEXEC));
    if (card.valid() && IsVgem(card)) self->card_ = std::move(card);
  }
  if (!self->card_.valid()) {
    why_not = "There is no vgem device; 'scripts/vm.sh --devices vgem' has one.";
    return nullptr;
  }
  why_not = "vgem makes no fence.";
  drm_mode_create_dumb dumb{};
  dumb.width = dumb.height = 16;
  dumb.bpp = 32;
  if (ioctl(self->card_.get(), DRM_IOCTL_MODE_CREATE_DUMB, &dumb) != 0) return nullptr;
  drm_prime_handle prime{dumb.handle, DRM_CLOEXEC | DRM_RDWR, -1};
  if (ioctl(self->card_.get(), DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) != 0) return nullptr;
  self->dma_buf_ = UniqueFd(prime.fd);
  FenceAttach attach{};
  attach.handle = dumb.handle;
  attach.flags = kFenceWrite;
  if (ioctl(self->card_.get(), kAttach, &attach) != 0) return nullptr;
  self->fence_ = attach.out_fence;
  auto sync_file = ExportSyncFile(self->dma_buf_.get());
  if (!sync_file.ok()) return nullptr;
  self->sync_file_ = *std::move(sync_file);
  return self;
}

void VgemFence::Signal() {
  const FenceSignal signal{fence_, 0};
  ioctl(card_.get(), kSignal, &signal);
}

}  // namespace tandem::vulkan::testing
