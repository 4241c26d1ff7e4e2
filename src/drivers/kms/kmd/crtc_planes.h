// The planes of one CRTC: a scene becomes properties of an atomic request.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "drivers/kms/card/atomic_request.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/card/resources.h"
#include "drivers/kms/kmd/scene.h"

namespace tandem::kms {

// One thread. The card outlives it; the objects of the resources are its own copies.
class CrtcPlanes {
 public:
  // `planes`: the primary one first, then overlays in the order of their z positions.
  CrtcPlanes(const Card& card, Connector connector, Crtc crtc, std::vector<Plane> planes);

  [[nodiscard]] const Connector& connector() const { return connector_; }
  [[nodiscard]] const Crtc& crtc() const { return crtc_; }
  [[nodiscard]] std::uint32_t plane_count() const { return static_cast<std::uint32_t>(planes_.size()); }
  [[nodiscard]] const Plane& plane(std::uint32_t number) const { return planes_[number]; }
  // After a hot plug: other modes. The next Show() sets one.
  void SetConnector(const Connector& connector) {
    mode_set_ = false;
    connector_ = connector;
  }
  // The next Show() sets the mode whatever the CRTC has.
  void ForgetMode() { mode_set_ = false; }

  [[nodiscard]] bool is_lit() const { return mode_set_; }
  // True if the scene's mode is set and the CRTC is on, so that a commit needs no modeset.
  [[nodiscard]] bool HasMode(const Mode& mode) const { return mode_set_ && shown_mode_ == mode; }
  // Asks the card, and changes nothing.
  [[nodiscard]] CommitResult Test(const Scene& scene);
  // Without a modeset: returns at once, and a FlipEvent with `user_data` follows. With one: the scene is shown when it returns,
  // and no event follows.
  [[nodiscard]] CommitResult Show(const Scene& scene, std::uint64_t user_data);
  // Show() without a modeset, at once and with tearing.
  [[nodiscard]] CommitResult ShowAsync(const Scene& scene, std::uint64_t user_data);
  // The CRTC goes dark.
  [[nodiscard]] CommitResult SwitchOff();
  // Sets what the objects had when the CrtcPlanes were made.
  void Restore();

 private:
  void Write(const Scene& scene, AtomicRequest& request, std::uint32_t mode_blob) const;
  void WritePlane(const Plane& plane, const ScenePlane& shown, AtomicRequest& request) const;
  [[nodiscard]] Result<PropertyBlob> BlobOf(const Mode& mode) const;
  // None for 0, and for a blob that cannot be read.
  [[nodiscard]] PropertyBlob CopyOf(std::uint64_t blob) const;

  const Card& card_;
  Connector connector_;
  const Crtc crtc_;
  const std::vector<Plane> planes_;
  PropertyBlob before_mode_;  // what the CRTC showed before
  PropertyBlob before_hdr_;   // and the connector's metadata with it: none for standard dynamic range
  Mode shown_mode_;
  bool mode_set_ = false;
  AtomicRequest request_;
};

}  // namespace tandem::kms
