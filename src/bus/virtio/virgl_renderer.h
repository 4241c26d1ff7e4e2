// 3D by virglrenderer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bus/virtio/renderer_3d.h"
#include "bus/virtio/virgl_thread.h"

struct iovec;

namespace tandem::bus {

class VirglRenderer final : public Renderer3d {
 public:
  // VirglThread::Start's errors.
  [[nodiscard]] static Result<std::unique_ptr<Renderer3d>> Start(Host& host);

  [[nodiscard]] Capset CapsetOf(std::uint32_t id) override;
  [[nodiscard]] std::vector<std::byte> FillCapset(std::uint32_t id, std::uint32_t version) override;
  [[nodiscard]] virtio::GpuAnswer CreateContext(std::uint32_t context, const std::string& name) override;
  [[nodiscard]] virtio::GpuAnswer DestroyContext(std::uint32_t context) override;
  [[nodiscard]] virtio::GpuAnswer AttachResource(std::uint32_t context, std::uint32_t resource) override;
  [[nodiscard]] virtio::GpuAnswer DetachResource(std::uint32_t context, std::uint32_t resource) override;
  [[nodiscard]] virtio::GpuAnswer Submit(std::uint32_t context, std::vector<std::uint32_t> words) override;
  [[nodiscard]] virtio::GpuAnswer CreateResource(const virtio::GpuCreate3d& resource) override;
  [[nodiscard]] virtio::GpuAnswer DestroyResource(std::uint32_t resource) override;
  [[nodiscard]] virtio::GpuAnswer Write(const virtio::GpuTransfer3d& transfer, std::vector<std::byte>& bytes) override;
  [[nodiscard]] virtio::GpuAnswer Read(const virtio::GpuTransfer3d& transfer, std::vector<std::byte>& bytes) override;
  [[nodiscard]] virtio::GpuAnswer CreateFence(std::uint32_t fence) override;
  [[nodiscard]] bool hangs() const override { return thread_->hangs(); }

 private:
  explicit VirglRenderer(std::unique_ptr<VirglThread> thread) : thread_(std::move(thread)) {}

  // Runs a call that returns zero or an error number; kInvalidParameter stands for the latter.
  [[nodiscard]] virtio::GpuAnswer Ask(std::function<int(const VirglLibrary&)> call);
  using MoveLayer = std::function<int(const VirglLibrary&, const virtio::GpuTransfer3d&, virtio::GpuBox&, iovec&)>;
  // Calls `move` for each layer of a transfer.
  [[nodiscard]] virtio::GpuAnswer Transfer(const virtio::GpuTransfer3d& transfer, std::vector<std::byte>& bytes,
                                           const MoveLayer& move);

  const std::unique_ptr<VirglThread> thread_;
};

}  // namespace tandem::bus
