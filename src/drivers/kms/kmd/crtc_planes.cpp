#include "drivers/kms/kmd/crtc_planes.h"

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "color/blit.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/hdr_output.h"

namespace tandem::kms {
namespace {

constexpr std::uint64_t kFixedOne = 1U << 16;  // of SRC_*, 16.16

std::string_view RotationName(color::Rotation rotation) {
  switch (rotation) {
    case color::Rotation::kIdentity: return "rotate-0";
    case color::Rotation::k90: return "rotate-90";
    case color::Rotation::k180: return "rotate-180";
    case color::Rotation::k270: return "rotate-270";
  }
  return "rotate-0";
}

// The properties of a plane that a scene changes.
constexpr Property kPlaneState[] = {Property::kFbId,  Property::kCrtcId, Property::kSrcX,     Property::kSrcY,
                                    Property::kSrcW,  Property::kSrcH,   Property::kCrtcX,    Property::kCrtcY,
                                    Property::kCrtcW, Property::kCrtcH,  Property::kRotation, Property::kPixelBlendMode};

CommitResult ModeNotTaken(const Error& error) {
  if (error.kind == ErrorKind::kDeviceLost) return {CommitOutcome::kGone, ENODEV};
  return {CommitOutcome::kNoMemory, ENOMEM};
}

}  // namespace

CrtcPlanes::CrtcPlanes(const Card& card, Connector connector, Crtc crtc, std::vector<Plane> planes)
    : card_(card), connector_(std::move(connector)), crtc_(std::move(crtc)), planes_(std::move(planes)) {
  // The kernel drops a blob with the next one, so copies are kept.
  before_mode_ = CopyOf(crtc_.properties[Property::kModeId].value);
  before_hdr_ = CopyOf(connector_.properties[Property::kHdrOutputMetadata].value);
}

PropertyBlob CrtcPlanes::CopyOf(std::uint64_t blob) const {
  const auto bytes = ReadBlob(card_, static_cast<std::uint32_t>(blob));
  auto copy = bytes.empty() ? Result<PropertyBlob>(PropertyBlob()) : PropertyBlob::Create(card_, bytes);
  return copy.ok() ? *std::move(copy) : PropertyBlob();
}

Result<PropertyBlob> CrtcPlanes::BlobOf(const Mode& mode) const {
  const drmModeModeInfo info = ToKernel(mode);
  return PropertyBlob::Create(card_, std::as_bytes(std::span(&info, 1)));
}

void CrtcPlanes::WritePlane(const Plane& plane, const ScenePlane& shown, AtomicRequest& request) const {
  const Properties& has = plane.properties;
  const auto set = [&](Property property, std::uint64_t value) { request.Set(plane.id, has.IdOf(property), value); };
  set(Property::kFbId, shown.framebuffer);
  set(Property::kCrtcId, crtc_.id);
  set(Property::kSrcX, shown.source.left * kFixedOne);
  set(Property::kSrcY, shown.source.top * kFixedOne);
  set(Property::kSrcW, shown.source.width() * kFixedOne);
  set(Property::kSrcH, shown.source.height() * kFixedOne);
  set(Property::kCrtcX, shown.destination.left);
  set(Property::kCrtcY, shown.destination.top);
  set(Property::kCrtcW, shown.destination.width());
  set(Property::kCrtcH, shown.destination.height());
  if (const auto value = has[Property::kRotation].ValueOf(RotationName(shown.rotation))) set(Property::kRotation, *value);
  const auto blend = has[Property::kPixelBlendMode].ValueOf(shown.blends ? "Pre-multiplied" : "None");
  if (blend) set(Property::kPixelBlendMode, *blend);
}

void CrtcPlanes::Write(const Scene& scene, AtomicRequest& request, std::uint32_t mode_blob) const {
  if (mode_blob != 0) {
    request.Set(connector_.id, connector_.properties.IdOf(Property::kCrtcId), crtc_.id);
    request.Set(crtc_.id, crtc_.properties.IdOf(Property::kModeId), mode_blob);
    request.Set(crtc_.id, crtc_.properties.IdOf(Property::kActive), 1);
    SetVariableRefresh(request, crtc_, AbilitiesOf(connector_).vrr_capable);
    // The frames have standard dynamic range, and a desktop may have left another one.
    if (before_hdr_.id() != 0) SetColor(request, connector_, {});
  }
  for (std::uint32_t i = 0; i < planes_.size(); ++i) {
    if (i < scene.count) {
      WritePlane(planes_[i], scene.planes[i], request);
    } else {
      request.Set(planes_[i].id, planes_[i].properties.IdOf(Property::kFbId), 0);
      request.Set(planes_[i].id, planes_[i].properties.IdOf(Property::kCrtcId), 0);
    }
  }
}

CommitResult CrtcPlanes::Test(const Scene& scene) {
  request_.Clear();
  PropertyBlob blob;
  if (!HasMode(*scene.mode)) {
    auto made = BlobOf(*scene.mode);
    if (!made.ok()) return ModeNotTaken(made.error());
    blob = *std::move(made);
  }
  Write(scene, request_, blob.id());
  return request_.Commit(card_, {.test_only = true, .allow_modeset = blob.id() != 0}, 0);
}

CommitResult CrtcPlanes::Show(const Scene& scene, std::uint64_t user_data) {
  request_.Clear();
  if (HasMode(*scene.mode)) {
    Write(scene, request_, 0);
    return request_.Commit(card_, {.nonblocking = true, .event = true}, user_data);
  }
  auto blob = BlobOf(*scene.mode);
  if (!blob.ok()) return ModeNotTaken(blob.error());
  Write(scene, request_, blob->id());
  const CommitResult result = request_.Commit(card_, {.allow_modeset = true}, user_data);
  if (!result.done()) return result;
  shown_mode_ = *scene.mode;
  mode_set_ = true;
  return result;
}

CommitResult CrtcPlanes::ShowAsync(const Scene& scene, std::uint64_t user_data) {
  request_.Clear();
  request_.Set(planes_[0].id, planes_[0].properties.IdOf(Property::kFbId), scene.planes[0].framebuffer);
  return request_.Commit(card_, {.nonblocking = true, .event = true, .async_flip = true}, user_data);
}

CommitResult CrtcPlanes::SwitchOff() {
  request_.Clear();
  for (const Plane& plane : planes_) {
    request_.Set(plane.id, plane.properties.IdOf(Property::kFbId), 0);
    request_.Set(plane.id, plane.properties.IdOf(Property::kCrtcId), 0);
  }
  request_.Set(connector_.id, connector_.properties.IdOf(Property::kCrtcId), 0);
  request_.Set(crtc_.id, crtc_.properties.IdOf(Property::kModeId), 0);
  request_.Set(crtc_.id, crtc_.properties.IdOf(Property::kActive), 0);
  const CommitResult result = request_.Commit(card_, {.allow_modeset = true}, 0);
  if (result.done()) mode_set_ = false;
  return result;
}

void CrtcPlanes::Restore() {
  if (before_mode_.id() != 0) {
    request_.Clear();
    for (const Plane& plane : planes_) {
      for (const Property property : kPlaneState) {
        const PropertyInfo& info = plane.properties[property];
        if (!info.immutable) request_.Set(plane.id, info.id, info.value);
      }
    }
    request_.Set(connector_.id, connector_.properties.IdOf(Property::kCrtcId), connector_.properties[Property::kCrtcId].value);
    request_.Set(crtc_.id, crtc_.properties.IdOf(Property::kModeId), before_mode_.id());
    for (const Property property : {Property::kActive, Property::kVrrEnabled}) {
      request_.Set(crtc_.id, crtc_.properties.IdOf(property), crtc_.properties[property].value);
    }
    if (before_hdr_.id() != 0) {
      request_.Set(connector_.id, connector_.properties.IdOf(Property::kHdrOutputMetadata), before_hdr_.id());
      for (const Property property : {Property::kColorspace, Property::kContentType}) {
        request_.Set(connector_.id, connector_.properties.IdOf(property), connector_.properties[property].value);
      }
    }
    const CommitResult result = request_.Commit(card_, {.allow_modeset = true}, 0);
    if (result.done() || result.outcome == CommitOutcome::kGone) return;
    Log(LogLevel::kInfo, "{}", ToError(result, "Setting the console's picture again").message);
  }
  // A dark CRTC is the kernel's to light again: its console does when the card's file is closed.
  if (mode_set_) static_cast<void>(SwitchOff());
}

}  // namespace tandem::kms
