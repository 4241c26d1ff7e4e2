// A graphics kernel and a runtime in one, minimal, to drive both halves of the driver: no queues, no checks, no policy.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/memory_map.h"
#include "color/format.h"
#include "drivers/vulkan/gpu/private_data.h"
#include "drivers/vulkan/umd/application_images.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

// kDmaBuf: a dma-buf that the driver knows no memfd of.
enum class Pages { kAnonymous, kMemfd, kDmaBuf };

// A resource in memory that the runtime gives it.
struct TestResource {
  std::unique_ptr<std::max_align_t[]> memory;
  D3D10DDI_HRESOURCE handle{};
  D3DKMT_HANDLE allocation = 0;
  AllocationData data;
  std::byte* pages = nullptr;  // only of a cross-adapter resource
};

// One adapter, one device, one context. Calls come from one thread, interrupts from the driver's threads.
class FakeKernel {
 public:
  // Null when StartDevice failed.
  static std::unique_ptr<FakeKernel> Start(const DeviceDescription& description, Pages pages);
  ~FakeKernel();

  [[nodiscard]] AdapterData Query();
  [[nodiscard]] D3D10DDI_HDEVICE device() const { return umd_device_; }
  [[nodiscard]] HRESULT last_error() const { return error_; }

  // An image that an application renders into. Null on a driver error, which last_error() returns.
  std::unique_ptr<TestResource> CreateImage(std::uint32_t width, std::uint32_t height, color::Format format);
  // A linear surface of new pages, opened as if another adapter had created it.
  std::unique_ptr<TestResource> OpenShared(std::uint32_t width, std::uint32_t height, color::Format format);
  std::unique_ptr<TestResource> CreatePrimary(std::uint32_t width, std::uint32_t height, color::Format format,
                                              std::uint32_t source);
  void Destroy(std::unique_ptr<TestResource> resource);

  // pfnPresent(Blt). Empty `rects` mean the whole picture. Returns the fence, 0 on an error.
  UINT Blt(TestResource& source, TestResource& destination, const std::vector<RECT>& rects);
  // A present as the kernel requests it; no source means a fill. Only rectangles, flags, colour and sub-rectangles of `args`
  // are used.
  UINT Present(TestResource* source, TestResource& destination, const DXGKARG_PRESENT& args);
  // Settings for later presents: bytes and entries of each buffer (0: the driver's own sizes), and the treatment of addresses.
  struct Building {
    UINT dma_bytes = 0;
    UINT private_bytes = 0;
    UINT patches = 0;
    bool prepatched = true;
    std::uint32_t patch_calls = 1;
  };
  Building building;
  // An allocation with the private data `data`, as the thunks would create it.
  std::unique_ptr<TestResource> CreateRaw(const AllocationData& data);
  // Calls BuildPagingBuffer, submits the buffer and waits for it.
  NTSTATUS Page(DXGKARG_BUILDPAGINGBUFFER& paging);
  // Moves an allocation of kind kLocal to an address of the memory segment. Address 0 evicts it to its backing store.
  void Move(TestResource& resource, std::uint64_t address);
  // Maps the backing store into the aperture.
  void MapAperture(TestResource& resource, std::uint64_t pages_each);
  void UnmapAperture(TestResource& resource);
  [[nodiscard]] std::byte* PagesOf(const TestResource& resource) { return objects_.at(resource.allocation).map.data(); }
  // The feature that allows shared backing stores; initially off.
  bool share_backing_stores = false;
  // Calls pfnFlush. Returns the fence of the last DMA buffer that it made, 0 without one.
  UINT Flush();
  // Calls SetVidPnSourceAddress as a flip.
  void Flip(TestResource& primary, bool immediate);
  void SetVisible(std::uint32_t source, bool visible);
  // Calls ResetFromTimeout and RestartFromTimeout.
  void Reset();
  // The driver's own DDIs, for tests that call them directly.
  [[nodiscard]] const DRIVER_INITIALIZATION_DATA& ddi() const { return ddi_; }
  [[nodiscard]] HANDLE adapter() const { return miniport_; }
  struct Preemption {
    UINT fence = 0;  // PreemptionFenceId
    UINT last_completed = 0;
  };
  // Calls PreemptCommand on the context's node and waits for the answer.
  Preemption Preempt(UINT preemption_fence);
  [[nodiscard]] UINT node() const { return node_; }
  // Later fences were returned by a preemption and will not complete.
  void ForgetFencesAfter(UINT fence) { last_fence_ = fence; }
  // False after 20 s.
  bool WaitFence(UINT fence);
  bool WaitVsyncOf(std::uint32_t source, std::uint64_t address);
  [[nodiscard]] std::uint64_t vsyncs(std::uint32_t source);
  [[nodiscard]] static std::uint64_t AddressOf(const TestResource& resource) { return 0x1000ULL * resource.allocation; }
  [[nodiscard]] NTSTATUS last_status() const { return status_; }

  struct Callbacks;

 private:
  struct Object {
    HANDLE driver = nullptr;  // hAllocation
    HANDLE opened = nullptr;  // hDeviceSpecificAllocation
    AllocationData data;
    MemoryMap map;  // the backing store
    UniqueFd fd;
    UINT segment = 0;
    std::uint64_t address = 0;
  };

  FakeKernel() = default;
  std::unique_ptr<TestResource> Create(const D3D11DDIARG_CREATERESOURCE& args, std::uint32_t width, std::uint32_t height);
  D3DKMT_HANDLE AddAllocation(void* private_data, UINT size);
  void MakeBackingStore(Object& object);
  void RemoveAllocation(D3DKMT_HANDLE handle);
  // A DMA buffer with all data that must live until its fence.
  struct InFlight {
    std::vector<std::byte> dma;
    std::unique_ptr<std::byte[]> private_data;
    std::vector<D3DDDI_PATCHLOCATIONLIST> patches;
    std::vector<DXGK_ALLOCATIONLIST> allocations;
  };
  // Returns the fence of the last buffer, 0 on an error.
  UINT PresentAll(D3DKMT_HANDLE source, D3DKMT_HANDLE destination, const DXGKARG_PRESENT& wanted);
  [[nodiscard]] InFlight NewBuffer(std::size_t allocations) const;
  NTSTATUS Submit(InFlight buffer, UINT used, UINT patch_count);
  [[nodiscard]] DXGK_ALLOCATIONLIST ReferenceTo(D3DKMT_HANDLE allocation);

  const DeviceDescription* description_ = nullptr;
  Pages pages_ = Pages::kAnonymous;
  DRIVER_INITIALIZATION_DATA ddi_{};
  DEVICE_OBJECT device_object_{};
  PVOID miniport_ = nullptr;
  DXGKRNL_INTERFACE callbacks_{};
  ULONG sources_ = 0;
  HANDLE kernel_device_ = nullptr;
  HANDLE kernel_context_ = nullptr;
  DXGK_CONTEXTINFO context_info_{};
  UINT node_ = 0;
  UINT paging_bytes_ = 4096;

  D3D10DDI_HADAPTER umd_adapter_{};
  D3D10_2DDI_ADAPTERFUNCS adapter_functions_{};
  D3D11DDI_DEVICEFUNCS device_functions_{};
  DXGI1_3_DDI_BASE_FUNCTIONS dxgi_functions_{};
  std::unique_ptr<std::max_align_t[]> device_memory_;
  D3D10DDI_HDEVICE umd_device_{};
  HRESULT error_ = S_OK;
  NTSTATUS status_ = STATUS_SUCCESS;
  std::array<std::byte, 256> command_buffer_{};
  std::array<D3DDDI_ALLOCATIONLIST, 16> command_allocations_{};
  std::vector<RECT> rects_;  // rectangles of the current present

  std::map<D3DKMT_HANDLE, Object> objects_;
  D3DKMT_HANDLE next_handle_ = 1;
  UINT last_fence_ = 0;
  std::map<UINT, InFlight> in_flight_;

  std::mutex interrupt_mutex_;
  bool dpc_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  UINT completed_ = 0;
  Preemption preemption_;
  std::array<std::uint64_t, 16> vsyncs_{};
  std::array<std::uint64_t, 16> addresses_{};
};

}  // namespace tandem::vulkan::testing
