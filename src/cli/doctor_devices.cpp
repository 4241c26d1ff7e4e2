// Checks of device nodes, of memory for frames, and of PCI Express links.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/doctor_checks.h"
#include "config/config_io.h"
#include "system/card_adapters.h"
#include "system/machine.h"
#include "system/machine_probes.h"
#include "system/pci_link.h"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

bool IsThere(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// The folder's names that are the prefix and a number, sorted.
std::vector<std::string> NumberedNames(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool numbered = name.size() > prefix.size() && name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (name.starts_with(prefix) && numbered) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::string FirstLine(const std::string& path) {
  const auto text = config::ReadConfigFile(path);
  return text.ok() && *text ? Printable((*text)->substr(0, (*text)->find('\n'))) : std::string();
}

// The error of opening it, without opening it, which would wake a GPU; 0 for none.
int AccessError(const std::string& path) { return access(path.c_str(), R_OK | W_OK) == 0 ? 0 : errno; }

// The state of a node that the kernel has but this user cannot use.
Finding CheckNode(const std::string& root, const std::string& name, FindingState otherwise, const char* group) {
  const std::string node = "/dev/dri/" + name;
  const int error = AccessError(root + node);
  if (error == 0) return {"node." + name, FindingState::kOk, fmt::format("{} may be opened.", node)};
  if (error == ENOENT) {
    return {"node." + name, otherwise, fmt::format("The kernel has {}, and it is not in /dev/dri here.", name),
            "Give the container or sandbox the device /dev/dri, or start udev."};
  }
  return {"node." + name, otherwise, fmt::format("{} may not be opened: {}.", node, std::strerror(error)),
          fmt::format("Add the user to the group '{}' (usermod -aG {} NAME) and log in again.", group, group)};
}

// NVIDIA's driver has nodes of its own, and those of DRM only by its module nvidia-drm.
Findings CheckNvidiaNodes(const std::string& root, bool has_drm) {
  Findings findings;
  for (const std::string& name : NumberedNames(root + "/dev", "nvidia")) {
    const std::string node = "/dev/" + name;
    const int error = AccessError(root + node);
    findings.push_back(error == 0 ? Finding{"node." + name, FindingState::kOk, fmt::format("{} may be opened.", node)}
                                  : Finding{"node." + name, FindingState::kBroken,
                                            fmt::format("{} may not be opened: {}.", node, std::strerror(error)),
                                            "Give the user, or the container, the devices /dev/nvidia*."});
  }
  if (findings.empty() || has_drm) return findings;
  findings.push_back(
      {"node.nvidia-drm", FindingState::kWarning,
       "NVIDIA's GPUs have no node in /dev/dri, so their driver shares no dma-bufs; pages are imported by address.",
       "Load the module: modprobe nvidia-drm modeset=1. A container needs the devices of /dev/dri and /sys."});
  return findings;
}

bool HasSeat(const std::string& root) { return IsThere(root + "/run/seatd.sock") || IsThere(root + "/run/systemd/seats/seat0"); }

}  // namespace

Findings CheckNodes(const Patient& patient, std::vector<SeenDriver>& seen) {
  Findings findings;
  const std::string kernel = FirstLine(patient.root + "/proc/sys/kernel/osrelease");
  for (const std::string& name : NumberedNames(patient.root + "/sys/class/drm", "renderD"))
    findings.push_back(CheckNode(patient.root, name, FindingState::kBroken, "render"));
  std::ranges::move(CheckNvidiaNodes(patient.root, !findings.empty()), std::back_inserter(findings));
  if (findings.empty()) {
    findings.push_back({"node.render", FindingState::kWarning, "The kernel has no GPU that renders; software drivers are left.",
                        "Load the GPU's kernel driver. A container needs the devices of /dev/dri and /sys."});
  }
  for (const auto& [name, driver] : system::CardDrivers(patient.root)) {
    if (!driver.empty()) seen.push_back({true, driver, kernel});
    // Cards are for --display kms alone, and a seat opens them, too.
    Finding node = CheckNode(patient.root, name, FindingState::kWarning, "video");
    if (node.state != FindingState::kOk && HasSeat(patient.root)) {
      node = {node.id, FindingState::kOk, fmt::format("/dev/dri/{} is opened by the seat.", name)};
    }
    findings.push_back(std::move(node));
  }
  return findings;
}

// --display kms alone needs it.
Findings CheckSeat(const Patient& patient) {
  if (system::CardDrivers(patient.root).empty()) return {};
  if (!HasSeat(patient.root)) {
    return {{"seat", FindingState::kWarning, "Neither seatd nor logind has a seat, so '--display kms' needs root.",
             "Start seatd (Debian's package is seatd), or log in on a console of logind."}};
  }
  const system::ProbeAnswer library = system::ProbeLibrary("libseat.so.1");
  if (library.works) return {{"seat", FindingState::kOk, "A seat and libseat.so.1 are there for '--display kms'."}};
  return {{"seat", FindingState::kWarning, "'--display kms' cannot use the seat: libseat.so.1 does not work. " + library.sentence,
           "Install it: Debian's package is libseat1."}};
}

Findings CheckMemory(const Patient& patient) {
  Findings findings;
  const int error = AccessError(patient.root + "/dev/udmabuf");
  if (error == 0) {
    const std::string limit = FirstLine(patient.root + "/sys/module/udmabuf/parameters/size_limit_mb");
    findings.push_back({"udmabuf", FindingState::kOk,
                        fmt::format("/dev/udmabuf makes dma-bufs of shared pages{}.",
                                    limit.empty() ? "" : fmt::format(", of {} MiB at most", limit))});
  } else if (error == ENOENT) {
    findings.push_back({"udmabuf", FindingState::kWarning,
                        "The kernel has no /dev/udmabuf: drivers that import dma-bufs alone cannot share pages.",
                        "Load the module: modprobe udmabuf; for each start, a line in /etc/modules-load.d."});
  } else {
    findings.push_back({"udmabuf", FindingState::kWarning,
                        fmt::format("/dev/udmabuf may not be opened: {}. Drivers that import dma-bufs alone cannot share pages.",
                                    std::strerror(error)),
                        "Add the user to the device's group, 'kvm' on Debian, and log in again."});
  }
  rlimit memory{};
  constexpr rlim_t kKernelDefault = 8ULL << 20;  // since Linux 5.16
  if (getrlimit(RLIMIT_MEMLOCK, &memory) != 0 || memory.rlim_cur >= kKernelDefault) {
    findings.push_back({"memlock", FindingState::kOk,
                        memory.rlim_cur == RLIM_INFINITY
                            ? "Locked memory has no limit."
                            : fmt::format("Up to {} MiB of memory may be locked.", memory.rlim_cur >> 20)});
  } else {
    findings.push_back(
        {"memlock", FindingState::kWarning,
         fmt::format("Only {} KiB of memory may be locked; the kernel's default is 8192. A driver that pins imported pages may "
                     "refuse frames.",
                     memory.rlim_cur >> 10),
         "Raise memlock in /etc/security/limits.conf, or LimitMEMLOCK= of the service."});
  }
  return findings;
}

Findings CheckPciLinks(const Patient& patient) {
  Findings findings;
  for (const system::Machine::Display& display : system::FindDisplays(patient.root)) {
    const auto links = system::ReadPciLinks(patient.root, display.address);
    if (!links) continue;
    const auto& [now, most] = *links;
    const std::string id = "link." + display.address;
    const std::string text =
        fmt::format("The link of {} has {} of {} lanes, at {} of {} GT/s: {:.1f} GB/s", display.address, now.lanes, most.lanes,
                    now.gigatransfers_per_second, most.gigatransfers_per_second, now.BytesPerSecond() / 1e9);
    if (now.lanes < most.lanes) {
      findings.push_back({id, FindingState::kWarning, text + ".",
                          "Try another slot or cable. A laptop or eGPU may have no more lanes; 'auto' encodes frames then."});
    } else {
      // Links of GPUs that rest are slow, and become faster with work.
      const bool slow = now.gigatransfers_per_second < most.gigatransfers_per_second;
      findings.push_back({id, FindingState::kOk, text + (slow ? "; a link that rests is slower." : ".")});
    }
  }
  return findings;
}

}  // namespace tandem::cli
