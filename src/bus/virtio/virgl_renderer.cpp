#include "bus/virtio/virgl_renderer.h"

#include <utility>

#include <sys/uio.h>

#include "bus/virtio/virgl_library.h"

namespace tandem::bus {
namespace {

using virtio::GpuAnswer;
using virtio::GpuBox;
using virtio::GpuTransfer3d;

// virglrenderer's headers do not define its box.
virgl_box* BoxOf(GpuBox& box) { return reinterpret_cast<virgl_box*>(&box); }

}  // namespace

Result<std::unique_ptr<Renderer3d>> VirglRenderer::Start(Host& host) {
  auto thread = VirglThread::Start(host);
  if (!thread.ok()) return std::move(thread).error();
  return std::unique_ptr<Renderer3d>(new VirglRenderer(*std::move(thread)));
}

GpuAnswer VirglRenderer::Ask(std::function<int(const VirglLibrary&)> call) {
  const auto error = std::make_shared<int>(0);
  const bool done = thread_->Run([call = std::move(call), error](const VirglLibrary& virgl) { *error = call(virgl); });
  if (!done) return GpuAnswer::kUnspecified;
  return *error == 0 ? GpuAnswer::kOk : GpuAnswer::kInvalidParameter;
}

Renderer3d::Capset VirglRenderer::CapsetOf(std::uint32_t id) {
  const auto capset = std::make_shared<Capset>();
  const bool done =
      thread_->Run([id, capset](const VirglLibrary& virgl) { virgl.get_cap_set(id, &capset->max_version, &capset->max_bytes); });
  return done ? *capset : Capset{};
}

std::vector<std::byte> VirglRenderer::FillCapset(std::uint32_t id, std::uint32_t version) {
  const Capset capset = CapsetOf(id);
  if (capset.max_bytes == 0 || version > capset.max_version) return {};
  const auto bytes = std::make_shared<std::vector<std::byte>>(capset.max_bytes);
  if (!thread_->Run([=](const VirglLibrary& virgl) { virgl.fill_caps(id, version, bytes->data()); })) return {};
  return std::move(*bytes);
}

GpuAnswer VirglRenderer::CreateContext(std::uint32_t context, const std::string& name) {
  return Ask([=](const VirglLibrary& virgl) {
    return virgl.context_create(context, static_cast<std::uint32_t>(name.size()), name.c_str());
  });
}

GpuAnswer VirglRenderer::DestroyContext(std::uint32_t context) {
  return Ask([=](const VirglLibrary& virgl) {
    virgl.context_destroy(context);
    return 0;
  });
}

GpuAnswer VirglRenderer::AttachResource(std::uint32_t context, std::uint32_t resource) {
  return Ask([=](const VirglLibrary& virgl) {
    virgl.ctx_attach_resource(static_cast<int>(context), static_cast<int>(resource));
    return 0;
  });
}

GpuAnswer VirglRenderer::DetachResource(std::uint32_t context, std::uint32_t resource) {
  return Ask([=](const VirglLibrary& virgl) {
    virgl.ctx_detach_resource(static_cast<int>(context), static_cast<int>(resource));
    return 0;
  });
}

GpuAnswer VirglRenderer::Submit(std::uint32_t context, std::vector<std::uint32_t> words) {
  const auto buffer = std::make_shared<std::vector<std::uint32_t>>(std::move(words));
  return Ask([=](const VirglLibrary& virgl) {
    return virgl.submit_cmd(buffer->data(), static_cast<int>(context), static_cast<int>(buffer->size()));
  });
}

GpuAnswer VirglRenderer::CreateResource(const virtio::GpuCreate3d& resource) {
  return Ask([=](const VirglLibrary& virgl) {
    virgl_renderer_resource_create_args args{resource.resource,   resource.target,  resource.format, resource.bind,
                                             resource.width,      resource.height,  resource.depth,  resource.array_size,
                                             resource.last_level, resource.samples, resource.flags};
    return virgl.resource_create(&args, nullptr, 0);
  });
}

GpuAnswer VirglRenderer::DestroyResource(std::uint32_t resource) {
  return Ask([=](const VirglLibrary& virgl) {
    virgl.resource_unref(resource);
    return 0;
  });
}

GpuAnswer VirglRenderer::Write(const GpuTransfer3d& transfer, std::vector<std::byte>& bytes) {
  return Transfer(transfer, bytes, [](const VirglLibrary& virgl, const GpuTransfer3d& all, GpuBox& layer, iovec& memory) {
    return virgl.transfer_write_iov(all.resource, 0, static_cast<int>(all.level), all.stride, all.layer_stride, BoxOf(layer), 0,
                                    &memory, 1);
  });
}

GpuAnswer VirglRenderer::Read(const GpuTransfer3d& transfer, std::vector<std::byte>& bytes) {
  return Transfer(transfer, bytes, [](const VirglLibrary& virgl, const GpuTransfer3d& all, GpuBox& layer, iovec& memory) {
    return virgl.transfer_read_iov(all.resource, 0, all.level, all.stride, all.layer_stride, BoxOf(layer), 0, &memory, 1);
  });
}

// virglrenderer reads one layer at a time.
GpuAnswer VirglRenderer::Transfer(const GpuTransfer3d& transfer, std::vector<std::byte>& bytes, const MoveLayer& move) {
  const auto moved = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  const GpuAnswer answer = Ask([=](const VirglLibrary& virgl) {
    int error = 0;
    for (std::uint32_t i = 0; i < transfer.box.depth && error == 0; ++i) {
      GpuBox layer = transfer.box;
      layer.z += i;
      layer.depth = 1;
      const std::uint64_t offset = transfer.offset + std::uint64_t{transfer.layer_stride} * i;
      iovec memory{moved->data() + offset, moved->size() - offset};
      error = move(virgl, transfer, layer, memory);
    }
    return error;
  });
  if (!hangs()) bytes = std::move(*moved);
  return answer;
}

GpuAnswer VirglRenderer::CreateFence(std::uint32_t fence) {
  const GpuAnswer answer = Ask([=](const VirglLibrary& virgl) { return virgl.create_fence(static_cast<int>(fence), 0); });
  if (answer == GpuAnswer::kOk) thread_->ExpectFence(fence);
  return answer;
}

}  // namespace tandem::bus
