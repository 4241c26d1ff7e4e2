#include "drivers/kms/card/hdr_output.h"

#include <algorithm>
#include <cstring>

#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

static_assert(sizeof(hdr_output_metadata) <= kHdrBlobBytes);

std::string_view EntryOf(ConnectorColorspace colorspace) {
  return colorspace == ConnectorColorspace::kBt2020Rgb ? "BT2020_RGB" : "Default";
}

std::string_view EntryOf(ContentType type) {
  switch (type) {
    case ContentType::kGraphics: return "Graphics";
    case ContentType::kPhoto: return "Photo";
    case ContentType::kCinema: return "Cinema";
    case ContentType::kGame: return "Game";
    default: return "No Data";
  }
}

void SetEntry(AtomicRequest& request, std::uint32_t object_id, const PropertyInfo& property, std::string_view entry) {
  if (const auto value = property.ValueOf(entry)) request.Set(object_id, property.id, *value);
}

}  // namespace

std::array<std::byte, kHdrBlobBytes> HdrBlob(const HdrMetadata& metadata) {
  hdr_output_metadata kernel{};
  kernel.metadata_type = 0;  // static metadata type 1
  hdr_metadata_infoframe& frame = kernel.hdmi_metadata_type1;
  frame.eotf = static_cast<__u8>(metadata.transfer);
  frame.metadata_type = 0;
  const HdrPoint* points[] = {&metadata.red, &metadata.green, &metadata.blue};
  for (std::size_t i = 0; i < 3; ++i) {
    frame.display_primaries[i].x = points[i]->x;
    frame.display_primaries[i].y = points[i]->y;
  }
  frame.white_point.x = metadata.white.x;
  frame.white_point.y = metadata.white.y;
  frame.max_display_mastering_luminance = metadata.max_luminance_nits;
  frame.min_display_mastering_luminance = metadata.min_luminance_tenth_millinits;
  frame.max_cll = metadata.max_content_light_nits;
  frame.max_fall = metadata.max_frame_average_nits;
  std::array<std::byte, kHdrBlobBytes> bytes{};
  std::memcpy(bytes.data(), &kernel, sizeof(kernel));
  return bytes;
}

ConnectorAbilities AbilitiesOf(const Connector& connector) {
  const Properties& properties = connector.properties;
  ConnectorAbilities abilities;
  abilities.hdr_metadata = properties.Has(Property::kHdrOutputMetadata);
  abilities.bt2020_rgb = properties[Property::kColorspace].ValueOf(EntryOf(ConnectorColorspace::kBt2020Rgb)).has_value();
  abilities.content_type = properties.Has(Property::kContentType);
  abilities.vrr_capable = properties[Property::kVrrCapable].value == 1;
  abilities.max_bpc = static_cast<std::uint32_t>(properties[Property::kMaxBpc].max);
  return abilities;
}

void SetColor(AtomicRequest& request, const Connector& connector, const ConnectorColor& color) {
  const Properties& properties = connector.properties;
  request.Set(connector.id, properties.IdOf(Property::kHdrOutputMetadata), color.hdr_blob_id);
  SetEntry(request, connector.id, properties[Property::kColorspace], EntryOf(color.colorspace));
  SetEntry(request, connector.id, properties[Property::kContentType], EntryOf(color.content_type));
  const PropertyInfo& bpc = properties[Property::kMaxBpc];
  if (color.max_bpc != 0 && bpc.exists()) {
    request.Set(connector.id, bpc.id, std::clamp<std::uint64_t>(color.max_bpc, bpc.min, std::max(bpc.min, bpc.max)));
  }
}

void SetVariableRefresh(AtomicRequest& request, const Crtc& crtc, bool enabled) {
  request.Set(crtc.id, crtc.properties.IdOf(Property::kVrrEnabled), enabled ? 1 : 0);
}

}  // namespace tandem::kms
