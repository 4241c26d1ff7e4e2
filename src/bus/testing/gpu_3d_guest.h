// A driver of a virtio GPU that uses 3D, for tests. Each call sends one command and returns the answer's type.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/sleep.h"
#include "bus/testing/virtio_guest.h"
#include "bus/virtio/gpu_protocol_3d.h"

namespace tandem::bus {

// Binds that are usual for a render target that is scanned out: sampler view, render target, scan-out.
inline constexpr std::uint32_t kRenderBinds = 1u << 1 | 1u << 3 | 1u << 18;

class Gpu3dGuest {
 public:
  explicit Gpu3dGuest(DeviceModel& device) : guest(device) {}
  // Takes the renderer away before the host goes.
  ~Gpu3dGuest() { guest.Reset(); }
  Gpu3dGuest(const Gpu3dGuest&) = delete;
  Gpu3dGuest& operator=(const Gpu3dGuest&) = delete;

  std::uint32_t Start() { return guest.Start(static_cast<std::uint32_t>(virtio::kGpuVirgl)); }

  static virtio::GpuHeader Header(virtio::GpuCommand command, std::uint32_t context = 0) {
    return {static_cast<std::uint32_t>(command), 0, 0, context, 0};
  }

  // Waits up to 5 s for an answer that a fence holds back. 0: no answer.
  template <class Command>
  std::uint32_t Send(const Command& command, std::span<const std::byte> tail = {}, void* answer = nullptr,
                     std::uint32_t bytes = 0) {
    std::vector<std::byte> sent(sizeof(command) + tail.size());
    std::memcpy(sent.data(), &command, sizeof(command));
    if (!tail.empty()) std::memcpy(sent.data() + sizeof(command), tail.data(), tail.size());
    std::array<std::uint32_t, 6> header{};
    if (answer == nullptr) {
      answer = header.data();
      bytes = sizeof(header);
    }
    const std::uint16_t before = guest.queues[0].used.index;
    guest.Send(0, sent, answer, bytes);
    for (int i = 0; i < 5000 && Used() == before; ++i) {
      SleepFor(MonotonicClock(), 1'000'000);
      guest.host.Run();
    }
    std::uint32_t type = 0;
    if (Used() != before) std::memcpy(&type, answer, sizeof(type));
    return type;
  }
  // Calls of the device's thread may write it.
  [[nodiscard]] std::uint16_t Used() const { return *static_cast<const volatile std::uint16_t*>(&guest.queues[0].used.index); }

  std::uint32_t CreateContext(std::uint32_t context) {
    return Send(virtio::GpuContextCreate{Header(virtio::GpuCommand::kContextCreate, context), 4, 0, {'t', 'e', 's', 't'}});
  }
  std::uint32_t DestroyContext(std::uint32_t context) { return Send(Header(virtio::GpuCommand::kContextDestroy, context)); }
  std::uint32_t Link(std::uint32_t context, std::uint32_t resource, bool attach = true) {
    const auto command = attach ? virtio::GpuCommand::kContextAttachResource : virtio::GpuCommand::kContextDetachResource;
    return Send(virtio::GpuContextResource{Header(command, context), resource, 0});
  }
  static virtio::GpuCreate3d Texture2d(std::uint32_t id, std::uint32_t width, std::uint32_t height, std::uint32_t format = 2,
                                       std::uint32_t flags = 0) {
    return {Header(virtio::GpuCommand::kResourceCreate3d),
            id,
            static_cast<std::uint32_t>(virtio::GpuTarget::kTexture2d),
            format,
            kRenderBinds,
            width,
            height,
            1,
            1,
            0,
            0,
            flags,
            0};
  }
  static virtio::GpuCreate3d Buffer(std::uint32_t id, std::uint32_t bytes, std::uint32_t bind) {
    constexpr std::uint32_t kBytes = 64;  // VIRGL_FORMAT_R8_UNORM
    return {Header(virtio::GpuCommand::kResourceCreate3d), id, 0, kBytes, bind, bytes, 1, 1, 1, 0, 0, 0, 0};
  }
  template <class T>
  std::uint32_t Attach(std::uint32_t id, std::vector<T>& memory) {
    const virtio::GpuBackingEntry entry{reinterpret_cast<std::uintptr_t>(memory.data()),
                                        static_cast<std::uint32_t>(memory.size() * sizeof(T)), 0};
    return Send(virtio::GpuAttachBacking{Header(virtio::GpuCommand::kResourceAttachBacking), id, 1},
                std::as_bytes(std::span(&entry, 1)));
  }
  std::uint32_t Of(virtio::GpuCommand command, std::uint32_t id) {  // unref, detach backing
    return Send(virtio::GpuResourceCommand{Header(command), id, 0});
  }
  std::uint32_t Transfer(bool to_host, std::uint32_t id, const virtio::GpuBox& box, std::uint64_t offset = 0,
                         std::uint32_t stride = 0, std::uint32_t layer_stride = 0, std::uint32_t context = 0,
                         std::uint32_t level = 0) {
    const auto command = to_host ? virtio::GpuCommand::kTransferToHost3d : virtio::GpuCommand::kTransferFromHost3d;
    return Send(virtio::GpuTransfer3d{Header(command, context), box, offset, id, level, stride, layer_stride});
  }
  // With a fence unless `fence` is 0.
  std::uint32_t Submit(std::uint32_t context, const std::vector<std::uint32_t>& words, std::uint64_t fence = 0) {
    virtio::GpuSubmit3d command{Header(virtio::GpuCommand::kSubmit3d, context), static_cast<std::uint32_t>(words.size() * 4), 0};
    command.header.flags = fence != 0 ? virtio::kGpuFence : 0;
    command.header.fence = fence;
    return Send(command, std::as_bytes(std::span(words)));
  }
  std::uint32_t SetScanout(std::uint32_t id, const virtio::GpuRect& rect) {
    return Send(virtio::GpuSetScanout{Header(virtio::GpuCommand::kSetScanout), rect, 0, id});
  }
  std::uint32_t Flush(std::uint32_t id, const virtio::GpuRect& rect) {
    return Send(virtio::GpuFlush{Header(virtio::GpuCommand::kResourceFlush), rect, id, 0});
  }

  VirtioGuest guest;
};

}  // namespace tandem::bus
