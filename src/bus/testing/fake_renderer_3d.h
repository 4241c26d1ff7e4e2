// A renderer that keeps the bytes of each resource, and signals fences when a test does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bus/virtio/renderer_3d.h"

namespace tandem::bus {

struct FakeRenderer {
  int made = 0;
  int alive = 0;
  bool hangs = false;
  bool refuses = false;  // contexts, resources and buffers of commands
  Renderer3d::Host* host = nullptr;
  std::uint32_t last_fence = 0;
  std::map<std::uint32_t, std::vector<std::byte>> bytes;  // tight rows of the last Write
  virtio::GpuTransfer3d transfer{};                       // the last one
  std::vector<std::uint32_t> words;                       // the last submitted

  MakeRenderer3d Maker();
};

class FakeRenderer3d final : public Renderer3d {
 public:
  FakeRenderer3d(FakeRenderer& state, Host& host) : state_(state) {
    ++state_.made;
    ++state_.alive;
    state_.host = &host;
    state_.last_fence = 0;
  }
  ~FakeRenderer3d() override {
    --state_.alive;
    state_.host = nullptr;
    state_.bytes.clear();
  }
  Capset CapsetOf(std::uint32_t id) override { return {id, id == 1 ? 308u : 1376u}; }
  std::vector<std::byte> FillCapset(std::uint32_t id, std::uint32_t version) override {
    if (version > id) return {};
    return std::vector<std::byte>(CapsetOf(id).max_bytes, std::byte{0xFF});
  }
  virtio::GpuAnswer CreateContext(std::uint32_t /*context*/, const std::string& /*name*/) override { return Answer(); }
  virtio::GpuAnswer DestroyContext(std::uint32_t /*context*/) override { return virtio::GpuAnswer::kOk; }
  virtio::GpuAnswer AttachResource(std::uint32_t /*context*/, std::uint32_t /*resource*/) override {
    return virtio::GpuAnswer::kOk;
  }
  virtio::GpuAnswer DetachResource(std::uint32_t /*context*/, std::uint32_t /*resource*/) override {
    return virtio::GpuAnswer::kOk;
  }
  virtio::GpuAnswer Submit(std::uint32_t /*context*/, std::vector<std::uint32_t> words) override {
    state_.words = std::move(words);
    return Answer();
  }
  virtio::GpuAnswer CreateResource(const virtio::GpuCreate3d& resource) override {
    if (Answer() == virtio::GpuAnswer::kOk) state_.bytes[resource.resource] = {};
    return Answer();
  }
  virtio::GpuAnswer DestroyResource(std::uint32_t resource) override {
    state_.bytes.erase(resource);
    return virtio::GpuAnswer::kOk;
  }
  virtio::GpuAnswer Write(const virtio::GpuTransfer3d& transfer, std::vector<std::byte>& bytes) override {
    state_.transfer = transfer;
    state_.bytes[transfer.resource] = bytes;
    return Answer();
  }
  virtio::GpuAnswer Read(const virtio::GpuTransfer3d& transfer, std::vector<std::byte>& bytes) override {
    state_.transfer = transfer;
    const std::vector<std::byte>& kept = state_.bytes[transfer.resource];
    if (!kept.empty()) std::memcpy(bytes.data(), kept.data(), std::min(kept.size(), bytes.size()));
    return Answer();
  }
  virtio::GpuAnswer CreateFence(std::uint32_t fence) override {
    state_.last_fence = fence;
    return Answer();
  }
  bool hangs() const override { return state_.hangs; }

 private:
  [[nodiscard]] virtio::GpuAnswer Answer() const {
    if (state_.hangs) return virtio::GpuAnswer::kUnspecified;
    return state_.refuses ? virtio::GpuAnswer::kInvalidParameter : virtio::GpuAnswer::kOk;
  }

  FakeRenderer& state_;
};

inline MakeRenderer3d FakeRenderer::Maker() {
  return [this](Renderer3d::Host& listener) -> Result<std::unique_ptr<Renderer3d>> {
    return std::unique_ptr<Renderer3d>(std::make_unique<FakeRenderer3d>(*this, listener));
  };
}

}  // namespace tandem::bus
