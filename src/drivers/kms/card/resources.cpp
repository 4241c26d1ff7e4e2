#include "drivers/kms/card/resources.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <fmt/core.h>

#include "drivers/kms/card/card.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr std::uint32_t kConnectorWriteback = 18;  // DRM_MODE_CONNECTOR_WRITEBACK

ConnectorStatus ToStatus(drmModeConnection connection) {
  switch (connection) {
    case DRM_MODE_CONNECTED: return ConnectorStatus::kConnected;
    case DRM_MODE_DISCONNECTED: return ConnectorStatus::kDisconnected;
    default: return ConnectorStatus::kUnknown;
  }
}

std::string ConnectorName(std::uint32_t type, std::uint32_t type_id) {
  const char* name = Drm().ModeGetConnectorTypeName(type);
  return fmt::format("{}-{}", name == nullptr ? "Unknown" : name, type_id);
}

Result<Connector> ReadConnector(const Card& card, std::uint32_t id) {
  const DrmLibrary& drm = Drm();
  const std::unique_ptr<drmModeConnector, decltype(drm.ModeFreeConnector)> read(drm.ModeGetConnector(card.fd(), id),
                                                                                drm.ModeFreeConnector);
  if (read == nullptr) return Fail(KindOf(errno), "Connector {} cannot be read: {}.", id, ErrnoText(errno));
  auto properties = ReadProperties(card, id, DRM_MODE_OBJECT_CONNECTOR);
  if (!properties.ok()) return std::move(properties).error();
  Connector connector;
  connector.id = id;
  connector.name = ConnectorName(read->connector_type, read->connector_type_id);
  connector.type = read->connector_type;
  connector.status = ToStatus(read->connection);
  connector.width_mm = read->mmWidth;
  connector.height_mm = read->mmHeight;
  connector.possible_crtcs = drm.ModeConnectorGetPossibleCrtcs(card.fd(), read.get());
  for (int i = 0; i < read->count_modes; ++i) connector.modes.push_back(FromKernel(read->modes[i]));
  connector.properties = *std::move(properties);
  connector.non_desktop = connector.properties[Property::kNonDesktop].value != 0;
  connector.edid = ReadBlob(card, static_cast<std::uint32_t>(connector.properties[Property::kEdid].value));
  return connector;
}

Result<Crtc> ReadCrtc(const Card& card, std::uint32_t id, std::uint32_t index) {
  const DrmLibrary& drm = Drm();
  const std::unique_ptr<drmModeCrtc, decltype(drm.ModeFreeCrtc)> read(drm.ModeGetCrtc(card.fd(), id), drm.ModeFreeCrtc);
  if (read == nullptr) return Fail(KindOf(errno), "CRTC {} cannot be read: {}.", id, ErrnoText(errno));
  auto properties = ReadProperties(card, id, DRM_MODE_OBJECT_CRTC);
  if (!properties.ok()) return std::move(properties).error();
  Crtc crtc{id, index, std::nullopt, *std::move(properties)};
  if (read->mode_valid != 0) crtc.mode = FromKernel(read->mode);
  return crtc;
}

// The modifiers of each format that the plane's IN_FORMATS blob names.
void ReadModifiers(const Card& card, Plane& plane) {
  const DrmLibrary& drm = Drm();
  const auto blob_id = static_cast<std::uint32_t>(plane.properties[Property::kInFormats].value);
  if (blob_id == 0) return;
  const std::unique_ptr<drmModePropertyBlobRes, decltype(drm.ModeFreePropertyBlob)> blob(
      drm.ModeGetPropertyBlob(card.fd(), blob_id), drm.ModeFreePropertyBlob);
  if (blob == nullptr) return;
  drmModeFormatModifierIterator position{};
  while (drm.ModeFormatModifierBlobIterNext(blob.get(), &position)) {
    const auto format = std::ranges::find(plane.formats, position.fmt, &PlaneFormat::fourcc);
    if (format != plane.formats.end()) format->modifiers.push_back(position.mod);
  }
}

Result<Plane> ReadPlane(const Card& card, std::uint32_t id) {
  const DrmLibrary& drm = Drm();
  const std::unique_ptr<drmModePlane, decltype(drm.ModeFreePlane)> read(drm.ModeGetPlane(card.fd(), id), drm.ModeFreePlane);
  if (read == nullptr) return Fail(KindOf(errno), "Plane {} cannot be read: {}.", id, ErrnoText(errno));
  auto properties = ReadProperties(card, id, DRM_MODE_OBJECT_PLANE);
  if (!properties.ok()) return std::move(properties).error();
  Plane plane;
  plane.id = id;
  plane.possible_crtcs = read->possible_crtcs;
  plane.properties = *std::move(properties);
  plane.type = static_cast<PlaneType>(std::min<std::uint64_t>(plane.properties[Property::kType].value, 2));
  for (std::uint32_t i = 0; i < read->count_formats; ++i) plane.formats.push_back({read->formats[i], {}});
  ReadModifiers(card, plane);
  return plane;
}

Result<std::vector<Plane>> ReadPlanes(const Card& card) {
  const DrmLibrary& drm = Drm();
  const std::unique_ptr<drmModePlaneRes, decltype(drm.ModeFreePlaneResources)> listed(drm.ModeGetPlaneResources(card.fd()),
                                                                                      drm.ModeFreePlaneResources);
  if (listed == nullptr) return Fail(KindOf(errno), "The card's planes cannot be read: {}.", ErrnoText(errno));
  std::vector<Plane> planes;
  for (std::uint32_t i = 0; i < listed->count_planes; ++i) {
    auto plane = ReadPlane(card, listed->planes[i]);
    if (!plane.ok()) return std::move(plane).error();
    planes.push_back(*std::move(plane));
  }
  return planes;
}

}  // namespace

bool Connector::writeback() const { return type == kConnectorWriteback; }

const Mode* Connector::preferred_mode() const {
  const auto preferred = std::ranges::find_if(modes, &Mode::preferred);
  if (preferred != modes.end()) return &*preferred;
  return modes.empty() ? nullptr : &modes.front();
}

bool Plane::TakesLinear(std::uint32_t fourcc) const {
  const auto format = std::ranges::find(formats, fourcc, &PlaneFormat::fourcc);
  if (format == formats.end()) return false;
  return format->modifiers.empty() || std::ranges::find(format->modifiers, DRM_FORMAT_MOD_LINEAR) != format->modifiers.end();
}

const Connector* Resources::FindConnector(std::string_view name) const {
  const auto found = std::ranges::find(connectors, name, &Connector::name);
  return found == connectors.end() ? nullptr : &*found;
}

const Crtc* Resources::FindCrtc(std::uint32_t id) const {
  const auto found = std::ranges::find(crtcs, id, &Crtc::id);
  return found == crtcs.end() ? nullptr : &*found;
}

const Plane* Resources::FindPlane(PlaneType type, const Crtc& crtc) const {
  const auto found = std::ranges::find_if(
      planes, [&](const Plane& plane) { return plane.type == type && (plane.possible_crtcs >> crtc.index & 1) != 0; });
  return found == planes.end() ? nullptr : &*found;
}

Result<Resources> ReadResources(const Card& card) {
  const DrmLibrary& drm = Drm();
  const std::unique_ptr<drmModeRes, decltype(drm.ModeFreeResources)> listed(drm.ModeGetResources(card.fd()),
                                                                            drm.ModeFreeResources);
  if (listed == nullptr) return Fail(KindOf(errno), "The card's resources cannot be read: {}.", ErrnoText(errno));
  Resources resources;
  resources.min_width = listed->min_width;
  resources.max_width = listed->max_width;
  resources.min_height = listed->min_height;
  resources.max_height = listed->max_height;
  for (int i = 0; i < listed->count_crtcs; ++i) {
    auto crtc = ReadCrtc(card, listed->crtcs[i], static_cast<std::uint32_t>(i));
    if (!crtc.ok()) return std::move(crtc).error();
    resources.crtcs.push_back(*std::move(crtc));
  }
  for (int i = 0; i < listed->count_connectors; ++i) {
    auto connector = ReadConnector(card, listed->connectors[i]);
    // A connector of a dock may vanish between the list and its reading.
    if (!connector.ok() && connector.error().kind == ErrorKind::kNotFound) continue;
    if (!connector.ok()) return std::move(connector).error();
    resources.connectors.push_back(*std::move(connector));
  }
  auto planes = ReadPlanes(card);
  if (!planes.ok()) return std::move(planes).error();
  resources.planes = *std::move(planes);
  return resources;
}

}  // namespace tandem::kms
