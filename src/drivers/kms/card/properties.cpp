#include "drivers/kms/card/properties.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include "drivers/kms/card/card.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr std::array<std::string_view, kPropertyCount> kNames = {
    "ACTIVE",
    "alpha",
    "COLOR_ENCODING",
    "COLOR_RANGE",
    "Colorspace",
    "content type",
    "CRTC_H",
    "CRTC_ID",
    "CRTC_W",
    "CRTC_X",
    "CRTC_Y",
    "CTM",
    "DEGAMMA_LUT",
    "DPMS",
    "EDID",
    "FB_DAMAGE_CLIPS",
    "FB_ID",
    "GAMMA_LUT",
    "GAMMA_LUT_SIZE",
    "HDR_OUTPUT_METADATA",
    "HOTSPOT_X",
    "HOTSPOT_Y",
    "IN_FENCE_FD",
    "IN_FORMATS",
    "link-status",
    "max bpc",
    "MODE_ID",
    "non-desktop",
    "OUT_FENCE_PTR",
    "pixel blend mode",
    "rotation",
    "SCALING_FILTER",
    "SRC_H",
    "SRC_W",
    "SRC_X",
    "SRC_Y",
    "type",
    "vrr_capable",
    "VRR_ENABLED",
    "WRITEBACK_FB_ID",
    "WRITEBACK_OUT_FENCE_PTR",
    "WRITEBACK_PIXEL_FORMATS",
    "zpos",
};

std::string NameOf(const drmModePropertyRes& info) { return {info.name, strnlen(info.name, sizeof(info.name))}; }

PropertyInfo ToInfo(const drmModePropertyRes& info, std::uint64_t value) {
  PropertyInfo made;
  made.id = info.prop_id;
  made.immutable = (info.flags & DRM_MODE_PROP_IMMUTABLE) != 0;
  made.bitmask = drm_property_type_is(const_cast<drmModePropertyRes*>(&info), DRM_MODE_PROP_BITMASK) != 0;
  made.value = value;
  const bool range =
      (info.flags & DRM_MODE_PROP_RANGE) != 0 || (info.flags & DRM_MODE_PROP_EXTENDED_TYPE) == DRM_MODE_PROP_SIGNED_RANGE;
  if (range && info.count_values >= 2) {
    made.min = info.values[0];
    made.max = info.values[1];
  }
  for (int i = 0; i < info.count_enums; ++i) {
    const drm_mode_property_enum& entry = info.enums[i];
    made.entries.emplace_back(std::string(entry.name, strnlen(entry.name, sizeof(entry.name))), entry.value);
  }
  return made;
}

}  // namespace

std::string_view NameOf(Property property) { return kNames[static_cast<std::size_t>(property)]; }

std::optional<std::uint64_t> PropertyInfo::ValueOf(std::string_view name) const {
  const auto found = std::ranges::find(entries, name, &std::pair<std::string, std::uint64_t>::first);
  if (found == entries.end() || (bitmask && found->second > 63)) return std::nullopt;
  return bitmask ? std::uint64_t{1} << found->second : found->second;
}

Result<Properties> ReadProperties(const Card& card, std::uint32_t object_id, std::uint32_t object_type) {
  const DrmLibrary& drm = Drm();
  const std::unique_ptr<drmModeObjectProperties, decltype(drm.ModeFreeObjectProperties)> listed(
      drm.ModeObjectGetProperties(card.fd(), object_id, object_type), drm.ModeFreeObjectProperties);
  if (listed == nullptr) {
    return Fail(KindOf(errno), "The properties of the card's object {} cannot be read: {}.", object_id, ErrnoText(errno));
  }
  Properties properties;
  for (std::uint32_t i = 0; i < listed->count_props; ++i) {
    const std::unique_ptr<drmModePropertyRes, decltype(drm.ModeFreeProperty)> info(
        drm.ModeGetProperty(card.fd(), listed->props[i]), drm.ModeFreeProperty);
    if (info == nullptr) continue;
    const auto name = std::ranges::find(kNames, NameOf(*info));
    if (name == kNames.end()) continue;
    properties.Set(static_cast<Property>(name - kNames.begin()), ToInfo(*info, listed->prop_values[i]));
  }
  return properties;
}

std::vector<std::byte> ReadBlob(const Card& card, std::uint32_t blob_id) {
  const DrmLibrary& drm = Drm();
  if (blob_id == 0) return {};
  const std::unique_ptr<drmModePropertyBlobRes, decltype(drm.ModeFreePropertyBlob)> blob(
      drm.ModeGetPropertyBlob(card.fd(), blob_id), drm.ModeFreePropertyBlob);
  if (blob == nullptr) return {};
  const auto* bytes = static_cast<const std::byte*>(blob->data);
  return {bytes, bytes + blob->length};
}

PropertyBlob& PropertyBlob::operator=(PropertyBlob&& other) noexcept {
  if (this != &other) {
    Reset();
    card_ = other.card_;
    id_ = std::exchange(other.id_, 0);
  }
  return *this;
}

Result<PropertyBlob> PropertyBlob::Create(const Card& card, std::span<const std::byte> bytes) {
  std::uint32_t id = 0;
  const int status = Drm().ModeCreatePropertyBlob(card.fd(), bytes.data(), bytes.size(), &id);
  if (status == 0) return PropertyBlob(card, id);
  return Fail(KindOf(-status), "The card takes no property of {} bytes: {}.", bytes.size(), ErrnoText(-status));
}

void PropertyBlob::Reset() {
  if (id_ != 0) static_cast<void>(Drm().ModeDestroyPropertyBlob(card_->fd(), std::exchange(id_, 0)));
}

}  // namespace tandem::kms
