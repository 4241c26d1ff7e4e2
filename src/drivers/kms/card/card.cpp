#include "drivers/kms/card/card.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fmt/core.h>

#include "drivers/kms/card/card_master.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

// Capabilities of Linux 6.8, which libdrm 2.4.114's headers lack.
constexpr std::uint64_t kClientCapCursorPlaneHotspot = 6;
constexpr std::uint64_t kCapAtomicAsyncPageFlip = 0x15;

std::uint64_t CapOf(int fd, std::uint64_t capability) {
  std::uint64_t value = 0;
  return Drm().GetCap(fd, capability, &value) == 0 ? value : 0;
}

std::string NodeText(const CardIdentity& identity) {
  return identity.path.empty() ? fmt::format("{}:{}", identity.major, identity.minor) : identity.path;
}

std::string SysfsPath(const CardIdentity& identity) { return fmt::format("/sys/dev/char/{}:{}", identity.major, identity.minor); }

std::string LinkName(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::read_symlink(path, ignored).filename().string();
}

}  // namespace

Result<std::unique_ptr<Card>> Card::Open(const std::string& path) {
  auto card = OpenBeside(path);
  if (!card.ok()) return card;
  if (auto master = (*card)->SetMaster(); !master.ok()) return std::move(master).error();
  return card;
}

Result<std::unique_ptr<Card>> Card::OpenBeside(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    const int error = errno;
    if (error == EACCES || error == EPERM) {
      return Fail(ErrorKind::kIo, "{} may not be opened: {}. Members of the group 'video' may, on a free console.", path,
                  ErrnoText(error));
    }
    return Fail(error == ENOENT ? ErrorKind::kNotFound : KindOf(error), "{} cannot be opened: {}.", path, ErrnoText(error));
  }
  return Adopt(std::move(fd), false);
}

Result<std::unique_ptr<Card>> Card::Adopt(UniqueFd fd, bool become_master) {
  if (auto loaded = LoadDrm(); !loaded.ok()) return std::move(loaded).error();
  std::unique_ptr<Card> card(new Card(std::move(fd)));
  if (auto prepared = card->Prepare(); !prepared.ok()) return std::move(prepared).error();
  if (!become_master) return card;
  if (auto master = card->SetMaster(); !master.ok()) return std::move(master).error();
  return card;
}

Result<void> Card::Prepare() {
  ReadIdentity();
  const std::string node = NodeText(identity_);
  if (identity_.driver.empty()) return Fail(ErrorKind::kUnsupported, "{} is no card of the kernel's (DRM).", node);
  if (Drm().SetClientCap(fd(), DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) != 0) {
    return Fail(ErrorKind::kUnsupported, "{} ({}) only renders: it has no displays of its own.", node, identity_.driver);
  }
  if (Drm().SetClientCap(fd(), DRM_CLIENT_CAP_ATOMIC, 1) != 0) {
    return Fail(ErrorKind::kUnsupported, "The driver of {} ({}) has no atomic mode setting, which Tandem shows frames by.", node,
                identity_.driver);
  }
  ReadCaps();
  return {};
}

void Card::ReadIdentity() {
  struct stat status {};
  if (fstat(fd(), &status) != 0 || !S_ISCHR(status.st_mode)) return;
  identity_.major = major(status.st_rdev);
  identity_.minor = minor(status.st_rdev);
  const DrmLibrary& drm = Drm();
  const std::unique_ptr<drmVersion, decltype(drm.FreeVersion)> version(drm.GetVersion(fd()), drm.FreeVersion);
  if (version == nullptr) return;
  identity_.driver.assign(version->name, static_cast<std::size_t>(version->name_len));
  identity_.description.assign(version->desc, static_cast<std::size_t>(version->desc_len));
  const std::string sysfs = SysfsPath(identity_);
  if (const std::string name = LinkName(sysfs); !name.empty()) identity_.path = "/dev/dri/" + name;
  identity_.bus = fmt::format("{}:{}", LinkName(sysfs + "/device/subsystem"), LinkName(sysfs + "/device"));
  drmDevicePtr device = nullptr;
  if (drm.GetDevice2(fd(), DRM_DEVICE_GET_PCI_REVISION, &device) != 0) return;
  if (device->bustype == DRM_BUS_PCI) {
    const drmPciBusInfo& bus = *device->businfo.pci;
    const drmPciDeviceInfo& info = *device->deviceinfo.pci;
    identity_.bus = fmt::format("pci:{:04x}:{:02x}:{:02x}.{}", bus.domain, bus.bus, bus.dev, bus.func);
    identity_.vendor_id = info.vendor_id;
    identity_.device_id = info.device_id;
    identity_.subvendor_id = info.subvendor_id;
    identity_.subdevice_id = info.subdevice_id;
    identity_.revision_id = info.revision_id;
  }
  drm.FreeDevice(&device);
}

void Card::ReadCaps() {
  caps_.writeback = Drm().SetClientCap(fd(), DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1) == 0;
  caps_.cursor_hotspot = Drm().SetClientCap(fd(), kClientCapCursorPlaneHotspot, 1) == 0;
  caps_.dumb_buffers = CapOf(fd(), DRM_CAP_DUMB_BUFFER) != 0;
  const std::uint64_t prime = CapOf(fd(), DRM_CAP_PRIME);
  caps_.prime_import = (prime & DRM_PRIME_CAP_IMPORT) != 0;
  caps_.prime_export = (prime & DRM_PRIME_CAP_EXPORT) != 0;
  caps_.modifiers = CapOf(fd(), DRM_CAP_ADDFB2_MODIFIERS) != 0;
  caps_.async_flip = CapOf(fd(), DRM_CAP_ASYNC_PAGE_FLIP) != 0;
  caps_.atomic_async_flip = CapOf(fd(), kCapAtomicAsyncPageFlip) != 0;
  caps_.monotonic_timestamps = CapOf(fd(), DRM_CAP_TIMESTAMP_MONOTONIC) != 0;
  caps_.crtc_in_event = CapOf(fd(), DRM_CAP_CRTC_IN_VBLANK_EVENT) != 0;
  if (const std::uint64_t width = CapOf(fd(), DRM_CAP_CURSOR_WIDTH); width != 0) {
    caps_.cursor_width = static_cast<std::uint32_t>(width);
  }
  if (const std::uint64_t height = CapOf(fd(), DRM_CAP_CURSOR_HEIGHT); height != 0) {
    caps_.cursor_height = static_cast<std::uint32_t>(height);
  }
}

bool Card::IsPresent() const { return access(SysfsPath(identity_).c_str(), F_OK) == 0; }

bool Card::IsMaster() const { return Drm().IsMaster(fd()) != 0; }

Result<void> Card::SetMaster() const {
  if (Drm().SetMaster(fd()) == 0) return {};
  const int error = errno;
  if (error == ENODEV) return Fail(ErrorKind::kDeviceLost, "{} was removed.", NodeText(identity_));
  const auto master = FindMaster(identity_.minor);
  const std::string holder = master ? fmt::format("{} (process {})", master->command, master->pid) : "Another program";
  return Fail(
      ErrorKind::kIo,
      "{} shows on {} and does not share it ({}). Start Tandem on a free console (Ctrl+Alt+F3), or have the desktop lend a "
      "connector.",
      holder, NodeText(identity_), ErrnoText(error));
}

Result<void> Card::DropMaster() const {
  if (Drm().DropMaster(fd()) == 0) return {};
  return Fail(KindOf(errno), "{} is not let go: {}.", NodeText(identity_), ErrnoText(errno));
}

}  // namespace tandem::kms
