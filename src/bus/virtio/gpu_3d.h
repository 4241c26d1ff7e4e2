// The 3D half of a virtio GPU: it checks the driver's commands, moves bytes between backings and the renderer, and starts the
// renderer with the first command that needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "bus/virtio/gpu_protocol_3d.h"
#include "bus/virtio/gpu_resources.h"
#include "bus/virtio/gpu_transfer.h"
#include "bus/virtio/renderer_3d.h"
#include "bus/virtio/split_queue.h"

namespace tandem::bus {

// Threads: one at a time.
class Gpu3d {
 public:
  static constexpr std::size_t kMaxContexts = 64;
  static constexpr std::uint32_t kMaxSubmitBytes = 1u << 22;

  // Empty `make`: every command is answered with an error. `resources` and `host` outlive this object.
  Gpu3d(GpuResources& resources, MakeRenderer3d make, Renderer3d::Host& host)
      : resources_(resources), make_(std::move(make)), host_(host) {}

  // Starts the renderer unless it runs; 0: there is no 3D.
  [[nodiscard]] std::uint32_t CountCapsets();
  // Executes a command of 3D; kUnspecified for others. `answer` grows when there is more than a header.
  [[nodiscard]] virtio::GpuAnswer Execute(const virtio::GpuHeader& header, const Chain& chain, std::vector<std::byte>& answer);
  // Executes TRANSFER_TO_HOST_2D for a texture.
  [[nodiscard]] virtio::GpuAnswer TransferToHost2d(const virtio::GpuTransfer& command);
  // Destroys the renderer's part of a resource.
  void Destroy(std::uint32_t resource);
  // Reads a rectangle of a texture into its picture.
  [[nodiscard]] virtio::GpuAnswer ReadPicture(std::uint32_t id, GpuResource& resource, const virtio::GpuRect& rect);

  // A fence behind all that was executed; nullopt: nothing is under way.
  [[nodiscard]] std::optional<std::uint32_t> Fence();
  // Writes results of queries to their backings. Called when fences up to `fence` were signalled, before the driver hears of it.
  void PublishResults(std::uint32_t fence);
  // True if the renderer hangs; the driver can only reset the device.
  [[nodiscard]] bool hangs() const { return renderer_ != nullptr && renderer_->hangs(); }
  // Resources are cleared by their owner.
  void Reset();
  // Bytes that were copied between backings and the renderer, and into pictures, so far.
  [[nodiscard]] std::uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  // False: there is no 3D; the reason is logged once between two resets.
  [[nodiscard]] bool HasRenderer();
  [[nodiscard]] virtio::GpuAnswer GetCapsetInfo(const virtio::GpuGetCapsetInfo& command, std::vector<std::byte>& answer);
  [[nodiscard]] virtio::GpuAnswer GetCapset(const virtio::GpuGetCapset& command, std::vector<std::byte>& answer);
  [[nodiscard]] virtio::GpuAnswer CreateContext(const virtio::GpuContextCreate& command);
  [[nodiscard]] virtio::GpuAnswer DestroyContext(std::uint32_t context);
  [[nodiscard]] virtio::GpuAnswer CreateResource(const virtio::GpuCreate3d& command);
  [[nodiscard]] virtio::GpuAnswer Link(const virtio::GpuContextResource& command, bool attach);
  [[nodiscard]] virtio::GpuAnswer Submit(const virtio::GpuSubmit3d& command, const Chain& chain);
  [[nodiscard]] virtio::GpuAnswer Transfer(const virtio::GpuTransfer3d& command, bool to_host);
  // Copies between the staging bytes and a backing.
  [[nodiscard]] virtio::GpuAnswer MoveRows(const GpuResource& resource, std::uint64_t offset, const TransferRows& rows,
                                           std::uint64_t staging_stride, bool to_staging);
  void PublishResult(std::uint32_t id, const GpuResource& resource);
  // Marks the result of a query buffer as not there yet.
  [[nodiscard]] virtio::GpuAnswer ClearResult(std::uint32_t id);

  GpuResources& resources_;
  const MakeRenderer3d make_;
  Renderer3d::Host& host_;
  std::unique_ptr<Renderer3d> renderer_;  // null: not started, or failed_
  bool failed_ = false;
  std::set<std::uint32_t> contexts_;
  std::uint32_t last_fence_ = 0;
  bool asked_results_ = false;                  // since the last fence
  std::optional<std::uint32_t> results_fence_;  // behind the last question for a result
  std::vector<std::byte> staging_;              // of the last transfer
  std::vector<GuestCopy> copies_;               // of a layer
  std::uint64_t copied_bytes_ = 0;
};

}  // namespace tandem::bus
