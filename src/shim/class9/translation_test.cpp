// The translation between a runtime and a driver that only record: arguments, handles, callbacks.
#include "shim/class9/translation.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "shim/class9/formats.h"

namespace tandem::shim {
namespace {

// What both sides received, and what the driver answers.
struct Record {
  // The driver's side.
  HANDLE given_adapter = nullptr, given_device = nullptr, given_resource = nullptr;
  const D3DDDI_DEVICECALLBACKS* callbacks = nullptr;
  const D3DDDI_ADAPTERCALLBACKS* adapter_callbacks = nullptr;
  std::vector<D3DDDIARG_CREATERESOURCE2> created;
  std::optional<D3DDDIARG_PRESENT> present;
  std::optional<D3DDDIARG_BLT> blt;
  std::vector<HANDLE> destroyed;
  D3DDDICB_PRESENT calls_back{};
  HRESULT create_result = S_OK;
  bool has_create2 = true;
  // The runtime's side.
  std::optional<DXGIDDICB_PRESENT> presented;
  std::optional<D3DDDICB_ESCAPE> escaped;
  HANDLE called_device = nullptr, called_adapter = nullptr;
  std::vector<HANDLE> allocated, deallocated;
  std::vector<HRESULT> errors;
};
Record* record = nullptr;

// Handles of the two sides; only their addresses matter.
int runtime_adapter, runtime_device, runtime_resource, runtime_layer, dxgi_context;
int driver_adapter, driver_device, driver_resources[4];

HRESULT APIENTRY DriverCreate2(HANDLE /*device*/, D3DDDIARG_CREATERESOURCE2* args) {
  record->given_resource = args->hResource;
  record->created.push_back(*args);
  if (FAILED(record->create_result)) return record->create_result;
  D3DDDICB_ALLOCATE allocate{};
  allocate.hResource = args->hResource;
  args->hResource = &driver_resources[record->created.size() % 4];
  return record->callbacks->pfnAllocateCb(record->given_device, &allocate);
}
HRESULT APIENTRY DriverCreate(HANDLE device, D3DDDIARG_CREATERESOURCE* args) {
  D3DDDIARG_CREATERESOURCE2 create{};
  create.Format = args->Format;
  create.hResource = args->hResource;
  create.Flags = args->Flags;
  const HRESULT created = DriverCreate2(device, &create);
  args->hResource = create.hResource;
  return created;
}
HRESULT APIENTRY DriverOpen(HANDLE /*device*/, D3DDDIARG_OPENRESOURCE* args) {
  args->hResource = &driver_resources[0];
  return S_OK;
}
HRESULT APIENTRY DriverDestroy(HANDLE /*device*/, HANDLE resource) {
  record->destroyed.push_back(resource);
  D3DDDICB_DEALLOCATE deallocate{};
  deallocate.hResource = record->given_resource;
  return record->callbacks->pfnDeallocateCb(record->given_device, &deallocate);
}
HRESULT APIENTRY DriverPresent(HANDLE /*device*/, CONST D3DDDIARG_PRESENT* args) {
  record->present = *args;
  return record->callbacks->pfnPresentCb(record->given_device, &record->calls_back);
}
HRESULT APIENTRY DriverBlt(HANDLE /*device*/, CONST D3DDDIARG_BLT* args) {
  record->blt = *args;
  return D3DDDIERR_WASSTILLDRAWING;
}
HRESULT APIENTRY DriverDestroyDevice(HANDLE /*device*/) { return S_OK; }
HRESULT APIENTRY DriverCreateDevice(HANDLE /*adapter*/, D3DDDIARG_CREATEDEVICE* args) {
  record->given_device = args->hDevice;
  record->callbacks = args->pCallbacks;
  args->hDevice = &driver_device;
  args->pDeviceFuncs->pfnCreateResource = DriverCreate;
  if (record->has_create2) args->pDeviceFuncs->pfnCreateResource2 = DriverCreate2;
  args->pDeviceFuncs->pfnOpenResource = DriverOpen;
  args->pDeviceFuncs->pfnDestroyResource = DriverDestroy;
  args->pDeviceFuncs->pfnPresent = DriverPresent;
  args->pDeviceFuncs->pfnBlt = DriverBlt;
  args->pDeviceFuncs->pfnDestroyDevice = DriverDestroyDevice;
  return S_OK;
}
HRESULT APIENTRY DriverClose(HANDLE /*adapter*/) { return S_OK; }
HRESULT OpenDriver(D3DDDIARG_OPENADAPTER* args) {
  record->given_adapter = args->hAdapter;
  record->adapter_callbacks = args->pAdapterCallbacks;
  args->hAdapter = &driver_adapter;
  *args->pAdapterFuncs = {nullptr, DriverCreateDevice, DriverClose};  // shows A8R8G8B8 and X8R8G8B8
  return S_OK;
}

HRESULT APIENTRY QueryAdapterInfo(HANDLE adapter, CONST D3DDDICB_QUERYADAPTERINFO* /*args*/) {
  record->called_adapter = adapter;
  return S_OK;
}
HRESULT APIENTRY Allocate(HANDLE device, D3DDDICB_ALLOCATE* args) {
  record->called_device = device;
  record->allocated.push_back(args->hResource);
  return S_OK;
}
HRESULT APIENTRY Deallocate(HANDLE /*device*/, CONST D3DDDICB_DEALLOCATE* args) {
  record->deallocated.push_back(args->hResource);
  return S_OK;
}
HRESULT APIENTRY Escape(HANDLE adapter, CONST D3DDDICB_ESCAPE* args) {
  record->called_adapter = adapter;
  record->escaped = *args;
  return S_OK;
}
HRESULT APIENTRY PresentCb(HANDLE device, DXGIDDICB_PRESENT* args) {
  record->called_device = device;
  record->presented = *args;
  return DXGI_DDI_ERR_WASSTILLDRAWING;
}
VOID APIENTRY SetError(D3D10DDI_HRTCORELAYER /*layer*/, HRESULT error) { record->errors.push_back(error); }

class Translation : public ::testing::Test {
 protected:
  Translation() { record = &record_; }
  ~Translation() override {
    for (Texture& texture : textures_) device_functions_.pfnDestroyResource(device(), texture.handle());
    if (memory_ != nullptr) device_functions_.pfnDestroyDevice(device());
    if (adapter_.pDrvPrivate != nullptr) adapter_functions_.pfnCloseAdapter(adapter_);
  }

  struct Texture {
    std::unique_ptr<std::max_align_t[]> memory;
    [[nodiscard]] D3D10DDI_HRESOURCE handle() const { return {memory.get()}; }
    [[nodiscard]] DXGI_DDI_HRESOURCE dxgi() const { return reinterpret_cast<DXGI_DDI_HRESOURCE>(memory.get()); }
  };

  void Open() {
    adapter_callbacks_.pfnQueryAdapterInfoCb = QueryAdapterInfo;
    D3D10DDIARG_OPENADAPTER open{};
    open.hRTAdapter.handle = &runtime_adapter;
    open.pAdapterCallbacks = &adapter_callbacks_;
    open.pAdapterFuncs_2 = &adapter_functions_;
    ASSERT_EQ(OpenTranslatedAdapter(OpenDriver, &open), S_OK);
    adapter_ = open.hAdapter;
    callbacks_.pfnAllocateCb = Allocate;
    callbacks_.pfnDeallocateCb = Deallocate;
    callbacks_.pfnEscapeCb = Escape;
    core_callbacks_.pfnSetErrorCb = SetError;
    dxgi_callbacks_.pfnPresentCb = PresentCb;
    D3D10DDIARG_CREATEDEVICE create{};
    create.hRTDevice.handle = &runtime_device;
    create.Interface = D3D11_DDI_INTERFACE_VERSION;
    create.pKTCallbacks = &callbacks_;
    create.p11DeviceFuncs = &device_functions_;
    create.hRTCoreLayer.handle = &runtime_layer;
    create.p11UMCallbacks = &core_callbacks_;
    create.DXGIBaseDDI.pDXGIBaseCallbacks = &dxgi_callbacks_;
    create.DXGIBaseDDI.pDXGIDDIBaseFunctions4 = &dxgi_;
    const D3D10DDIARG_CALCPRIVATEDEVICESIZE size{D3D11_DDI_INTERFACE_VERSION, 0, 0};
    memory_ = Memory(adapter_functions_.pfnCalcPrivateDeviceSize(adapter_, &size));
    create.hDrvDevice = device();
    ASSERT_EQ(adapter_functions_.pfnCreateDevice(adapter_, &create), S_OK);
  }

  const Texture& Create(DXGI_FORMAT format, UINT misc, DXGI_DDI_PRIMARY_DESC* primary) {
    const D3D10DDI_MIPINFO mip{100, 50, 1, 100, 50, 1};
    D3D11DDIARG_CREATERESOURCE create{};
    create.pMipInfoList = &mip;
    create.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
    create.BindFlags = D3D10_DDI_BIND_SHADER_RESOURCE;
    create.MiscFlags = misc;
    create.Format = format;
    create.SampleDesc.Count = 1;
    create.MipLevels = 1;
    create.ArraySize = 1;
    create.pPrimaryDesc = primary;
    textures_.push_back({Memory(device_functions_.pfnCalcPrivateResourceSize(device(), &create))});
    device_functions_.pfnCreateResource(device(), &create, textures_.back().handle(), {&runtime_resource});
    return textures_.back();
  }

  static std::unique_ptr<std::max_align_t[]> Memory(SIZE_T bytes) {
    return std::make_unique<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1);
  }
  [[nodiscard]] D3D10DDI_HDEVICE device() const { return {memory_.get()}; }
  [[nodiscard]] DXGI_DDI_HDEVICE dxgi_device() const { return reinterpret_cast<DXGI_DDI_HDEVICE>(memory_.get()); }

  Record record_;
  D3DDDI_ADAPTERCALLBACKS adapter_callbacks_{};
  D3D10_2DDI_ADAPTERFUNCS adapter_functions_{};
  D3DDDI_DEVICECALLBACKS callbacks_{};
  D3D11DDI_CORELAYER_DEVICECALLBACKS core_callbacks_{};
  DXGI_DDI_BASE_CALLBACKS dxgi_callbacks_{};
  D3D11DDI_DEVICEFUNCS device_functions_{};
  DXGI1_3_DDI_BASE_FUNCTIONS dxgi_{};
  D3D10DDI_HADAPTER adapter_{};
  std::unique_ptr<std::max_align_t[]> memory_;
  std::vector<Texture> textures_;
};

constexpr UINT kCrossAdapter = D3D10_DDI_RESOURCE_MISC_SHARED | D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER;

TEST_F(Translation, Primary_IsCreatedAsTheDriversClassDescribesIt) {
  Open();
  DXGI_DDI_PRIMARY_DESC primary{};
  primary.VidPnSourceId = 1;
  primary.ModeDesc.RefreshRate = {60000, 1001};
  primary.ModeDesc.Rotation = DXGI_DDI_MODE_ROTATION_ROTATE90;
  Create(DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, kCrossAdapter, &primary);
  ASSERT_EQ(record_.created.size(), 1U);
  const D3DDDIARG_CREATERESOURCE2& created = record_.created[0];
  EXPECT_EQ(created.Format, D3DDDIFMT_A8R8G8B8);
  EXPECT_EQ(created.Pool, D3DDDIPOOL_VIDEOMEMORY);
  EXPECT_EQ(created.SurfCount, 1U);
  EXPECT_EQ(created.VidPnSourceId, 1U);
  EXPECT_EQ(created.RefreshRate.Numerator, 60000U);
  EXPECT_EQ(created.RefreshRate.Denominator, 1001U);
  EXPECT_EQ(created.Rotation, D3DDDI_ROTATION_90);
  EXPECT_EQ(created.Flags.Primary, 1U);
  EXPECT_EQ(created.Flags.Texture, 1U);
  EXPECT_EQ(created.Flags.SharedResource, 1U);
  EXPECT_EQ(created.Flags2.CrossAdapter, 1U);
  EXPECT_EQ(primary.DriverFlags, 0U);
  EXPECT_TRUE(record_.errors.empty());
  EXPECT_EQ(record_.called_device, &runtime_device);
  EXPECT_EQ(record_.allocated, std::vector<HANDLE>{&runtime_resource});
}

TEST_F(Translation, DriverOlderThanWindows8_SharesWithNoOtherAdapter) {
  record_.has_create2 = false;
  Open();
  Create(DXGI_FORMAT_B8G8R8A8_UNORM, 0, nullptr);
  EXPECT_TRUE(record_.errors.empty());
  EXPECT_EQ(record_.created.size(), 1U);
  Create(DXGI_FORMAT_B8G8R8A8_UNORM, kCrossAdapter, nullptr);
  EXPECT_EQ(record_.errors, std::vector<HRESULT>{DXGI_DDI_ERR_UNSUPPORTED});
  EXPECT_EQ(record_.created.size(), 1U);
}

TEST_F(Translation, PrimaryThatTheDriverRefuses_IsMadeWithoutScanOutIfThatIsEnough) {
  Open();
  record_.create_result = D3DDDIERR_NOTAVAILABLE;
  DXGI_DDI_PRIMARY_DESC needed{};
  Create(DXGI_FORMAT_B8G8R8A8_UNORM, 0, &needed);
  EXPECT_EQ(needed.DriverFlags, UINT{DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT});
  EXPECT_EQ(record_.errors, std::vector<HRESULT>{DXGI_DDI_ERR_UNSUPPORTED});
  record_.create_result = S_OK;
  DXGI_DDI_PRIMARY_DESC optional{};
  optional.Flags = DXGI_DDI_PRIMARY_OPTIONAL;
  Create(DXGI_FORMAT_R16G16B16A16_FLOAT, kCrossAdapter, &optional);
  EXPECT_EQ(optional.DriverFlags, UINT{DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT});
  EXPECT_EQ(record_.created.back().Flags.Primary, 0U);
  EXPECT_EQ(record_.created.back().Format, D3DDDIFMT_A16B16G16R16F);
  EXPECT_EQ(record_.errors.size(), 1U);
}

TEST_F(Translation, PresentCallback_ArrivesWithEachMemberAndTheContext) {
  Open();
  const DXGI_DDI_HRESOURCE source = Create(DXGI_FORMAT_B8G8R8A8_UNORM, 0, nullptr).dxgi();
  D3DKMT_HANDLE broadcast = 9;
  record_.calls_back.hSrcAllocation = 5;
  record_.calls_back.hDstAllocation = 6;
  record_.calls_back.hContext = &driver_device;
  record_.calls_back.BroadcastContextCount = 1;
  record_.calls_back.BroadcastContext[0] = &driver_adapter;
  record_.calls_back.BroadcastSrcAllocation = record_.calls_back.BroadcastDstAllocation = &broadcast;
  record_.calls_back.pPrivateDriverData = &broadcast;
  record_.calls_back.PrivateDriverDataSize = 4;
  record_.calls_back.bOptimizeForComposition = TRUE;
  record_.calls_back.SyncIntervalOverrideValid = TRUE;
  record_.calls_back.SyncIntervalOverride = D3DDDI_FLIPINTERVAL_TWO;
  DXGI_DDI_ARG_PRESENT present{};
  present.hDevice = dxgi_device();
  present.hSurfaceToPresent = source;
  present.pDXGIContext = &dxgi_context;
  present.Flags.Flip = 1;
  present.FlipInterval = DXGI_DDI_FLIP_INTERVAL_ONE;
  EXPECT_EQ(dxgi_.pfnPresent(&present), DXGI_DDI_ERR_WASSTILLDRAWING);
  ASSERT_TRUE(record_.present && record_.presented);
  EXPECT_EQ(record_.present->Flags.Value, 4U);  // D3DDDI_PRESENTFLAGS.Flip
  EXPECT_EQ(record_.present->FlipInterval, D3DDDI_FLIPINTERVAL_ONE);
  EXPECT_EQ(record_.present->hDstResource, nullptr);
  const DXGIDDICB_PRESENT& given = *record_.presented;
  EXPECT_EQ(record_.called_device, &runtime_device);
  EXPECT_EQ(given.pDXGIContext, &dxgi_context);
  EXPECT_EQ(given.hSrcAllocation, 5U);
  EXPECT_EQ(given.hDstAllocation, 6U);
  EXPECT_EQ(given.hContext, &driver_device);
  EXPECT_EQ(given.BroadcastContextCount, 1U);
  EXPECT_EQ(given.BroadcastContext[0], &driver_adapter);
  EXPECT_EQ(given.BroadcastSrcAllocation, &broadcast);
  EXPECT_EQ(given.BroadcastDstAllocation, &broadcast);
  EXPECT_EQ(given.pPrivateDriverData, &broadcast);
  EXPECT_EQ(given.PrivateDriverDataSize, 4U);
  EXPECT_EQ(given.bOptimizeForComposition, TRUE);
  EXPECT_EQ(given.SyncIntervalOverrideValid, TRUE);
  EXPECT_EQ(given.SyncIntervalOverride, DXGI_DDI_FLIP_INTERVAL_TWO);
  EXPECT_EQ(record_.callbacks->pfnPresentCb(record_.given_device, &record_.calls_back), E_INVALIDARG);  // no present is running
  present.Flags.TemporaryMono = 1;
  EXPECT_EQ(dxgi_.pfnPresent(&present), DXGI_DDI_ERR_UNSUPPORTED);
}

TEST_F(Translation, HalfFloats_AreCopiedThroughTheCurve) {
  Open();
  const DXGI_DDI_HRESOURCE source = Create(DXGI_FORMAT_R16G16B16A16_FLOAT, 0, nullptr).dxgi();
  const DXGI_DDI_HRESOURCE destination = Create(DXGI_FORMAT_B8G8R8A8_UNORM, 0, nullptr).dxgi();
  DXGI_DDI_ARG_BLT blt{};
  blt.hDevice = dxgi_device();
  blt.hSrcResource = source;
  blt.hDstResource = destination;
  blt.DstRight = 50;
  blt.DstBottom = 25;
  blt.Flags.Present = 1;
  EXPECT_EQ(dxgi_.pfnBlt(&blt), DXGI_DDI_ERR_WASSTILLDRAWING);
  ASSERT_TRUE(record_.blt);
  EXPECT_EQ(record_.blt->hSrcResource, &driver_resources[1]);
  EXPECT_EQ(record_.blt->hDstResource, &driver_resources[2]);
  EXPECT_EQ(record_.blt->SrcRect.right, 100);
  EXPECT_EQ(record_.blt->DstRect.bottom, 25);
  EXPECT_EQ(record_.blt->Flags.Value, 0x540U);  // LinearToSrgb, BeginPresentToDwm, EndPresentToDwm
  blt.hSrcResource = destination;
  dxgi_.pfnBlt(&blt);
  EXPECT_EQ(record_.blt->Flags.LinearToSrgb, 0U);
}

TEST_F(Translation, HandlesOfAdapterAndDevice_AreExchanged) {
  Open();
  const D3DDDICB_QUERYADAPTERINFO query{};
  EXPECT_EQ(record_.adapter_callbacks->pfnQueryAdapterInfoCb(record_.given_adapter, &query), S_OK);
  EXPECT_EQ(record_.called_adapter, &runtime_adapter);
  EXPECT_EQ(record_.adapter_callbacks->pfnQueryAdapterInfoCb(&driver_adapter, &query), E_INVALIDARG);
  D3DDDICB_ESCAPE escape{};
  escape.hDevice = record_.given_device;
  EXPECT_EQ(record_.callbacks->pfnEscapeCb(record_.given_adapter, &escape), S_OK);
  ASSERT_TRUE(record_.escaped);
  EXPECT_EQ(record_.escaped->hDevice, &runtime_device);
  escape.hDevice = &driver_device;
  EXPECT_EQ(record_.callbacks->pfnEscapeCb(record_.given_adapter, &escape), E_INVALIDARG);
  escape.hDevice = nullptr;
  EXPECT_EQ(record_.callbacks->pfnEscapeCb(record_.given_adapter, &escape), S_OK);
  EXPECT_EQ(record_.callbacks->pfnEscapeCb(record_.given_device, &escape), E_INVALIDARG);
}

template <int kNumber>
HRESULT Another(D3DDDIARG_OPENADAPTER* /*args*/) {
  return E_NOTIMPL - kNumber;
}

template <int... kNumbers>
std::vector<PFND3DDDI_OPENADAPTER> Others(std::integer_sequence<int, kNumbers...> /*numbers*/) {
  return {Another<kNumbers>...};
}

TEST(TranslatedEntries, OfAProcess_AreEightAndEachIsItsDriversOwn) {
  const auto drivers = Others(std::make_integer_sequence<int, 9>());
  std::vector<PFND3D10DDI_OPENADAPTER> entries;
  for (const PFND3DDDI_OPENADAPTER driver : drivers) entries.push_back(TranslatedEntry(driver));
  EXPECT_EQ(entries.back(), nullptr);
  EXPECT_EQ(TranslatedEntry(nullptr), nullptr);
  D3D10_2DDI_ADAPTERFUNCS functions{};
  D3DDDI_ADAPTERCALLBACKS callbacks{};
  callbacks.pfnQueryAdapterInfoCb = QueryAdapterInfo;
  for (int i = 0; i < 8; ++i) {
    const auto at = static_cast<std::size_t>(i);
    ASSERT_NE(entries[at], nullptr);
    EXPECT_EQ(TranslatedEntry(drivers[at]), entries[at]);
    D3D10DDIARG_OPENADAPTER open{};
    open.pAdapterCallbacks = &callbacks;
    open.pAdapterFuncs_2 = &functions;
    EXPECT_EQ(entries[at](&open), E_NOTIMPL - i);
  }
}

TEST(Class9Formats, Table_GivesExactAndDisplayFormats) {
  struct Case {
    DXGI_FORMAT format;
    D3DDDIFORMAT exact, shown;
  };
  const ShownFormats shown = ShownFormats::Of(nullptr, nullptr);
  for (const auto& [format, exact, due] : {Case{DXGI_FORMAT_R16G16B16A16_FLOAT, D3DDDIFMT_A16B16G16R16F, D3DDDIFMT_A8R8G8B8},
                                           Case{DXGI_FORMAT_R10G10B10A2_UNORM, D3DDDIFMT_A2B10G10R10, D3DDDIFMT_A8R8G8B8},
                                           Case{DXGI_FORMAT_R8G8B8A8_UNORM, D3DDDIFMT_A8B8G8R8, D3DDDIFMT_A8R8G8B8},
                                           Case{DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, D3DDDIFMT_A8R8G8B8, D3DDDIFMT_A8R8G8B8},
                                           Case{DXGI_FORMAT_B8G8R8X8_UNORM, D3DDDIFMT_X8R8G8B8, D3DDDIFMT_X8R8G8B8},
                                           Case{DXGI_FORMAT_B5G6R5_UNORM, D3DDDIFMT_R5G6B5, D3DDDIFMT_UNKNOWN},
                                           Case{DXGI_FORMAT_NV12, D3DDDIFMT_NV12, D3DDDIFMT_UNKNOWN},
                                           Case{DXGI_FORMAT_R32G32B32A32_FLOAT, D3DDDIFMT_UNKNOWN, D3DDDIFMT_UNKNOWN},
                                           Case{DXGI_FORMAT(0x31305059), D3DDDIFORMAT(0x31305059), D3DDDIFMT_UNKNOWN}}) {
    EXPECT_EQ(ExactFormat(format), exact) << format;
    EXPECT_EQ(shown.DisplayFormat(format), due) << format;
  }
}

}  // namespace
}  // namespace tandem::shim
