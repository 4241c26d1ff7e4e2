#include "drivers/vulkan/gpu/allocation.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/aligned.h"
#include "base/log.h"
#include "color/channels.h"
#include "drivers/vulkan/format.h"

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

// Adds a use of ours if the device offers it beside the program's own; false: it does not.
bool AddUse(const Gpu& gpu, VkImageUsageFlags use, VkImageCreateInfo& image) {
  const VkImageUsageFlags before = image.usage;
  image.usage |= use;
  if (Offers(gpu, image)) return true;
  image.usage = before;
  return false;
}

}  // namespace

// The structures of one vkCreateImage in stable memory, so that their pointers stay valid.
struct Allocation::ImageDescription {
  ImageDescription(const Gpu& gpu, const AllocationData& data, VkImageTiling tiling) {
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = ToVkFormat(data.format);
    info.extent = {data.width, data.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = tiling;
    info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    if (gpu.sharing_families().empty()) return;
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<std::uint32_t>(gpu.sharing_families().size());
    info.pQueueFamilyIndices = gpu.sharing_families().data();
  }
  ImageDescription(const ImageDescription&) = delete;
  ImageDescription& operator=(const ImageDescription&) = delete;

  // The program may create further images of the same memory (VkImageSwapchainCreateInfoKHR).
  void SetUse(VkImageUsageFlags usage, VkImageCreateFlags flags) {
    info.usage = usage;
    info.flags = flags | VK_IMAGE_CREATE_ALIAS_BIT;
  }

  template <class T>  // VkFormat, or its integer
  void AddViewFormats(const T* views, std::uint32_t count) {
    if (count == 0) return;
    count = std::min(count, kMaxViewFormats);
    for (std::uint32_t i = 0; i < count; ++i) list[i] = static_cast<VkFormat>(views[i]);
    formats.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
    formats.viewFormatCount = count;
    formats.pViewFormats = list.data();
    formats.pNext = info.pNext;
    info.pNext = &formats;
  }

  void MakeImportable() {
    external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO;
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    external.pNext = info.pNext;
    info.pNext = &external;
  }

  VkImageCreateInfo info{};

 private:
  VkImageFormatListCreateInfo formats{};
  std::array<VkFormat, kMaxViewFormats> list{};
  VkExternalMemoryImageCreateInfo external{};
};

Result<std::unique_ptr<Allocation>> Allocation::Create(Gpu& gpu, Owner& owner, const AllocationData& data) {
  std::unique_ptr<Allocation> self(new Allocation(gpu, owner, data));
  if (data.kind != AllocationKind::kImage && data.kind != AllocationKind::kLinear) return self;
  if (const VkResult result = gpu.CreateTimeline(self->rendered_); result != VK_SUCCESS) {
    self->rendered_ = VK_NULL_HANDLE;
    return Failed("vkCreateSemaphore", result);
  }
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
  gpu_.Destroy(rendered_);
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

Result<void> Allocation::Map(std::byte* pages, std::uint64_t offset, std::uint64_t bytes, bool may_import) {
  std::byte* const first = pages - offset;
  if (first != mapped_at_) mapped_bytes_ = 0;
  mapped_at_ = first;
  mapped_bytes_ += bytes;
  if (mapped_bytes_ < data_.size) return {};
  mapped_bytes_ = 0;
  if (linear_ != nullptr && linear_->pages() == first) return {};
  Drop();
  pages = first;
  const std::uint64_t size_bytes = data_.size;
  if (may_import) {
    VkResult failure = VK_SUCCESS;
    Result<std::unique_ptr<HostBuffer>> imported = HostBuffer::Import(gpu_, pages, size_bytes, failure);
    if (imported.ok()) {
      linear_ = std::move(*imported);
      return {};
    }
    owner_.ImportRefused(imported.error().message);
  }
  Result<std::unique_ptr<HostBuffer>> bounce = HostBuffer::CreateBounce(gpu_, pages, size_bytes);
  if (!bounce.ok()) return std::move(bounce).error();
  linear_ = std::move(*bounce);
  return {};
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
  if (Result<void> offered = OffersLinear(gpu_, data_, wanted.usage, wanted.flags); !offered.ok()) return offered;

  auto description = std::make_unique<ImageDescription>(gpu_, data_, VK_IMAGE_TILING_LINEAR);
  description->SetUse(wanted.usage, wanted.flags);
  description->MakeImportable();
  for (auto next = static_cast<const VkBaseInStructure*>(wanted.pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO) continue;
    const auto& views = *reinterpret_cast<const VkImageFormatListCreateInfo*>(next);
    description->AddViewFormats(views.pViewFormats, views.viewFormatCount);
  }
  VkImage image = VK_NULL_HANDLE;
  if (const VkResult result = gpu_.vk().CreateImage(gpu_.device(), &description->info, nullptr, &image); result != VK_SUCCESS) {
    return Failed("vkCreateImage", result);
  }
  if (Result<void> bound = BindLinear(image); !bound.ok()) {
    gpu_.Destroy(image);
    gpu_.Destroy(std::exchange(memory_, VK_NULL_HANDLE));
    return bound;
  }
  description_ = std::move(description);
  image_.store(image, std::memory_order_release);
  return {};
}

VkResult Allocation::CreateAlias(const VkAllocationCallbacks* allocator, VkImage& alias) const {
  return gpu_.vk().CreateImage(gpu_.device(), &description_->info, allocator, &alias);
}

VkResult Allocation::BindAlias(VkImage alias) const { return gpu_.vk().BindImageMemory(gpu_.device(), alias, memory_, 0); }

Result<void> Allocation::BindLinear(VkImage image) {
  const Dispatch& vk = gpu_.vk();
  const VkImageSubresource subresource{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout{};
  vk.GetImageSubresourceLayout(gpu_.device(), image, &subresource, &layout);
  VkMemoryRequirements requirements{};
  vk.GetImageMemoryRequirements(gpu_.device(), image, &requirements);
  if (layout.rowPitch != data_.pitch || layout.offset != 0) {
    return Fail(ErrorKind::kUnsupported, "The device lays rows {} bytes apart from offset {}; the surface has pitch {}.",
                layout.rowPitch, layout.offset, data_.pitch);
  }
  if (requirements.size > linear_->size_bytes()) {
    return Fail(ErrorKind::kUnsupported, "The device wants {} bytes for the image; the surface has {}.", requirements.size,
                linear_->size_bytes());
  }
  VkResult failure = VK_SUCCESS;
  const std::uint32_t types = requirements.memoryTypeBits & HostPointerTypes(gpu_, linear_->pages(), failure);
  const auto type = gpu_.FindMemoryType(types, 0, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (!type) return Fail(ErrorKind::kUnsupported, "No memory type holds both imported pages and the linear image.");
  if (const VkResult result = ImportPages(gpu_, linear_->pages(), linear_->size_bytes(), *type, memory_); result != VK_SUCCESS) {
    memory_ = VK_NULL_HANDLE;
    return Failed("vkAllocateMemory", result);
  }
  const VkResult result = vk.BindImageMemory(gpu_.device(), image, memory_, 0);
  return result == VK_SUCCESS ? Result<void>() : Failed("vkBindImageMemory", result);
}

Result<void> OffersLinear(const Gpu& gpu, const AllocationData& data, VkImageUsageFlags usage, VkImageCreateFlags flags) {
  VkPhysicalDeviceExternalImageFormatInfo external_query{};
  external_query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO;
  external_query.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkPhysicalDeviceImageFormatInfo2 query{};
  query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2;
  query.pNext = &external_query;
  query.format = ToVkFormat(data.format);
  query.type = VK_IMAGE_TYPE_2D;
  query.tiling = VK_IMAGE_TILING_LINEAR;
  query.usage = usage;
  query.flags = flags;
  VkExternalImageFormatProperties external_answer{};
  external_answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES;
  VkImageFormatProperties2 answer{};
  answer.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2;
  answer.pNext = &external_answer;
  const VkResult result = gpu.vk().ReadImageFormat(gpu.physical(), query, answer);
  if (result != VK_SUCCESS) {
    return Fail(ErrorKind::kUnsupported, "Linear images of format {} and usage 0x{:x} over imported pages are not offered: {}.",
                color::ToString(data.format), usage, ToString(result));
  }
  const VkExternalMemoryFeatureFlags features = external_answer.externalMemoryProperties.externalMemoryFeatures;
  const VkExtent3D& limit = answer.imageFormatProperties.maxExtent;
  if ((features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) == 0 || limit.width < data.width || limit.height < data.height) {
    return Fail(ErrorKind::kUnsupported, "Linear images import host pages with features 0x{:x}, up to {} x {}.", features,
                limit.width, limit.height);
  }
  return {};
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
