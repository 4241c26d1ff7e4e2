// Properties of connectors, CRTCs and planes, found by name once and set by id afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tandem::kms {

class Card;

// The properties that Tandem knows; the comment is the kernel's name. One list for all three kinds of objects.
enum class Property : std::uint8_t {
  kActive,             // "ACTIVE"
  kAlpha,              // "alpha", 0 to 65535
  kColorEncoding,      // "COLOR_ENCODING"
  kColorRange,         // "COLOR_RANGE"
  kColorspace,         // "Colorspace"
  kContentType,        // "content type"
  kCrtcH,              // "CRTC_H", pixels of the mode
  kCrtcId,             // "CRTC_ID"
  kCrtcW,              // "CRTC_W"
  kCrtcX,              // "CRTC_X", signed
  kCrtcY,              // "CRTC_Y", signed
  kCtm,                // "CTM"
  kDegammaLut,         // "DEGAMMA_LUT"
  kDpms,               // "DPMS"
  kEdid,               // "EDID"
  kFbDamageClips,      // "FB_DAMAGE_CLIPS"
  kFbId,               // "FB_ID"
  kGammaLut,           // "GAMMA_LUT"
  kGammaLutSize,       // "GAMMA_LUT_SIZE"
  kHdrOutputMetadata,  // "HDR_OUTPUT_METADATA"
  kHotspotX,           // "HOTSPOT_X"
  kHotspotY,           // "HOTSPOT_Y"
  kInFenceFd,          // "IN_FENCE_FD"
  kInFormats,          // "IN_FORMATS"
  kLinkStatus,         // "link-status"
  kMaxBpc,             // "max bpc"
  kModeId,             // "MODE_ID"
  kNonDesktop,         // "non-desktop"
  kOutFencePtr,        // "OUT_FENCE_PTR"
  kPixelBlendMode,     // "pixel blend mode"
  kRotation,           // "rotation"
  kScalingFilter,      // "SCALING_FILTER"
  kSrcH,               // "SRC_H", 16.16 pixels of the framebuffer
  kSrcW,               // "SRC_W"
  kSrcX,               // "SRC_X"
  kSrcY,               // "SRC_Y"
  kType,               // "type"
  kVrrCapable,         // "vrr_capable"
  kVrrEnabled,         // "VRR_ENABLED"
  kWritebackFbId,      // "WRITEBACK_FB_ID"
  kWritebackOutFence,  // "WRITEBACK_OUT_FENCE_PTR"
  kWritebackFormats,   // "WRITEBACK_PIXEL_FORMATS"
  kZpos,               // "zpos"
  kCount,
};
inline constexpr std::size_t kPropertyCount = static_cast<std::size_t>(Property::kCount);

// The kernel's name. Static storage.
[[nodiscard]] std::string_view NameOf(Property property);

struct PropertyInfo {
  std::uint32_t id = 0;  // 0: the object has no such property
  bool bitmask = false;
  bool immutable = false;   // the kernel's to set
  std::uint64_t value = 0;  // when it was read
  std::uint64_t min = 0;    // of a range; signed ranges are two's complement
  std::uint64_t max = 0;
  std::vector<std::pair<std::string, std::uint64_t>> entries{};  // of an enumeration, or the bits of a bitmask by number

  [[nodiscard]] bool exists() const { return id != 0; }
  // The value called `name`: of a bitmask the bit itself (rotation's "rotate-90" is 2).
  [[nodiscard]] std::optional<std::uint64_t> ValueOf(std::string_view name) const;
};

class Properties {
 public:
  [[nodiscard]] const PropertyInfo& operator[](Property property) const { return known_[static_cast<std::size_t>(property)]; }
  [[nodiscard]] std::uint32_t IdOf(Property property) const { return (*this)[property].id; }
  [[nodiscard]] bool Has(Property property) const { return (*this)[property].exists(); }
  void Set(Property property, PropertyInfo info) { known_[static_cast<std::size_t>(property)] = std::move(info); }

 private:
  std::array<PropertyInfo, kPropertyCount> known_{};
};

// `object_type`: DRM_MODE_OBJECT_CONNECTOR, _CRTC or _PLANE. kNotFound for an object that is gone, kDeviceLost, kIo.
[[nodiscard]] Result<Properties> ReadProperties(const Card& card, std::uint32_t object_id, std::uint32_t object_type);

// A copy of the blob's bytes; empty for blob 0 and for one that is gone.
[[nodiscard]] std::vector<std::byte> ReadBlob(const Card& card, std::uint32_t blob_id);

// Bytes that the kernel keeps for a property (a mode, HDR metadata). The card outlives it.
class PropertyBlob {
 public:
  PropertyBlob() = default;
  PropertyBlob(PropertyBlob&& other) noexcept : card_(other.card_), id_(std::exchange(other.id_, 0)) {}
  PropertyBlob& operator=(PropertyBlob&& other) noexcept;
  PropertyBlob(const PropertyBlob&) = delete;
  PropertyBlob& operator=(const PropertyBlob&) = delete;
  ~PropertyBlob() { Reset(); }

  // kOutOfMemory, kDeviceLost, kUnsupported, kIo.
  [[nodiscard]] static Result<PropertyBlob> Create(const Card& card, std::span<const std::byte> bytes);

  [[nodiscard]] std::uint32_t id() const { return id_; }  // 0: none, which clears the property
  // A property that has the blob keeps it.
  void Reset();

 private:
  PropertyBlob(const Card& card, std::uint32_t id) : card_(&card), id_(id) {}

  const Card* card_ = nullptr;
  std::uint32_t id_ = 0;
};

}  // namespace tandem::kms
