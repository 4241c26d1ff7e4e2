#include "bus/virtio/gpu_3d.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/log.h"
#include "bus/virtio/command_stream.h"
#include "bus/virtio/gpu_structures.h"

namespace tandem::bus {
namespace {

using virtio::GpuAnswer;
using virtio::GpuCommand;

// Takes what the device does not let through out of capability set 2.
void MaskCapabilities(std::vector<std::byte>& capset) {
  const auto mask = [&](std::size_t offset, std::uint32_t bits) {
    std::uint32_t word = 0;
    if (offset + sizeof(word) > capset.size()) return;
    std::memcpy(&word, capset.data() + offset, sizeof(word));
    word &= ~bits;
    std::memcpy(capset.data() + offset, &word, sizeof(word));
  };
  mask(virtio::kCapabilityBits,
       virtio::kCapDebugFlags | virtio::kCapTransfer | virtio::kCapCopyTransfer | virtio::kCapBufferStorage);
  mask(virtio::kCapabilityBits2,
       virtio::kCap2UntypedResource | virtio::kCap2VideoMemory | virtio::kCap2MemoryInfo | virtio::kCap2CopyBothWays);
}

}  // namespace

bool Gpu3d::HasRenderer() {
  if (renderer_ != nullptr) return true;
  if (failed_ || !make_) return false;
  auto made = make_(host_);
  if (made.ok()) {
    renderer_ = *std::move(made);
    return true;
  }
  Log(LogLevel::kWarn, "A virtio GPU has no 3D: {}", made.error().message);
  failed_ = true;
  return false;
}

std::uint32_t Gpu3d::CountCapsets() { return HasRenderer() ? static_cast<std::uint32_t>(virtio::kCapsets.size()) : 0; }

GpuAnswer Gpu3d::Execute(const virtio::GpuHeader& header, const Chain& chain, std::vector<std::byte>& answer) {
  if (!HasRenderer()) return GpuAnswer::kUnspecified;
  switch (static_cast<GpuCommand>(header.type)) {
    case GpuCommand::kGetCapsetInfo:
      return With<virtio::GpuGetCapsetInfo>(chain, [&](const auto& command) { return GetCapsetInfo(command, answer); });
    case GpuCommand::kGetCapset:
      return With<virtio::GpuGetCapset>(chain, [&](const auto& command) { return GetCapset(command, answer); });
    case GpuCommand::kContextCreate:
      return With<virtio::GpuContextCreate>(chain, [&](const auto& command) { return CreateContext(command); });
    case GpuCommand::kContextDestroy: return DestroyContext(header.context);
    case GpuCommand::kContextAttachResource:
      return With<virtio::GpuContextResource>(chain, [&](const auto& command) { return Link(command, true); });
    case GpuCommand::kContextDetachResource:
      return With<virtio::GpuContextResource>(chain, [&](const auto& command) { return Link(command, false); });
    case GpuCommand::kResourceCreate3d:
      return With<virtio::GpuCreate3d>(chain, [&](const auto& command) { return CreateResource(command); });
    case GpuCommand::kTransferToHost3d:
      return With<virtio::GpuTransfer3d>(chain, [&](const auto& command) { return Transfer(command, true); });
    case GpuCommand::kTransferFromHost3d:
      return With<virtio::GpuTransfer3d>(chain, [&](const auto& command) { return Transfer(command, false); });
    case GpuCommand::kSubmit3d:
      return With<virtio::GpuSubmit3d>(chain, [&](const auto& command) { return Submit(command, chain); });
    default: return GpuAnswer::kUnspecified;
  }
}

GpuAnswer Gpu3d::GetCapsetInfo(const virtio::GpuGetCapsetInfo& command, std::vector<std::byte>& answer) {
  if (command.index >= virtio::kCapsets.size()) return GpuAnswer::kInvalidParameter;
  const std::uint32_t id = virtio::kCapsets[command.index];
  const Renderer3d::Capset capset = renderer_->CapsetOf(id);
  Put(virtio::GpuCapsetInfo{{}, id, capset.max_version, capset.max_bytes, 0}, answer);
  return GpuAnswer::kCapsetInfo;
}

GpuAnswer Gpu3d::GetCapset(const virtio::GpuGetCapset& command, std::vector<std::byte>& answer) {
  if (std::ranges::find(virtio::kCapsets, command.id) == virtio::kCapsets.end()) return GpuAnswer::kInvalidParameter;
  std::vector<std::byte> capset = renderer_->FillCapset(command.id, command.version);
  if (capset.empty()) return GpuAnswer::kInvalidParameter;
  if (command.id == virtio::kCapsets[1]) MaskCapabilities(capset);
  answer.insert(answer.end(), capset.begin(), capset.end());
  return GpuAnswer::kCapset;
}

GpuAnswer Gpu3d::CreateContext(const virtio::GpuContextCreate& command) {
  const std::uint32_t id = command.header.context;
  if (id == 0 || contexts_.contains(id)) return GpuAnswer::kInvalidContext;
  const bool is_virgl = command.init == 0 || std::ranges::find(virtio::kCapsets, command.init) != virtio::kCapsets.end();
  if (!is_virgl || command.name_bytes > command.name.size()) return GpuAnswer::kInvalidParameter;
  if (contexts_.size() == kMaxContexts) return GpuAnswer::kOutOfMemory;
  const GpuAnswer answer = renderer_->CreateContext(id, {command.name.data(), command.name_bytes});
  if (answer == GpuAnswer::kOk) contexts_.insert(id);
  return answer;
}

GpuAnswer Gpu3d::DestroyContext(std::uint32_t context) {
  return contexts_.erase(context) == 0 ? GpuAnswer::kInvalidContext : renderer_->DestroyContext(context);
}

GpuAnswer Gpu3d::CreateResource(const virtio::GpuCreate3d& command) {
  if (const GpuAnswer noted = resources_.Create3d(command); noted != GpuAnswer::kOk) return noted;
  GpuAnswer answer = renderer_->CreateResource(command);
  if (answer == GpuAnswer::kOk && resources_.Find(command.resource)->texture->holds_results) {
    answer = ClearResult(command.resource);
    if (answer != GpuAnswer::kOk) Destroy(command.resource);
  }
  if (answer != GpuAnswer::kOk) static_cast<void>(resources_.Unref(command.resource));
  return answer;
}

void Gpu3d::Destroy(std::uint32_t resource) { static_cast<void>(renderer_->DestroyResource(resource)); }

// Pixels of the device are unknown to the renderer.
GpuAnswer Gpu3d::Link(const virtio::GpuContextResource& command, bool attach) {
  if (!contexts_.contains(command.header.context)) return GpuAnswer::kInvalidContext;
  const GpuResource* const resource = resources_.Find(command.resource);
  if (resource == nullptr || resource->texture == nullptr) return GpuAnswer::kInvalidResource;
  return attach ? renderer_->AttachResource(command.header.context, command.resource)
                : renderer_->DetachResource(command.header.context, command.resource);
}

GpuAnswer Gpu3d::Submit(const virtio::GpuSubmit3d& command, const Chain& chain) {
  if (!contexts_.contains(command.header.context)) return GpuAnswer::kInvalidContext;
  if (command.bytes > kMaxSubmitBytes || command.bytes % sizeof(std::uint32_t) != 0) return GpuAnswer::kInvalidParameter;
  std::vector<std::uint32_t> words(command.bytes / sizeof(std::uint32_t));
  if (!chain.Read(sizeof(command), words.data(), command.bytes)) return GpuAnswer::kUnspecified;
  const StreamCheck check = CheckStream(words);
  if (!check.ok) return GpuAnswer::kInvalidParameter;
  asked_results_ |= check.asks_results;
  return words.empty() ? GpuAnswer::kOk : renderer_->Submit(command.header.context, std::move(words));
}

std::optional<std::uint32_t> Gpu3d::Fence() {
  if (renderer_ == nullptr || renderer_->CreateFence(last_fence_ + 1) != GpuAnswer::kOk) return std::nullopt;
  ++last_fence_;
  if (std::exchange(asked_results_, false)) results_fence_ = last_fence_;
  return last_fence_;
}

void Gpu3d::Reset() {
  renderer_.reset();
  failed_ = false;
  contexts_.clear();
  last_fence_ = 0;
  asked_results_ = false;
  results_fence_.reset();
}

}  // namespace tandem::bus
