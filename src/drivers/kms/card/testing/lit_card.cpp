#include "drivers/kms/card/testing/lit_card.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fcntl.h>

#include "base/clock.h"
#include "drivers/kms/card/card_list.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kWaitNs = 60'000'000'000;
constexpr std::uint32_t kSmallestWidth = 640;

// The smallest mode from 640 pixels on, so that an emulated processor has little to do.
const Mode* SmallMode(const Connector& connector) {
  const Mode* best = nullptr;
  for (const Mode& mode : connector.modes) {
    if (mode.width < kSmallestWidth || mode.interlaced()) continue;
    if (best == nullptr || mode.width * mode.height < best->width * best->height) best = &mode;
  }
  return best;
}

}  // namespace

std::optional<std::string> FindDriver(std::string_view name) {
  for (const CardNode& node : ListCardNodes()) {
    const UniqueFd fd(open(node.path.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd.valid() || !LoadDrm().ok()) continue;
    const DrmLibrary& drm = Drm();
    const std::unique_ptr<drmVersion, decltype(drm.FreeVersion)> version(drm.GetVersion(fd.get()), drm.FreeVersion);
    if (version != nullptr && std::string_view(version->name).starts_with(name)) return version->name;
  }
  return std::nullopt;
}

Result<LitBuffer> MakeBuffer(const Card& card, std::uint32_t fourcc, std::uint32_t width, std::uint32_t height) {
  LitBuffer made;
  const std::uint32_t rows = HasChromaPlane(fourcc) ? height * 3 / 2 : height;
  auto buffer = DumbBuffer::Create(card, width, rows, BitsPerPixel(fourcc));
  if (!buffer.ok()) return std::move(buffer).error();
  made.buffer = *std::move(buffer);
  auto map = made.buffer.Map();
  if (!map.ok()) return std::move(map).error();
  made.map = *std::move(map);
  auto framebuffer =
      Framebuffer::Create(card, LinearLayout(fourcc, width, height, made.buffer.handle(), made.buffer.pitch_bytes()));
  if (!framebuffer.ok()) return std::move(framebuffer).error();
  made.framebuffer = *std::move(framebuffer);
  return made;
}

Result<std::unique_ptr<LitCard>> LitCard::Open(const std::string& driver) {
  auto card = FindCard({driver, {}});
  if (!card.ok()) return std::move(card).error();
  return Adopt(*std::move(card));
}

Result<std::unique_ptr<LitCard>> LitCard::Adopt(std::unique_ptr<Card> card) {
  std::unique_ptr<LitCard> lit(new LitCard(std::move(card)));
  auto resources = ReadResources(*lit->card_);
  if (!resources.ok()) return std::move(resources).error();
  lit->resources_ = *std::move(resources);
  const auto connector = std::ranges::find_if(lit->resources_.connectors, [](const Connector& one) {
    return !one.writeback() && one.status == ConnectorStatus::kConnected && SmallMode(one) != nullptr;
  });
  if (connector == lit->resources_.connectors.end()) return Fail(ErrorKind::kNotFound, "No connector is connected.");
  lit->connector_ = &*connector;
  const auto crtc = std::ranges::find_if(lit->resources_.crtcs,
                                         [&](const Crtc& one) { return (connector->possible_crtcs >> one.index & 1) != 0; });
  if (crtc == lit->resources_.crtcs.end()) return Fail(ErrorKind::kNotFound, "{} has no CRTC.", connector->name);
  lit->crtc_ = &*crtc;
  lit->primary_ = lit->resources_.FindPlane(PlaneType::kPrimary, *crtc);
  if (lit->primary_ == nullptr) return Fail(ErrorKind::kNotFound, "CRTC {} has no primary plane.", crtc->id);
  if (auto chosen = lit->ChooseMode(*SmallMode(*connector)); !chosen.ok()) return std::move(chosen).error();
  return lit;
}

Result<void> LitCard::ChooseMode(const Mode& mode) {
  const drmModeModeInfo kernel_mode = ToKernel(mode);
  auto blob = PropertyBlob::Create(*card_, std::as_bytes(std::span(&kernel_mode, 1)));
  if (!blob.ok()) return std::move(blob).error();
  mode_ = mode;
  mode_blob_ = *std::move(blob);
  return {};
}

CommitResult LitCard::Light(std::uint32_t framebuffer_id, bool test_only) {
  request_.Clear();
  request_.Set(connector_->id, connector_->properties.IdOf(Property::kCrtcId), crtc_->id);
  request_.Set(crtc_->id, crtc_->properties.IdOf(Property::kModeId), mode_blob_.id());
  request_.Set(crtc_->id, crtc_->properties.IdOf(Property::kActive), 1);
  const auto plane = [this](Property property, std::uint64_t value) {
    request_.Set(primary_->id, primary_->properties.IdOf(property), value);
  };
  plane(Property::kCrtcId, crtc_->id);
  plane(Property::kFbId, framebuffer_id);
  plane(Property::kCrtcX, 0);
  plane(Property::kCrtcY, 0);
  plane(Property::kCrtcW, mode_.width);
  plane(Property::kCrtcH, mode_.height);
  plane(Property::kSrcX, 0);
  plane(Property::kSrcY, 0);
  plane(Property::kSrcW, std::uint64_t{mode_.width} << 16);
  plane(Property::kSrcH, std::uint64_t{mode_.height} << 16);
  return request_.Commit(*card_, {.test_only = test_only, .allow_modeset = true}, 0);
}

CommitResult LitCard::Flip(std::uint32_t framebuffer_id, const CommitFlags& flags, std::uint64_t user_data) {
  request_.Clear();
  request_.Set(primary_->id, primary_->properties.IdOf(Property::kFbId), framebuffer_id);
  return request_.Commit(*card_, flags, user_data);
}

void KeptEvents::OnFlip(const FlipEvent& event) {
  const MutexLock lock(mutex_);
  flips_.push_back(event);
  changed_.NotifyAll();
}

void KeptEvents::OnSequence(const SequenceEvent& event) {
  const MutexLock lock(mutex_);
  sequences_.push_back(event);
  changed_.NotifyAll();
}

void KeptEvents::OnHotPlug(std::optional<std::uint32_t> /*connector_id*/) {
  const MutexLock lock(mutex_);
  ++hot_plugs_;
  changed_.NotifyAll();
}

void KeptEvents::OnRemoved() {
  const MutexLock lock(mutex_);
  removed_ = true;
  changed_.NotifyAll();
}

bool KeptEvents::Wait(MutexLock& lock, std::int64_t deadline_ns) {
  return MonotonicClock().WaitUntil(lock.native(), changed_, deadline_ns);
}

std::optional<FlipEvent> KeptEvents::WaitForFlip() {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kWaitNs;
  MutexLock lock(mutex_);
  while (flips_.empty() && !removed_ && Wait(lock, deadline_ns)) {
  }
  if (flips_.empty()) return std::nullopt;
  const FlipEvent oldest = flips_.front();
  flips_.erase(flips_.begin());
  return oldest;
}

std::optional<SequenceEvent> KeptEvents::WaitForSequence() {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kWaitNs;
  MutexLock lock(mutex_);
  while (sequences_.empty() && Wait(lock, deadline_ns)) {
  }
  if (sequences_.empty()) return std::nullopt;
  const SequenceEvent oldest = sequences_.front();
  sequences_.erase(sequences_.begin());
  return oldest;
}

bool KeptEvents::WaitForHotPlug() {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kWaitNs;
  MutexLock lock(mutex_);
  while (hot_plugs_ == 0 && Wait(lock, deadline_ns)) {
  }
  if (hot_plugs_ == 0) return false;
  --hot_plugs_;
  return true;
}

bool KeptEvents::WaitForRemoval() {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kWaitNs;
  MutexLock lock(mutex_);
  while (!removed_ && Wait(lock, deadline_ns)) {
  }
  return removed_;
}

std::size_t KeptEvents::flips() const {
  const MutexLock lock(mutex_);
  return flips_.size();
}

bool WriteSystemFile(const std::string& path, std::string_view text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

}  // namespace tandem::kms
