// The shim as a library of its own: a runtime that knows the driver's file name finds it in another folder.
#include <filesystem>

#include <dlfcn.h>
#include <stdlib.h>

#include "swapchain/user_mode_driver.h"
#include "tests/shim/composite_fixture.h"

namespace tandem::shim_test {
namespace {

constexpr const char* kDriverName = "display_umd.so";

// A folder in which the shim has the display driver's name.
class ShimFolder : public CompositeTest {
 protected:
  ShimFolder() {
    std::string folder = ::testing::TempDir() + "shim-XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    std::filesystem::create_symlink(TANDEM_SHIM_LIBRARY, folder_ / kDriverName);
  }
  ~ShimFolder() override {
    device_.reset();
    SetHost(nullptr);
    swapchain::SetUserModeDriverFolder({});
    std::filesystem::remove_all(folder_);
  }
  void SetHost(const TANDEM_SHIM_HOST* host) const {
    void* const library = dlopen((folder_ / kDriverName).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto set = reinterpret_cast<PFNTANDEM_SETSHIMHOST>(dlsym(library, TANDEM_SHIM_EXPORT));
    ASSERT_NE(set, nullptr);
    EXPECT_EQ(set(host), S_OK);  // the library stays, as the runtime's does
  }
  [[nodiscard]] Result<std::unique_ptr<swapchain::RuntimeDevice>> OpenByName() const {
    swapchain::AdapterBinding binding;
    binding.luid = pair_->display_luid();
    binding.name = "display";
    binding.user_mode_driver = kDriverName;
    return swapchain::RuntimeDevice::Create(binding);
  }

  std::filesystem::path folder_;
};

TEST_F(ShimFolder, DriverNameInTheOtherFolder_OpensTheShim_AndFramesCross) {
  Plug({});
  swapchain::SetUserModeDriverFolder(folder_);
  const TANDEM_SHIM_HOST host =
      swapchain::MakeShimHost(pair_->render().binding().luid, RenderPartnerOpenAdapter, DisplayPartnerOpenAdapter);
  SetHost(&host);
  auto opened = OpenByName();
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  device_ = *std::move(opened);
  EXPECT_EQ(render_partner.devices_made, 1);
  const std::array primaries{MakePrimary(swapchain::Sharing::kCrossAdapter), MakePrimary(swapchain::Sharing::kCrossAdapter)};
  for (std::uint32_t number = 1; number <= 4; ++number) {
    const auto& primary = *primaries[number % primaries.size()];
    Draw(number, primary);
    ASSERT_TRUE(Flip(primary).ok());
    ASSERT_TRUE(AwaitShown(number)) << number;
  }
}

TEST_F(ShimFolder, ShimWithoutAHost_RefusesTheAdapter) {
  Plug({});
  swapchain::SetUserModeDriverFolder(folder_);
  EXPECT_FALSE(OpenByName().ok());
  EXPECT_EQ(display_partner.adapters_opened, 0);
}

TEST_F(ShimFolder, DriverThatIsNotThere_IsNamed) {
  Plug({});
  EXPECT_EQ(OpenByName().error().kind, ErrorKind::kInvalidArgument);  // no folder
  swapchain::SetUserModeDriverFolder(folder_ / "none");
  const auto opened = OpenByName();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, ErrorKind::kNotFound);
  EXPECT_NE(opened.error().message.find(kDriverName), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace tandem::shim_test
