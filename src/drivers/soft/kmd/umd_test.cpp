#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "color/format.h"
#include "color/yuv.h"
#include "drivers/processor/umd/umd_device.h"
#include "drivers/processor/user_commands.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"

namespace tandem::soft {
namespace {

using namespace processor;

// A fake runtime that records the driver's requests. One instance at a time.
struct FakeRuntime {
  AdapterData adapter_data{kAdapterMagic, kAdapterVersion, 3, 1};
  HRESULT allocate_result = S_OK;
  HRESULT residency_result = S_OK;
  std::vector<AllocationData> allocated;
  std::vector<D3DDDI_ALLOCATIONINFO2> allocation_infos;
  std::vector<HANDLE> deallocated;
  std::vector<DXGIDDICB_PRESENT> presents;
  std::vector<std::vector<std::byte>> commands;
  std::vector<D3DDDI_ALLOCATIONLIST> last_list;
  std::vector<HRESULT> errors;
  std::vector<std::byte> locked;
  int contexts = 0;
  std::byte command_buffer[256];
  D3DDDI_ALLOCATIONLIST allocation_list[8];
  D3DDDI_PATCHLOCATIONLIST patch_list[8];
};
FakeRuntime* runtime = nullptr;

HRESULT APIENTRY QueryAdapterInfo(HANDLE, CONST D3DDDICB_QUERYADAPTERINFO* query) {
  std::memcpy(query->pPrivateDriverData, &runtime->adapter_data, query->PrivateDriverDataSize);
  return S_OK;
}
HRESULT APIENTRY Allocate(HANDLE, D3DDDICB_ALLOCATE* args) {
  if (FAILED(runtime->allocate_result)) return runtime->allocate_result;
  AllocationData data;
  std::memcpy(&data, args->pAllocationInfo2->pPrivateDriverData, sizeof(data));
  runtime->allocated.push_back(data);
  runtime->allocation_infos.push_back(*args->pAllocationInfo2);
  args->pAllocationInfo2->hAllocation = static_cast<D3DKMT_HANDLE>(100 + runtime->allocated.size());
  args->hKMResource = 7;
  return S_OK;
}
HRESULT APIENTRY Deallocate(HANDLE, CONST D3DDDICB_DEALLOCATE* args) {
  runtime->deallocated.push_back(args->hResource);
  return S_OK;
}
HRESULT APIENTRY QueryResidency(HANDLE, CONST D3DDDICB_QUERYRESIDENCY* args) {
  if (FAILED(runtime->residency_result)) return runtime->residency_result;
  *args->pResidencyStatus =
      args->HandleList[0] % 2 != 0 ? D3DDDI_RESIDENCYSTATUS_RESIDENTINGPUMEMORY : D3DDDI_RESIDENCYSTATUS_NOTRESIDENT;
  return S_OK;
}
HRESULT APIENTRY Render(HANDLE, D3DDDICB_RENDER* args) {
  runtime->commands.emplace_back(runtime->command_buffer, runtime->command_buffer + args->CommandLength);
  runtime->last_list.assign(runtime->allocation_list, runtime->allocation_list + args->NumAllocations);
  args->pNewCommandBuffer = runtime->command_buffer;
  args->NewCommandBufferSize = sizeof(runtime->command_buffer);
  args->pNewAllocationList = runtime->allocation_list;
  args->NewAllocationListSize = 8;
  return S_OK;
}
HRESULT APIENTRY Lock(HANDLE, D3DDDICB_LOCK* args) {
  runtime->locked.assign(1 << 20, std::byte{0});
  args->pData = runtime->locked.data();
  return S_OK;
}
HRESULT APIENTRY Unlock(HANDLE, CONST D3DDDICB_UNLOCK*) { return S_OK; }
HRESULT APIENTRY CreateContext(HANDLE, D3DDDICB_CREATECONTEXT* args) {
  ++runtime->contexts;
  args->hContext = &runtime->contexts;
  args->pCommandBuffer = runtime->command_buffer;
  args->CommandBufferSize = sizeof(runtime->command_buffer);
  args->pAllocationList = runtime->allocation_list;
  args->AllocationListSize = 8;
  args->pPatchLocationList = runtime->patch_list;
  args->PatchLocationListSize = 8;
  return S_OK;
}
HRESULT APIENTRY DestroyContext(HANDLE, CONST D3DDDICB_DESTROYCONTEXT*) {
  --runtime->contexts;
  return S_OK;
}
HRESULT APIENTRY PresentCb(HANDLE, DXGIDDICB_PRESENT* args) {
  runtime->presents.push_back(*args);
  return S_OK;
}
VOID APIENTRY SetError(D3D10DDI_HRTCORELAYER, HRESULT error) { runtime->errors.push_back(error); }

class UmdTest : public ::testing::Test {
 protected:
  UmdTest() { runtime = &runtime_; }
  ~UmdTest() override { TearDownAdapter(); }

  void TearDownAdapter() {
    if (!device_memory_) return;
    device_funcs_.pfnDestroyDevice(device_);
    EXPECT_EQ(runtime_.contexts, 0);
    adapter_funcs_.pfnCloseAdapter(adapter_);
    device_memory_.reset();
  }

  void Open() {
    adapter_callbacks_.pfnQueryAdapterInfoCb = QueryAdapterInfo;
    D3D10DDIARG_OPENADAPTER open{};
    open.Interface = D3D11_DDI_INTERFACE_VERSION;
    open.pAdapterCallbacks = &adapter_callbacks_;
    open.pAdapterFuncs_2 = &adapter_funcs_;
    ASSERT_EQ(processor::ProcessorOpenAdapter10_2(&open), S_OK);
    adapter_ = open.hAdapter;
    callbacks_.pfnAllocateCb = Allocate;
    callbacks_.pfnDeallocateCb = Deallocate;
    callbacks_.pfnQueryResidencyCb = QueryResidency;
    callbacks_.pfnRenderCb = Render;
    callbacks_.pfnLockCb = Lock;
    callbacks_.pfnUnlockCb = Unlock;
    callbacks_.pfnCreateContextCb = CreateContext;
    callbacks_.pfnDestroyContextCb = DestroyContext;
    core_callbacks_.pfnSetErrorCb = SetError;
    dxgi_callbacks_.pfnPresentCb = PresentCb;
    D3D10DDIARG_CREATEDEVICE create{};
    create.Interface = D3D11_DDI_INTERFACE_VERSION;
    create.pKTCallbacks = &callbacks_;
    create.p11DeviceFuncs = &device_funcs_;
    create.p11UMCallbacks = &core_callbacks_;
    create.DXGIBaseDDI.pDXGIBaseCallbacks = &dxgi_callbacks_;
    create.DXGIBaseDDI.pDXGIDDIBaseFunctions4 = &dxgi_funcs_;
    const D3D10DDIARG_CALCPRIVATEDEVICESIZE size{D3D11_DDI_INTERFACE_VERSION, 0, 0};
    device_memory_ = std::make_unique<std::byte[]>(adapter_funcs_.pfnCalcPrivateDeviceSize(adapter_, &size));
    device_.pDrvPrivate = create.hDrvDevice.pDrvPrivate = device_memory_.get();
    ASSERT_EQ(adapter_funcs_.pfnCreateDevice(adapter_, &create), S_OK);
  }

  struct Texture {
    std::unique_ptr<std::byte[]> memory;
    D3D10DDI_HRESOURCE handle{};
    [[nodiscard]] DXGI_DDI_HRESOURCE dxgi() const { return reinterpret_cast<DXGI_DDI_HRESOURCE>(handle.pDrvPrivate); }
  };
  Texture Create(UINT misc, DXGI_DDI_PRIMARY_DESC* primary, const D3D10_DDIARG_SUBRESOURCE_UP* initial = nullptr,
                 DXGI_FORMAT format = DXGI_FORMAT_B8G8R8A8_UNORM) {
    D3D10DDI_MIPINFO mip{100, 50, 1, 100, 50, 1};
    D3D11DDIARG_CREATERESOURCE create{};
    create.pMipInfoList = &mip;
    create.pInitialDataUP = initial;
    create.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
    create.BindFlags = primary != nullptr ? D3D10_DDI_BIND_PRESENT : D3D10_DDI_BIND_RENDER_TARGET;
    create.MiscFlags = misc;
    create.Format = format;
    create.SampleDesc.Count = 1;
    create.MipLevels = 1;
    create.ArraySize = 1;
    create.pPrimaryDesc = primary;
    Texture texture;
    texture.memory = std::make_unique<std::byte[]>(device_funcs_.pfnCalcPrivateResourceSize(device_, &create));
    texture.handle.pDrvPrivate = texture.memory.get();
    device_funcs_.pfnCreateResource(device_, &create, texture.handle, {texture.memory.get()});
    return texture;
  }

  FakeRuntime runtime_;
  D3DDDI_ADAPTERCALLBACKS adapter_callbacks_{};
  D3D10_2DDI_ADAPTERFUNCS adapter_funcs_{};
  D3DDDI_DEVICECALLBACKS callbacks_{};
  D3D11DDI_CORELAYER_DEVICECALLBACKS core_callbacks_{};
  DXGI_DDI_BASE_CALLBACKS dxgi_callbacks_{};
  D3D11DDI_DEVICEFUNCS device_funcs_{};
  DXGI1_3_DDI_BASE_FUNCTIONS dxgi_funcs_{};
  D3D10DDI_HADAPTER adapter_{};
  D3D10DDI_HDEVICE device_{};
  std::unique_ptr<std::byte[]> device_memory_;
};

constexpr UINT kCrossAdapter = D3D10_DDI_RESOURCE_MISC_SHARED | D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER;

TEST_F(UmdTest, CrossAdapterPrimary_AtTier3_IsScannedOut) {
  Open();
  DXGI_DDI_PRIMARY_DESC primary{};
  auto texture = Create(kCrossAdapter, &primary);
  EXPECT_TRUE(runtime_.errors.empty());
  EXPECT_EQ(primary.DriverFlags, 0U);
  ASSERT_EQ(runtime_.allocated.size(), 1U);
  EXPECT_EQ(runtime_.allocated[0].flags, kAllocationCrossAdapter | kAllocationPrimary);
  EXPECT_EQ(runtime_.allocated[0].pitch, 512U);
  EXPECT_EQ(runtime_.allocation_infos[0].Flags.Primary, 1U);
  EXPECT_EQ(runtime_.allocation_infos[0].VidPnSourceId, 0U);
  device_funcs_.pfnDestroyResource(device_, texture.handle);
  ASSERT_EQ(runtime_.deallocated.size(), 1U);
  EXPECT_EQ(runtime_.deallocated[0], texture.memory.get());
}

TEST_F(UmdTest, CrossAdapterPrimary_BelowTier3_AnswersNoScanout) {
  runtime_.adapter_data.cross_adapter_tier = 1;
  Open();
  DXGI_DDI_PRIMARY_DESC optional{};
  optional.Flags = DXGI_DDI_PRIMARY_OPTIONAL;
  Create(kCrossAdapter, &optional);
  EXPECT_TRUE(runtime_.errors.empty());
  EXPECT_EQ(optional.DriverFlags, static_cast<UINT>(DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT));
  EXPECT_EQ(runtime_.allocated.back().flags, kAllocationCrossAdapter);
  DXGI_DDI_PRIMARY_DESC required{};
  Create(kCrossAdapter, &required);
  ASSERT_EQ(runtime_.errors.size(), 1U);
  EXPECT_EQ(runtime_.errors[0], DXGI_DDI_ERR_UNSUPPORTED);
  EXPECT_EQ(required.DriverFlags, static_cast<UINT>(DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT));
  // A resource in the adapter's own memory is scanned out at any tier.
  DXGI_DDI_PRIMARY_DESC own{};
  Create(0, &own);
  EXPECT_EQ(own.DriverFlags, 0U);
  EXPECT_EQ(runtime_.errors.size(), 1U);
}

TEST_F(UmdTest, Nv12Primary_AsTheDisplayControllerDeclares) {
  if constexpr (!color::kHasYuv420) GTEST_SKIP() << "This build has no 4:2:0.";
  for (const bool reads : {false, true}) {
    runtime_.adapter_data.scans_out_nv12 = reads ? 1 : 0;
    Open();
    DXGI_DDI_PRIMARY_DESC primary{};
    primary.Flags = DXGI_DDI_PRIMARY_OPTIONAL;
    Create(kCrossAdapter, &primary, nullptr, DXGI_FORMAT_NV12);
    EXPECT_TRUE(runtime_.errors.empty());
    EXPECT_EQ(primary.DriverFlags, reads ? 0U : static_cast<UINT>(DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT));
    ASSERT_FALSE(runtime_.allocated.empty());
    EXPECT_EQ(runtime_.allocated.back().flags, kAllocationCrossAdapter | (reads ? kAllocationPrimary : 0U));
    EXPECT_EQ(runtime_.allocated.back().pitch, 256U);
    EXPECT_EQ(runtime_.allocated.back().size, 5U * 4096);  // 75 rows of 256 bytes
    TearDownAdapter();
  }
}

TEST_F(UmdTest, QueryResourceResidency_AsksTheKernelForEach) {
  Open();
  const auto first = Create(0, nullptr);
  const auto second = Create(0, nullptr);
  const DXGI_DDI_HRESOURCE resources[]{first.dxgi(), second.dxgi()};
  DXGI_DDI_RESIDENCY status[2]{};
  DXGI_DDI_ARG_QUERYRESOURCERESIDENCY query{reinterpret_cast<DXGI_DDI_HDEVICE>(device_.pDrvPrivate), resources, status, 2};
  EXPECT_EQ(dxgi_funcs_.pfnQueryResourceResidency(&query), S_OK);
  EXPECT_EQ(status[0], DXGI_DDI_RESIDENCY_FULLY_RESIDENT);
  EXPECT_EQ(status[1], DXGI_DDI_RESIDENCY_EVICTED_TO_DISK);
  runtime_.residency_result = E_OUTOFMEMORY;
  EXPECT_EQ(dxgi_funcs_.pfnQueryResourceResidency(&query), E_OUTOFMEMORY);
}

TEST_F(UmdTest, CreateResource_KernelRefuses_ReportsItsError) {
  Open();
  runtime_.allocate_result = E_OUTOFMEMORY;
  Create(0, nullptr);
  ASSERT_EQ(runtime_.errors.size(), 1U);
  EXPECT_EQ(runtime_.errors[0], E_OUTOFMEMORY);
  EXPECT_TRUE(runtime_.deallocated.empty());
}

TEST_F(UmdTest, CreateResource_UnknownFormat_IsUnsupported) {
  Open();
  Create(0, nullptr, nullptr, DXGI_FORMAT_R32G32B32A32_FLOAT);
  ASSERT_EQ(runtime_.errors.size(), 1U);
  EXPECT_EQ(runtime_.errors[0], DXGI_DDI_ERR_UNSUPPORTED);
}

TEST_F(UmdTest, CreateResource_WithInitialData_UploadsRows) {
  Open();
  const std::vector<std::uint32_t> rows(100 * 50, 0xAABBCCDD);
  const D3D10_DDIARG_SUBRESOURCE_UP initial{const_cast<std::uint32_t*>(rows.data()), 400, 0};
  Create(0, nullptr, &initial);
  EXPECT_TRUE(runtime_.errors.empty());
  std::uint32_t last = 0;
  std::memcpy(&last, runtime_.locked.data() + 49 * 512 + 396, sizeof(last));
  EXPECT_EQ(last, 0xAABBCCDDU);
}

TEST_F(UmdTest, OpenResource_WithAForeignPitch_TakesIt) {
  Open();
  const AllocationData data = *DescribeSurface(100, 50, color::Format::kB8G8R8A8Unorm, kAllocationCrossAdapter, 0, 640);
  D3DDDI_OPENALLOCATIONINFO info{55, &data, sizeof(data)};
  D3D10DDIARG_OPENRESOURCE open{};
  open.NumAllocations = 1;
  open.pOpenAllocationInfo = &info;
  auto memory = std::make_unique<std::byte[]>(device_funcs_.pfnCalcPrivateOpenedResourceSize(device_, &open));
  const D3D10DDI_HRESOURCE resource{memory.get()};
  device_funcs_.pfnOpenResource(device_, &open, resource, {memory.get()});
  EXPECT_TRUE(runtime_.errors.empty());
  EXPECT_EQ(FromHandle(resource).data.pitch, 640U);
  EXPECT_EQ(FromHandle(resource).allocation, 55U);
  info.PrivateDriverDataSize = 8;
  device_funcs_.pfnOpenResource(device_, &open, resource, {memory.get()});
  EXPECT_EQ(runtime_.errors.size(), 1U);
}

TEST_F(UmdTest, Present_BltAndFlip_NameKernelHandles) {
  Open();
  auto source = Create(0, nullptr);
  auto destination = Create(kCrossAdapter, nullptr);
  DXGI_DDI_ARG_PRESENT present{};
  present.hDevice = reinterpret_cast<DXGI_DDI_HDEVICE>(device_.pDrvPrivate);
  present.hSurfaceToPresent = source.dxgi();
  present.hDstResource = destination.dxgi();
  present.pDXGIContext = &present;
  present.Flags.Blt = 1;
  ASSERT_EQ(dxgi_funcs_.pfnPresent(&present), S_OK);
  EXPECT_EQ(runtime_.presents[0].hSrcAllocation, 101U);
  EXPECT_EQ(runtime_.presents[0].hDstAllocation, 102U);
  EXPECT_EQ(runtime_.presents[0].pDXGIContext, &present);
  EXPECT_EQ(runtime_.presents[0].hContext, &runtime_.contexts);
  present.Flags.Value = 0;
  present.Flags.Flip = 1;
  present.hDstResource = 0;
  ASSERT_EQ(dxgi_funcs_.pfnPresent(&present), S_OK);
  EXPECT_EQ(runtime_.presents[1].hDstAllocation, 0U);
}

TEST_F(UmdTest, Blt_SameSize_SubmitsACopy) {
  Open();
  auto source = Create(0, nullptr);
  auto destination = Create(0, nullptr);
  DXGI_DDI_ARG_BLT blt{};
  blt.hDevice = reinterpret_cast<DXGI_DDI_HDEVICE>(device_.pDrvPrivate);
  blt.hSrcResource = source.dxgi();
  blt.hDstResource = destination.dxgi();
  blt.DstRight = 100;
  blt.DstBottom = 50;
  ASSERT_EQ(dxgi_funcs_.pfnBlt(&blt), S_OK);
  UserCopy copy;
  ASSERT_EQ(runtime_.commands.at(0).size(), sizeof(copy));
  std::memcpy(&copy, runtime_.commands[0].data(), sizeof(copy));
  EXPECT_EQ(copy.rect.right, 100);
  EXPECT_EQ(runtime_.last_list[0].hAllocation, 101U);
  EXPECT_EQ(runtime_.last_list[1].hAllocation, 102U);
  EXPECT_EQ(runtime_.last_list[1].WriteOperation, 1U);
  blt.DstRight = 99;
  EXPECT_EQ(dxgi_funcs_.pfnBlt(&blt), DXGI_DDI_ERR_UNSUPPORTED);
}

TEST_F(UmdTest, RotateResourceIdentities_MovesKernelHandles) {
  Open();
  Texture textures[] = {Create(0, nullptr), Create(0, nullptr), Create(0, nullptr)};
  const DXGI_DDI_HRESOURCE handles[] = {textures[0].dxgi(), textures[1].dxgi(), textures[2].dxgi()};
  DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotate{reinterpret_cast<DXGI_DDI_HDEVICE>(device_.pDrvPrivate), handles, 3};
  ASSERT_EQ(dxgi_funcs_.pfnRotateResourceIdentities(&rotate), S_OK);
  EXPECT_EQ(FromHandle(textures[0].handle).allocation, 102U);
  EXPECT_EQ(FromHandle(textures[1].handle).allocation, 103U);
  EXPECT_EQ(FromHandle(textures[2].handle).allocation, 101U);
}

TEST_F(UmdTest, OpenAdapter_ForeignPrivateData_Fails) {
  runtime_.adapter_data.version = 9;
  adapter_callbacks_.pfnQueryAdapterInfoCb = QueryAdapterInfo;
  D3D10DDIARG_OPENADAPTER open{};
  open.pAdapterCallbacks = &adapter_callbacks_;
  open.pAdapterFuncs_2 = &adapter_funcs_;
  EXPECT_EQ(processor::ProcessorOpenAdapter10_2(&open), E_FAIL);
  EXPECT_EQ(processor::ProcessorOpenAdapter10_2(nullptr), E_INVALIDARG);
}

}  // namespace
}  // namespace tandem::soft
