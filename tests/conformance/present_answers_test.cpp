// Every answer that DxgkDdiPresent may give, on each driver, and the kernel's reaction. A wrapper around the driver's function
// returns the test's answer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#include "conform/rig.h"
#include "system/conformance_drivers.h"
#include "tests/conformance/broken_drivers.h"
#include "tests/conformance/print.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kExtent = 48;
constexpr int kTries = 4;  // presents for which the driver has no memory

std::atomic<NTSTATUS> answer{STATUS_SUCCESS};
std::atomic<int> answers_left{0};
std::atomic<int> asked{0};

NTSTATUS AnswerFirst(HANDLE context, DXGKARG_PRESENT* present) {
  ++asked;
  if (answers_left.fetch_sub(1) > 0) return answer;
  return SoundTable().DxgkDdiPresent(context, present);
}

std::vector<DriverUnderTest> Drivers() {
  std::vector<DriverUnderTest> drivers{system::SoftUnderTest()};
#ifdef TANDEM_CONFORMANCE_VULKAN
  if (const char* second = std::getenv("TANDEM_TEST_SWIFTSHADER_ICD")) setenv("VK_ADD_DRIVER_FILES", second, 1);
  for (DriverUnderTest& driver : system::VulkanUnderTest()) drivers.push_back(std::move(driver));
#endif
  return drivers;
}

class PresentAnswers : public testing::TestWithParam<DriverUnderTest> {
 protected:
  PresentAnswers()
      : driver_(Break(GetParam(), {GetParam().name, "", [](auto& table) { table.DxgkDdiPresent = &AnswerFirst; }})),
        rig_(std::make_unique<Rig>(AdapterPair{&driver_, &driver_})),
        user_(rig_->OpenRender()),
        source_(user_.Create({kExtent, kExtent, SurfaceUse::kCrossAdapter})),
        destination_(user_.Create({kExtent, kExtent, SurfaceUse::kCrossAdapter})) {
    asked = answers_left = 0;
    user_.Paint(source_, 0x21000000);
    user_.Paint(destination_, 0);
  }
  ~PresentAnswers() override {
    EXPECT_EQ(rig_->Violations(), "");
    static_cast<void>(Break(GetParam(), {}));  // the edit applies to the whole process
  }

  NTSTATUS CopyAnswered(NTSTATUS status, int times) {
    answer = status;
    answers_left = times;
    asked = 0;
    return user_.Copy(source_, destination_, {});
  }
  void ExpectHolds(std::uint32_t seed) {
    EXPECT_EQ(user_.Read(destination_).back(), UserDevice::Painted(seed, kExtent - 1, kExtent - 1));
  }

  const DriverUnderTest driver_;
  std::unique_ptr<Rig> rig_;
  UserDevice user_;
  Surface source_, destination_;
};

TEST_P(PresentAnswers, NoMemory_IsAskedAgain_ThenTheProgramIsTold_AndTheNextWorks) {
  for (const NTSTATUS status : {STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES}) {
    EXPECT_EQ(CopyAnswered(status, kTries), status);
    EXPECT_EQ(asked, kTries);
    user_.Finish();
    ExpectHolds(0);
    EXPECT_EQ(CopyAnswered(status, kTries - 1), STATUS_SUCCESS);
    user_.Finish();
    ExpectHolds(0x21000000);
    user_.Paint(destination_, 0);
  }
}

TEST_P(PresentAnswers, Refusals_AreTheProgramsAnswer_AndTheNextWorks) {
  for (const NTSTATUS status :
       {STATUS_GRAPHICS_CANNOTCOLORCONVERT, STATUS_PRIVILEGED_INSTRUCTION, STATUS_ILLEGAL_INSTRUCTION, STATUS_INVALID_HANDLE}) {
    EXPECT_EQ(CopyAnswered(status, 1), status);
    EXPECT_EQ(asked, 1);
    user_.Finish();
    ExpectHolds(0);
    EXPECT_EQ(CopyAnswered(status, 0), STATUS_SUCCESS);
    user_.Finish();
    ExpectHolds(0x21000000);
    user_.Paint(destination_, 0);
  }
}

TEST_P(PresentAnswers, GpuException_LosesTheDevice_AndNoOther) {
  UserDevice other = rig_->OpenRender();
  const Surface from = other.Create({kExtent, kExtent, SurfaceUse::kCrossAdapter});
  const Surface to = other.Create({kExtent, kExtent, SurfaceUse::kCrossAdapter});
  other.Paint(from, 0x42000000);
  EXPECT_EQ(CopyAnswered(STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE, 1), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  EXPECT_EQ(user_.State(), D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT);
  // The device stays lost without another call of the driver; other devices and new ones work.
  EXPECT_EQ(CopyAnswered(STATUS_SUCCESS, 0), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  EXPECT_EQ(asked, 0);
  ASSERT_EQ(other.Copy(from, to, {}), STATUS_SUCCESS);
  other.Finish();
  EXPECT_EQ(other.Read(to), other.Read(from));
  UserDevice next = rig_->OpenRender();
  const Surface again = next.Create({kExtent, kExtent, SurfaceUse::kCrossAdapter});
  EXPECT_EQ(next.Fill(again, 0xFF102030, {}), STATUS_SUCCESS);
  next.Finish();
  EXPECT_EQ(next.Read(again).front(), 0xFF102030);
}

INSTANTIATE_TEST_SUITE_P(Drivers, PresentAnswers, testing::ValuesIn(Drivers()),
                         [](const auto& driver) { return driver.param.name; });

}  // namespace
}  // namespace tandem::conform
