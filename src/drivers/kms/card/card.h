// A card of the kernel's mode setting (DRM/KMS), opened for atomic commits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem::kms {

// The card's identity. Empty members: not known.
struct CardIdentity {
  std::string driver;  // of the kernel: "amdgpu", "vkms"
  std::string description;
  std::string path;             // "/dev/dri/card0"
  std::string bus;              // "pci:0000:01:00.0", "platform:vkms"
  std::uint16_t vendor_id = 0;  // of a PCI device
  std::uint16_t device_id = 0;
  std::uint16_t subvendor_id = 0;
  std::uint16_t subdevice_id = 0;
  std::uint8_t revision_id = 0;
  std::uint32_t major = 0;  // of the device node, as uevents name it
  std::uint32_t minor = 0;
};

struct CardCaps {
  bool dumb_buffers = false;
  bool prime_import = false;
  bool prime_export = false;
  bool modifiers = false;             // framebuffers with an explicit modifier
  bool async_flip = false;            // legacy page flips that tear
  bool atomic_async_flip = false;     // CommitFlags::async_flip may work
  bool monotonic_timestamps = false;  // of events; true on all current drivers
  bool crtc_in_event = false;         // FlipEvent::crtc_id is set
  bool writeback = false;             // writeback connectors are listed
  bool cursor_hotspot = false;        // the cursor plane of a virtual machine's card is listed
  std::uint32_t cursor_width = 64;    // pixels; largest cursor
  std::uint32_t cursor_height = 64;
};

// One open file of a card. Thread-safe after creation; every object made from a card is destroyed before it.
class Card {
 public:
  // Opens `path` and becomes the card's master. kNotFound; kUnsupported for a card without KMS (vgem, a render node) or without
  // atomic commits, and without libdrm; kIo when another program is its master (the message names it where the system tells)
  // or the user may not open it.
  [[nodiscard]] static Result<std::unique_ptr<Card>> Open(const std::string& path);
  // Opens the node beside the card's master: for questions and buffers. The first file of a card that has none is its master all
  // the same (IsMaster). Errors: Open's, without those of another master.
  [[nodiscard]] static Result<std::unique_ptr<Card>> OpenBeside(const std::string& path);
  // Takes a descriptor that a lease, a seat or a test opened. As Open; `become_master` is false for a seat's, which is master.
  [[nodiscard]] static Result<std::unique_ptr<Card>> Adopt(UniqueFd fd, bool become_master);
  ~Card() = default;
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const CardIdentity& identity() const { return identity_; }
  [[nodiscard]] const CardCaps& caps() const { return caps_; }
  // False once the kernel has removed the card's device, also while the file is open.
  [[nodiscard]] bool IsPresent() const;

  // Closes the opener with the card: a seat's session, which takes back what it opened.
  void KeepOpener(std::shared_ptr<void> opener) { opener_ = std::move(opener); }

  // True for the card's one master, and for a lease.
  [[nodiscard]] bool IsMaster() const;
  // Become master again, or let go, as a seat's session is switched. kIo while another program is master.
  Result<void> SetMaster() const;
  Result<void> DropMaster() const;

 private:
  explicit Card(UniqueFd fd) : fd_(std::move(fd)) {}
  Result<void> Prepare();
  void ReadIdentity();
  void ReadCaps();

  UniqueFd fd_;
  CardIdentity identity_;
  CardCaps caps_;
  std::shared_ptr<void> opener_;
};

}  // namespace tandem::kms
