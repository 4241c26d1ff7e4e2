#include "drivers/vulkan/gpu/allocation.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/aligned.h"
#include "base/dma_buf.h"
#include "base/log.h"
#include "color/channels.h"
#include "drivers/vulkan/gpu/linear_image.h"

namespace tandem::vulkan {
namespace {

constexpr std::uint64_t kReleaseTimeoutNs = 2'000'000'000;

Error Failed(const char* call, VkResult result) {
  return Fail(ToErrorKind(result, ErrorKind::kUnsupported), "{} answered {}.", call, ToString(result));
}

// True for formats with more bits than most screens show: a copy out of such an image is usually a conversion.
bool IsConverted(color::Format format) { return !color::LayoutOf(format).has_8_bits(); }

bool Offers(const Gpu& gpu, const VkImageCreateInfo& image) {
  VkPhysicalDeviceImageFormatInfo2 query{};
  query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2;
  query.format = image.format;
  query.type = image.imageType;
  query.tiling = image.tiling;
  query.usage = image.usage;
  query.flags = image.flags;
  VkImageFormatProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2;
  const VkResult result = gpu.vk().ReadImageFormat(gpu.physical(), query, properties);
  return result == VK_SUCCESS && image.extent.width <= properties.imageFormatProperties.maxExtent.width &&
         image.extent.height <= properties.imageFormatProperties.maxExtent.height;
}

// A dma-buf of the pages: their own, or one made over a memfd's.
Result<UniqueFd> DmaBufOf(const SystemPages& pages, std::uint64_t size_bytes) {
  if (!pages.is_dma_buf) return CreateDmaBuf(pages.fd, pages.fd_offset, size_bytes);
  if (pages.fd_offset != 0) return Fail(ErrorKind::kUnsupported, "The pages begin at byte {} of a dma-buf.", pages.fd_offset);
  return DuplicateFd(pages.fd);
}

// Adds a use of ours if the device offers it beside the program's own; false: it does not.
bool AddUse(const Gpu& gpu, VkImageUsageFlags use, VkImageCreateInfo& image) {
  const VkImageUsageFlags before = image.usage;
  image.usage |= use;
  if (Offers(gpu, image)) return true;
  image.usage = before;
  return false;
}

}  // namespace

Result<std::unique_ptr<Allocation>> Allocation::Create(Gpu& gpu, Owner& owner, const AllocationData& data) {
  std::unique_ptr<Allocation> self(new Allocation(gpu, owner, data));
  if (data.kind != AllocationKind::kImage && data.kind != AllocationKind::kLinear) return self;
  std::uint64_t value = 0;
  if (const VkResult result = gpu.TakeTimeline(self->rendered_, value); result != VK_SUCCESS) {
    self->rendered_ = VK_NULL_HANDLE;
    return Failed("vkCreateSemaphore", result);
  }
  self->rendered_value_.store(value, std::memory_order_release);
  if (data.kind == AllocationKind::kImage) {
    if (Result<void> created = self->CreateImage(); !created.ok()) return created.error();
    owner.GiveFirstLayout(*self);
  }
  return self;
}

Allocation::Allocation(Gpu& gpu, Owner& owner, const AllocationData& data) : gpu_(gpu), owner_(owner), data_(data) {}

Allocation::~Allocation() {
  // The release of a dropped present may still run; waiting for it means waiting for the application's rendering.
  const std::uint64_t released_value = RenderedValue();
  if (released_value != 0 && !gpu_.lost()) {
    const VkResult result = gpu_.Wait(rendered_, released_value, kReleaseTimeoutNs);
    if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST) {
      Log(LogLevel::kWarn, "An image is gone whose rendering did not end within {} ns; its objects stay.", kReleaseTimeoutNs);
      return;
    }
  }
  gpu_.Destroy(sampled_);
  gpu_.Destroy(image_.load(std::memory_order_relaxed));
  gpu_.Destroy(memory_);
  gpu_.GiveTimelineBack(rendered_, released_value);
}

Result<void> Allocation::CreateImage() {
  if (IsConverted(data_.format) && gpu_.type() == VK_PHYSICAL_DEVICE_TYPE_CPU && CreateHostImage().ok()) return {};
  description_ = std::make_unique<ImageDescription>(gpu_, data_, VK_IMAGE_TILING_OPTIMAL);
  description_->SetUse(data_.image_usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, data_.image_flags);
  description_->AddViewFormats(data_.view_formats.data(), data_.view_format_count);
  if (IsConverted(data_.format)) {
    AddUse(gpu_, VK_IMAGE_USAGE_SAMPLED_BIT, description_->info);
    rows_for_host_ = gpu_.copies_on_host() && AddUse(gpu_, kHostTransferUsage, description_->info);
  }
  VkImage image = VK_NULL_HANDLE;
  if (const VkResult result = gpu_.vk().CreateImage(gpu_.device(), &description_->info, nullptr, &image); result != VK_SUCCESS) {
    return Failed("vkCreateImage", result);
  }
  image_.store(image, std::memory_order_release);
  if (Result<void> bound = BindOwnMemory(image, 0); !bound.ok()) return bound;
  CreateSampledView();
  return {};
}

// A linear image in memory that the processor sees. Only for devices that can do all with it that they can do with others.
Result<void> Allocation::CreateHostImage() {
  const Dispatch& vk = gpu_.vk();
  auto description = std::make_unique<ImageDescription>(gpu_, data_, VK_IMAGE_TILING_LINEAR);
  description->SetUse(data_.image_usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, data_.image_flags);
  description->AddViewFormats(data_.view_formats.data(), data_.view_format_count);
  VkFormatProperties features{};
  vk.GetPhysicalDeviceFormatProperties(gpu_.physical(), description->info.format, &features);
  const bool as_good = (features.optimalTilingFeatures & ~features.linearTilingFeatures) == 0;
  if (!as_good || !Offers(gpu_, description->info)) return Fail(ErrorKind::kUnsupported, "No linear image.");
  AddUse(gpu_, VK_IMAGE_USAGE_SAMPLED_BIT, description->info);
  VkImage image = VK_NULL_HANDLE;
  if (const VkResult result = vk.CreateImage(gpu_.device(), &description->info, nullptr, &image); result != VK_SUCCESS) {
    return Failed("vkCreateImage", result);
  }
  void* mapped = nullptr;
  Result<void> bound = BindOwnMemory(image, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (bound.ok()) {
    const VkResult result = vk.MapMemory(gpu_.device(), memory_, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (result != VK_SUCCESS) bound = Failed("vkMapMemory", result);
  }
  if (!bound.ok()) {
    gpu_.Destroy(image);
    gpu_.Destroy(std::exchange(memory_, VK_NULL_HANDLE));
    return bound;
  }
  const VkImageSubresource subresource{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout{};
  vk.GetImageSubresourceLayout(gpu_.device(), image, &subresource, &layout);
  host_pixels_ = {static_cast<std::byte*>(mapped) + layout.offset, static_cast<std::uint32_t>(layout.rowPitch)};
  description_ = std::move(description);
  image_.store(image, std::memory_order_release);
  CreateSampledView();
  return {};
}

VkResult Allocation::CopyRowsOut(std::uint32_t first, std::uint32_t count, std::byte* rows) const {
  ImageToMemoryCopy region;
  region.pHostPointer = rows;
  region.memoryRowLength = pitch() / drivers::PixelBytes(data_.format);
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageOffset.y = static_cast<std::int32_t>(first);
  region.imageExtent = {data_.width, count, 1};
  CopyImageToMemoryInfo info;
  info.srcImage = image();
  info.srcImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  info.regionCount = 1;
  info.pRegions = &region;
  return gpu_.vk().CopyImageToMemoryEXT(gpu_.device(), &info);
}

// Without a view, conversions take one copy more.
void Allocation::CreateSampledView() {
  if (!IsConverted(data_.format) || (description_->info.usage & VK_IMAGE_USAGE_SAMPLED_BIT) == 0) return;
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image();
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = description_->info.format;
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  if (gpu_.vk().CreateImageView(gpu_.device(), &info, nullptr, &sampled_) != VK_SUCCESS) sampled_ = VK_NULL_HANDLE;
}

Result<void> Allocation::BindOwnMemory(VkImage image, VkMemoryPropertyFlags required) {
  const Dispatch& vk = gpu_.vk();
  VkMemoryRequirements requirements{};
  vk.GetImageMemoryRequirements(gpu_.device(), image, &requirements);
  const auto type = gpu_.FindMemoryType(requirements.memoryTypeBits, required, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!type) return Fail(ErrorKind::kUnsupported, "No memory type of 0x{:x} fits the image.", requirements.memoryTypeBits);
  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.image = image;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &dedicated;
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = *type;
  if (const VkResult result = vk.AllocateMemory(gpu_.device(), &info, nullptr, &memory_); result != VK_SUCCESS) {
    memory_ = VK_NULL_HANDLE;
    return Failed("vkAllocateMemory", result);
  }
  const VkResult bound = vk.BindImageMemory(gpu_.device(), image, memory_, 0);
  return bound == VK_SUCCESS ? Result<void>() : Failed("vkBindImageMemory", bound);
}

Result<void> Allocation::Map(const SystemPages& pages, std::uint64_t offset, std::uint64_t bytes, const ImportWays& ways) {
  std::byte* const first = pages.address - offset;
  if (first != mapped_at_) mapped_bytes_ = 0;
  mapped_at_ = first;
  mapped_bytes_ += bytes;
  if (mapped_bytes_ < data_.size) return {};
  mapped_bytes_ = 0;
  if (linear_ != nullptr && linear_->pages() == first) return {};
  Drop();
  ways_ = ways;
  const SystemPages whole{first, pages.fd, pages.fd_offset - offset, pages.is_dma_buf};
  linear_ = Import(whole);
  if (dma_buf() >= 0) fences_ = DmaBufFences::Create(gpu_, dma_buf());
  if (linear_ != nullptr) return {};
  Result<std::unique_ptr<HostBuffer>> bounce = HostBuffer::CreateBounce(gpu_, first, data_.size);
  if (!bounce.ok()) return std::move(bounce).error();
  linear_ = std::move(*bounce);
  return {};
}

std::unique_ptr<HostBuffer> Allocation::Import(const SystemPages& pages) {
  VkResult failure = VK_SUCCESS;
  if (ways_.dma_bufs && pages.fd >= 0) {
    Result<UniqueFd> dma_buf = DmaBufOf(pages, data_.size);
    auto imported = dma_buf.ok() ? HostBuffer::ImportDmaBuf(gpu_, *std::move(dma_buf), pages.address, data_.size, failure)
                                 : Result<std::unique_ptr<HostBuffer>>(dma_buf.error());
    if (imported.ok()) return std::move(*imported);
    owner_.DmaBufRefused(imported.error().message);
  }
  if (!ways_.addresses) return nullptr;
  auto imported = HostBuffer::Import(gpu_, pages.address, data_.size, failure);
  if (imported.ok()) return std::move(*imported);
  owner_.ImportRefused(imported.error().message);
  return nullptr;
}

void Allocation::Unmap() {
  mapped_bytes_ = 0;
  mapped_at_ = nullptr;
  if (data_.kind != AllocationKind::kLinear || image() == VK_NULL_HANDLE) Drop();
}

std::uint32_t Allocation::pitch() const {
  return data_.pitch != 0 ? data_.pitch : AlignUp(data_.width * drivers::PixelBytes(data_.format), drivers::kPitchAlignment);
}

void Allocation::Drop() {
  if (data_.kind == AllocationKind::kLinear) {
    gpu_.Destroy(image_.exchange(VK_NULL_HANDLE, std::memory_order_acq_rel));
    gpu_.Destroy(std::exchange(memory_, VK_NULL_HANDLE));
  }
  fences_.reset();
  linear_.reset();
}

std::string Allocation::presentable_refusal() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return refusal_;
}

Result<void> Allocation::MakePresentable(const VkImageCreateInfo& wanted) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (image() != VK_NULL_HANDLE) return {};
  Result<void> made = TryPresentable(wanted);
  refusal_ = made.ok() ? std::string() : made.error().message;
  if (made.ok()) owner_.GiveFirstLayout(*this);
  return made;
}

Result<void> Allocation::TryPresentable(const VkImageCreateInfo& wanted) {
  if (data_.kind != AllocationKind::kLinear)
    return Fail(ErrorKind::kUnsupported, "The allocation is not a cross-adapter surface.");
  if (linear_ == nullptr) return Fail(ErrorKind::kUnsupported, "The cross-adapter surface is not mapped.");
  if (!linear_->imported()) {
    return Fail(ErrorKind::kUnsupported, "The device does not import the pages of the cross-adapter surface.");
  }
  ImportSource source = linear_->source();
  Result<void> made = source.dma_buf < 0 || ways_.dma_buf_images
                          ? TryImage(wanted, source)
                          : Fail(ErrorKind::kUnsupported, "The probe drew no picture into an image over a dma-buf.");
  if (made.ok() || source.dma_buf < 0 || !ways_.addresses) return made;
  source.dma_buf = -1;
  if (!TryImage(wanted, source).ok()) return made;
  Log(LogLevel::kInfo, "An image over shared pages is made by their address, not by a dma-buf: {}", made.error().message);
  return {};
}

Result<void> Allocation::TryImage(const VkImageCreateInfo& wanted, const ImportSource& source) {
  if (Result<void> offered = OffersLinear(gpu_, data_, wanted, source.handle_type()); !offered.ok()) return offered;
  auto description = std::make_unique<ImageDescription>(gpu_, data_, VK_IMAGE_TILING_LINEAR);
  description->SetUse(wanted.usage, wanted.flags);
  description->MakeImportable(source.handle_type(), data_.pitch);
  if (const auto* views = ViewFormatsOf(wanted)) description->AddViewFormats(views->pViewFormats, views->viewFormatCount);
  VkImage image = VK_NULL_HANDLE;
  if (const VkResult result = gpu_.vk().CreateImage(gpu_.device(), &description->info, nullptr, &image); result != VK_SUCCESS) {
    return Failed("vkCreateImage", result);
  }
  if (Result<void> bound = BindLinear(image, source); !bound.ok()) {
    gpu_.Destroy(image);
    gpu_.Destroy(std::exchange(memory_, VK_NULL_HANDLE));
    return bound;
  }
  description_ = std::move(description);
  image_by_dma_buf_ = source.dma_buf >= 0;
  outside_ = image_by_dma_buf_ ? gpu_.outside() : OutsideFamilies{};
  image_.store(image, std::memory_order_release);
  return {};
}

VkResult Allocation::CreateAlias(const VkAllocationCallbacks* allocator, VkImage& alias) const {
  return gpu_.vk().CreateImage(gpu_.device(), &description_->info, allocator, &alias);
}

VkResult Allocation::BindAlias(VkImage alias) const { return gpu_.vk().BindImageMemory(gpu_.device(), alias, memory_, 0); }

Result<void> Allocation::BindLinear(VkImage image, const ImportSource& source) {
  if (Result<void> checked = CheckLayout(gpu_, image, data_.pitch, source.handle_type()); !checked.ok()) return checked;
  const ImportNeeds needs = NeedsOf(gpu_, image, source);
  if (needs.memory.size > source.size_bytes) {
    return Fail(ErrorKind::kUnsupported, "The device wants {} bytes for the image; the surface has {}.", needs.memory.size,
                source.size_bytes);
  }
  VkResult failure = VK_SUCCESS;
  const std::uint32_t types = needs.memory.memoryTypeBits & ImportTypes(gpu_, source, failure);
  const auto type = gpu_.FindMemoryType(types, 0, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (!type) return Fail(ErrorKind::kUnsupported, "No memory type holds both imported pages and the linear image.");
  VkMemoryDedicatedAllocateInfo alone{};
  alone.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  alone.image = image;
  if (const VkResult result = ImportMemory(gpu_, source, *type, needs.dedicated ? &alone : nullptr, memory_);
      result != VK_SUCCESS) {
    memory_ = VK_NULL_HANDLE;
    return Failed("vkAllocateMemory", result);
  }
  const VkResult result = gpu_.vk().BindImageMemory(gpu_.device(), image, memory_, 0);
  return result == VK_SUCCESS ? Result<void>() : Failed("vkBindImageMemory", result);
}

Rows Allocation::rows() const {
  if (local_ != nullptr) return local_->At(0);
  return linear_ == nullptr ? Rows{} : linear_->rows();
}

Result<std::unique_ptr<Allocation>> Allocation::CreateRows(Gpu& gpu, Owner& owner, std::uint32_t width, std::uint32_t height,
                                                           color::Format format, RowsPlace place) {
  Result<AllocationData> data = DescribeSurface(AllocationKind::kLinear, width, height, format, 0);
  if (!data.ok()) return std::move(data).error();
  std::unique_ptr<Allocation> made(new Allocation(gpu, owner, *data));
  if (place == RowsPlace::kDevice) {
    Result<std::unique_ptr<LocalMemory>> local = LocalMemory::Create(gpu, 0, data->size);
    if (!local.ok()) return std::move(local).error();
    made->local_ = std::move(*local);
    return made;
  }
  Result<std::unique_ptr<HostBuffer>> rows = HostBuffer::CreateBounce(gpu, nullptr, data->size);
  if (!rows.ok()) return std::move(rows).error();
  std::memset((*rows)->bounce(), 0, data->size);
  made->linear_ = std::move(*rows);
  return made;
}

}  // namespace tandem::vulkan
