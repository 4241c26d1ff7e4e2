// 3D of a virtio GPU: contexts, resources and their commands, behind the device model that has checked them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "bus/virtio/gpu_protocol_3d.h"

namespace tandem::bus {

// Threads: one at a time. A call waits for the renderer, at most for kRendererLimitNs; a renderer that needs longer hangs, and
// answers kUnspecified from then on. Answers: kOk, or the reason of the refusal.
class Renderer3d {
 public:
  class Host {
   public:
    virtual ~Host() = default;
    // All fences up to `fence` are signalled. On a thread of the renderer, which this must not call.
    virtual void OnFence(std::uint32_t fence) = 0;
  };
  struct Capset {
    std::uint32_t max_version = 0;
    std::uint32_t max_bytes = 0;
  };

  // All that was made is gone, and the host is not called any more.
  virtual ~Renderer3d() = default;

  [[nodiscard]] virtual Capset CapsetOf(std::uint32_t id) = 0;
  // Empty: the renderer does not fill it.
  [[nodiscard]] virtual std::vector<std::byte> FillCapset(std::uint32_t id, std::uint32_t version) = 0;

  [[nodiscard]] virtual virtio::GpuAnswer CreateContext(std::uint32_t context, const std::string& name) = 0;
  [[nodiscard]] virtual virtio::GpuAnswer DestroyContext(std::uint32_t context) = 0;
  [[nodiscard]] virtual virtio::GpuAnswer AttachResource(std::uint32_t context, std::uint32_t resource) = 0;
  [[nodiscard]] virtual virtio::GpuAnswer DetachResource(std::uint32_t context, std::uint32_t resource) = 0;
  [[nodiscard]] virtual virtio::GpuAnswer Submit(std::uint32_t context, std::vector<std::uint32_t> words) = 0;

  [[nodiscard]] virtual virtio::GpuAnswer CreateResource(const virtio::GpuCreate3d& resource) = 0;
  [[nodiscard]] virtual virtio::GpuAnswer DestroyResource(std::uint32_t resource) = 0;
  // Copies a box into the resource, or out of it. `bytes` holds the layers of the box from transfer.offset on; both strides are
  // given. A renderer that hangs keeps the bytes.
  [[nodiscard]] virtual virtio::GpuAnswer Write(const virtio::GpuTransfer3d& transfer, std::vector<std::byte>& bytes) = 0;
  [[nodiscard]] virtual virtio::GpuAnswer Read(const virtio::GpuTransfer3d& transfer, std::vector<std::byte>& bytes) = 0;

  // Signalled when all that was submitted before is done. Numbers go up by one, and wrap.
  [[nodiscard]] virtual virtio::GpuAnswer CreateFence(std::uint32_t fence) = 0;
  [[nodiscard]] virtual bool hangs() const = 0;
};

inline constexpr std::int64_t kRendererLimitNs = 10'000'000'000;

// Starts a renderer. kUnsupported: a part is missing; kLimit: another device of the process has it. The host outlives the
// renderer.
using MakeRenderer3d = std::function<Result<std::unique_ptr<Renderer3d>>(Renderer3d::Host& host)>;

// Starts virglrenderer. Empty when its library is not installed, or this build was made without it. The call loads nothing.
[[nodiscard]] MakeRenderer3d InstalledRenderer3d();

}  // namespace tandem::bus
