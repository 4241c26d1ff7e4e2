// Drivers beneath the shim that break the contract, and runtimes that do: one side's failure closes the other.
#include <gtest/gtest.h>

#include "tests/shim/composite_fixture.h"

namespace tandem::shim_test {
namespace {

using swapchain::Sharing;

class ShimFaults : public CompositeTest {};

TEST_F(ShimFaults, OneSideFails_TheOtherIsClosed) {
  Plug({});
  struct Case {
    Partner& partner;
    Fault fault;
  };
  for (const Case& broken :
       {Case{display_partner, Fault::kFailsToOpen}, Case{render_partner, Fault::kFailsToOpen},
        Case{display_partner, Fault::kOpensWithoutFunctions}, Case{render_partner, Fault::kOpensWithoutFunctions},
        Case{display_partner, Fault::kFailsAtDevice}, Case{render_partner, Fault::kFailsAtDevice}}) {
    SCOPED_TRACE(static_cast<int>(broken.fault));
    display_partner = {};
    render_partner = {};
    broken.partner.fault = broken.fault;
    EXPECT_FALSE(Open().ok());
    EXPECT_TRUE(display_partner.closed()) << display_partner.adapters_opened << " " << display_partner.adapters_closed;
    EXPECT_TRUE(render_partner.closed()) << render_partner.adapters_opened << " " << render_partner.adapters_closed;
  }
}

TEST_F(ShimFaults, RenderDriverTalksBackWhileItOpens_IsRefusedAndTheDisplaySideIsClosed) {
  Plug({});
  render_partner.fault = Fault::kTalksBackAtOpen;
  EXPECT_FALSE(Open().ok());
  EXPECT_EQ(render_partner.talk_back_answer, E_FAIL);
  EXPECT_EQ(display_partner.adapters_opened, 1);
  EXPECT_TRUE(display_partner.closed());
  EXPECT_TRUE(render_partner.closed());
}

TEST_F(ShimFaults, RenderDriverTalksBackWhileItCopies_ThePresentFails) {
  Plug({});
  ASSERT_TRUE(Open().ok());
  const auto primary = MakePrimary(Sharing::kPrivate);
  Draw(1, *primary);
  render_partner.fault = Fault::kTalksBackAtPresent;
  EXPECT_FALSE(Flip(*primary).ok());
  EXPECT_EQ(render_partner.talk_back_answer, E_FAIL);
  render_partner.fault = Fault::kNone;
  EXPECT_TRUE(Flip(*primary).ok());
  EXPECT_TRUE(AwaitShown(1));
}

TEST_F(ShimFaults, RenderDriverAnswersLate_ThePresentFailsAndTheAnswerIsRefused) {
  Plug({});
  ASSERT_TRUE(Open().ok());
  {
    const auto primary = MakePrimary(Sharing::kPrivate);
    Draw(1, *primary);
    render_partner.fault = Fault::kAnswersLate;
    EXPECT_FALSE(Flip(*primary).ok());
  }
  device_.reset();
  EXPECT_EQ(render_partner.late_answer, E_INVALIDARG);
  EXPECT_TRUE(display_partner.closed());
  EXPECT_TRUE(render_partner.closed());
}

// A frame that the display side refuses holds no later one back.
TEST_F(ShimFaults, FlipToASourceThatIsNotThere_Fails_AndLaterFramesAreShown) {
  Plug({});
  ASSERT_TRUE(Open().ok());
  for (const Sharing sharing : {Sharing::kPrivate, Sharing::kCrossAdapter}) {
    const std::array primaries{MakePrimary(sharing), MakePrimary(sharing)};
    const auto refused = MakePrimary(sharing);
    for (std::uint32_t number = 1; number <= 6; ++number) {
      const auto& primary = *primaries[number % primaries.size()];
      Draw(number, primary);
      swapchain::PresentCall nowhere;
      nowhere.source = refused->handle();
      nowhere.vidpn_source = 7;
      EXPECT_FALSE(runtime().DxgiPresent(nowhere).ok());
      ASSERT_TRUE(Flip(primary).ok());
      ASSERT_TRUE(AwaitShown(number)) << number;
    }
  }
}

TEST_F(ShimFaults, Runtime_WithoutTablesOrWithAShortHost_IsRefused) {
  Plug({});
  D3DDDI_ADAPTERCALLBACKS callbacks{};
  D3D10_2DDI_ADAPTERFUNCS functions{};
  const auto open = [&](D3DDDI_ADAPTERCALLBACKS* given, D3D10_2DDI_ADAPTERFUNCS* wanted) {
    D3D10DDIARG_OPENADAPTER args{};
    args.pAdapterCallbacks = given;
    args.pAdapterFuncs_2 = wanted;
    return OpenShimOfPartners(&args);
  };
  EXPECT_EQ(OpenShimOfPartners(nullptr), E_INVALIDARG);
  EXPECT_EQ(open(nullptr, &functions), E_INVALIDARG);
  EXPECT_EQ(open(&callbacks, &functions), E_INVALIDARG);  // no pfnQueryAdapterInfoCb
  callbacks.pfnQueryAdapterInfoCb = [](HANDLE, const D3DDDICB_QUERYADAPTERINFO*) { return E_FAIL; };
  EXPECT_EQ(open(&callbacks, nullptr), E_INVALIDARG);
  EXPECT_EQ(open(&callbacks, &functions), E_FAIL);  // the display driver's own error

  TANDEM_SHIM_HOST host =
      swapchain::MakeShimHost(pair_->render().binding().luid, RenderPartnerOpenAdapter, DisplayPartnerOpenAdapter);
  host.Size = 8;
  EXPECT_EQ(shim::SetShimHost(&host), E_INVALIDARG);
  host.Size = sizeof(host);
  host.GetKernelDevice = nullptr;
  EXPECT_EQ(shim::SetShimHost(&host), S_OK);
  EXPECT_EQ(open(&callbacks, &functions), E_INVALIDARG);
  EXPECT_EQ(shim::SetShimHost(nullptr), S_OK);
  EXPECT_EQ(open(&callbacks, &functions), E_FAIL);  // a shim of its own has no driver without a host
}

HRESULT OpenPartnerWithShim(D3D10DDIARG_OPENADAPTER* args) { return shim::OpenShim(args, DisplayPartnerOpenAdapter); }

// A driver with the shim inside is one entry: beneath its own shim it is the plain driver.
TEST_F(ShimFaults, HostThatNamesTheShimItself_OpensThePlainDriverBeneath) {
  Plug({});
  TANDEM_SHIM_HOST host = swapchain::MakeShimHost(pair_->render().binding().luid, RenderPartnerOpenAdapter, OpenPartnerWithShim);
  ASSERT_EQ(shim::SetShimHost(&host), S_OK);
  auto opened = swapchain::RuntimeDevice::Create({pair_->display_luid(), OpenPartnerWithShim, "composite", {}, 0});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(display_partner.adapters_opened, 1);
  EXPECT_EQ(render_partner.adapters_opened, 1);
  opened->reset();
  // A library of its own is no driver.
  host.OpenDisplayAdapter = OpenShimOfPartners;
  ASSERT_EQ(shim::SetShimHost(&host), S_OK);
  EXPECT_FALSE(Open().ok());
  EXPECT_TRUE(render_partner.closed());
}

// Opens the composite as a runtime of another version or with an incomplete argument would.
TEST_F(ShimFaults, CreateDevice_WithoutATable_IsRefused) {
  Plug({});
  ASSERT_TRUE(Open().ok());  // the arguments below begin as the runtime's
  device_.reset();
  D3DDDI_ADAPTERCALLBACKS callbacks{};
  callbacks.pfnQueryAdapterInfoCb = [](HANDLE device, const D3DDDICB_QUERYADAPTERINFO* args) -> HRESULT {
    const D3DKMT_QUERYADAPTERINFO query{*static_cast<D3DKMT_HANDLE*>(device), KMTQAITYPE_UMDRIVERPRIVATE,
                                        args->pPrivateDriverData, args->PrivateDriverDataSize};
    return NT_SUCCESS(D3DKMTQueryAdapterInfo(&query)) ? S_OK : E_FAIL;
  };
  D3DKMT_OPENADAPTERFROMLUID kernel{pair_->display_luid(), 0};
  ASSERT_EQ(D3DKMTOpenAdapterFromLuid(&kernel), STATUS_SUCCESS);
  D3D10_2DDI_ADAPTERFUNCS functions{};
  D3D10DDIARG_OPENADAPTER open{};
  open.hRTAdapter.handle = &kernel.hAdapter;
  open.pAdapterCallbacks = &callbacks;
  open.pAdapterFuncs_2 = &functions;
  ASSERT_EQ(OpenShimOfPartners(&open), S_OK);
  D3D10DDIARG_CREATEDEVICE create{};
  EXPECT_EQ(functions.pfnCreateDevice(open.hAdapter, nullptr), E_INVALIDARG);
  EXPECT_EQ(functions.pfnCreateDevice(open.hAdapter, &create), E_INVALIDARG);
  create.Interface = D3D10_DDI_MAJOR_VERSION << 16;
  D3D11DDI_DEVICEFUNCS device_functions{};
  create.p11DeviceFuncs = &device_functions;
  std::vector<std::max_align_t> memory(256);
  create.hDrvDevice.pDrvPrivate = memory.data();
  EXPECT_EQ(functions.pfnCreateDevice(open.hAdapter, &create), E_INVALIDARG);
  EXPECT_EQ(functions.pfnGetCaps(open.hAdapter, nullptr), E_INVALIDARG);
  EXPECT_EQ(functions.pfnGetSupportedVersions(open.hAdapter, nullptr, nullptr), E_INVALIDARG);
  EXPECT_EQ(functions.pfnCloseAdapter(open.hAdapter), S_OK);
  EXPECT_TRUE(display_partner.closed());
  EXPECT_TRUE(render_partner.closed());
  const D3DKMT_CLOSEADAPTER close{kernel.hAdapter};
  EXPECT_EQ(D3DKMTCloseAdapter(&close), STATUS_SUCCESS);
}

}  // namespace
}  // namespace tandem::shim_test
