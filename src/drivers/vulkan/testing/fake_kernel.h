// A graphics kernel and a runtime in one, just enough to drive both halves of the driver: no queues, no checks, no policy.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/memory_map.h"
#include "drivers/vulkan/kmd/private_data.h"
#include "drivers/vulkan/umd/application_images.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

enum class Pages { kAnonymous, kMemfd };

// A resource and the memory that the runtime gives it.
struct TestResource {
  std::unique_ptr<std::max_align_t[]> memory;
  D3D10DDI_HRESOURCE handle{};
  D3DKMT_HANDLE allocation = 0;
  AllocationData data;
  std::byte* pages = nullptr;  // of a cross-adapter resource
};

// One adapter, one device, one context. Calls come from one thread; interrupts from the driver's.
class FakeKernel {
 public:
  // Null when StartDevice failed.
  static std::unique_ptr<FakeKernel> Start(const DeviceDescription& description, Pages pages);
  ~FakeKernel();

  [[nodiscard]] AdapterData Query();
  [[nodiscard]] D3D10DDI_HDEVICE device() const { return umd_device_; }
  [[nodiscard]] HRESULT last_error() const { return error_; }

  // An image that an application draws into. Null on an error of the driver's, which last_error() tells.
  std::unique_ptr<TestResource> CreateImage(std::uint32_t width, std::uint32_t height, color::Format format);
  // A linear surface of fresh pages, opened as if another adapter had made it.
  std::unique_ptr<TestResource> OpenShared(std::uint32_t width, std::uint32_t height, color::Format format);
  std::unique_ptr<TestResource> CreatePrimary(std::uint32_t width, std::uint32_t height, color::Format format,
                                              std::uint32_t source);
  void Destroy(std::unique_ptr<TestResource> resource);

  // pfnPresent(Blt). `rects` empty: all of it. Returns the fence, 0 on an error.
  UINT Blt(TestResource& source, TestResource& destination, const std::vector<RECT>& rects);
  // pfnFlush; the fence of the last DMA buffer that it made, 0 when it made none.
  UINT Flush();
  // SetVidPnSourceAddress as a flip.
  void Flip(TestResource& primary, bool immediate);
  void SetVisible(std::uint32_t source, bool visible);
  // ResetFromTimeout, RestartFromTimeout.
  void Reset();
  // The driver's own DDIs, for tests that call one.
  [[nodiscard]] const DRIVER_INITIALIZATION_DATA& ddi() const { return ddi_; }
  [[nodiscard]] HANDLE adapter() const { return miniport_; }
  struct Preemption {
    UINT fence = 0;  // PreemptionFenceId
    UINT last_completed = 0;
  };
  // Calls PreemptCommand on the node of the context and waits for its answer.
  Preemption Preempt(UINT preemption_fence);
  [[nodiscard]] UINT node() const { return node_; }
  // What came after it was given back and will not complete.
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
    MemoryMap map;
    UniqueFd fd;
  };

  FakeKernel() = default;
  std::unique_ptr<TestResource> Create(const D3D11DDIARG_CREATERESOURCE& args, std::uint32_t width, std::uint32_t height);
  D3DKMT_HANDLE AddAllocation(void* private_data, UINT size);
  void Map(Object& object, const AllocationData& data);
  void RemoveAllocation(D3DKMT_HANDLE handle);
  NTSTATUS Submit(std::vector<std::byte>& dma, std::unique_ptr<std::byte[]> private_data, UINT used);

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
  std::vector<RECT> rects_;  // of the present that runs

  std::map<D3DKMT_HANDLE, Object> objects_;
  D3DKMT_HANDLE next_handle_ = 1;
  UINT last_fence_ = 0;
  std::map<UINT, std::unique_ptr<std::byte[]>> in_flight_;  // private data until the fence

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
