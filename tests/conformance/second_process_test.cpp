// Passes a shared resource as a descriptor to another process, which has its own kernel and adapter and sees the same bytes.
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "conform/user_device.h"
#include "drivers/soft/soft_device.h"
#include "kernel/kernel.h"
#include "system/conformance_drivers.h"
#include "tests/conformance/print.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 64, kHeight = 32;
constexpr unsigned kLimitSeconds = 60;

// A kernel with one soft adapter; each of the two processes has one.
class Side {
 public:
  Side() : kernel_(std::move(*kernel::Kernel::Create(MonotonicClock()))) {
    luid_ = *kernel_->AddAdapter(**kernel_->LoadDriver(soft::SoftDriverEntry, "soft"), &description_, "side");
    user_ = std::make_unique<UserDevice>(system::SoftUnderTest(), StartedAdapter{kernel_.get(), luid_}, 1);
  }
  ~Side() {
    user_.reset();
    kernel_.reset();
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  [[nodiscard]] UserDevice& user() { return *user_; }

  // Creates a surface that is shared by descriptor only.
  [[nodiscard]] Surface Create(SurfaceUse use) {
    const SurfaceRequest request{kWidth, kHeight, use};
    SurfaceData data = system::SoftUnderTest().describe({}, request);
    D3DDDI_ALLOCATIONINFO2 info{};
    info.pPrivateDriverData = data.allocation.data();
    info.PrivateDriverDataSize = static_cast<UINT>(data.allocation.size());
    D3DKMT_CREATEALLOCATION create{};
    create.hDevice = user_->device();
    create.NumAllocations = 1;
    create.pAllocationInfo2 = &info;
    create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.NtSecuritySharing = 1;
    create.Flags.CrossAdapter = use == SurfaceUse::kCrossAdapter ? 1u : 0u;
    RequireSuccess(D3DKMTCreateAllocation2(&create), "D3DKMTCreateAllocation2");
    return {create.hResource, info.hAllocation, 0, request, system::SoftUnderTest().describe({}, request).pitch};
  }
  [[nodiscard]] static UniqueFd Export(const Surface& surface) {
    HANDLE shared = nullptr;
    RequireSuccess(D3DKMTShareObjects(1, &surface.resource, nullptr, 0, &shared), "D3DKMTShareObjects");
    return UniqueFd(static_cast<int>(reinterpret_cast<std::intptr_t>(shared)));
  }
  // Queries the sizes first.
  [[nodiscard]] Surface Open(const UniqueFd& fd, SurfaceUse use) {
    D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query{};
    query.hDevice = user_->device();
    query.hNtHandle = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd.get()));
    RequireSuccess(D3DKMTQueryResourceInfoFromNtHandle(&query), "D3DKMTQueryResourceInfoFromNtHandle");
    std::vector<std::byte> total(query.TotalPrivateDriverDataSize), resource(query.ResourcePrivateDriverDataSize);
    D3DDDI_OPENALLOCATIONINFO2 info{};
    D3DKMT_OPENRESOURCEFROMNTHANDLE open{};
    open.hDevice = user_->device();
    open.hNtHandle = query.hNtHandle;
    open.NumAllocations = 1;
    open.pOpenAllocationInfo2 = &info;
    open.pTotalPrivateDriverDataBuffer = total.data();
    open.TotalPrivateDriverDataBufferSize = static_cast<UINT>(total.size());
    open.pResourcePrivateDriverData = resource.data();
    open.ResourcePrivateDriverDataSize = static_cast<UINT>(resource.size());
    RequireSuccess(D3DKMTOpenResourceFromNtHandle(&open), "D3DKMTOpenResourceFromNtHandle");
    const SurfaceRequest request{kWidth, kHeight, use};
    return {open.hResource, info.hAllocation, 0, request, system::SoftUnderTest().describe({}, request).pitch};
  }

 private:
  soft::DeviceDescription description_;
  std::unique_ptr<kernel::Kernel> kernel_;
  LUID luid_{};
  std::unique_ptr<UserDevice> user_;
};

// Sends one byte with a descriptor.
bool SendFd(int socket, int fd) {
  char byte = 'f';
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  return sendmsg(socket, &message, 0) == 1;
}

UniqueFd ReceiveFd(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  if (recvmsg(socket, &message, 0) != 1) return {};
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
  return UniqueFd(fd);
}

std::uint32_t FirstPixel(UserDevice& user, const Surface& surface) { return user.Read(surface).front(); }

// The other process: opens the received resource, checks it, and changes it by the GPU and, if shared, by the kernel-mode half.
// Returns 0 or the number of the failed step.
int RunOther(int socket, SurfaceUse use) {
  alarm(kLimitSeconds);
  try {
    Side side;
    const UniqueFd fd = ReceiveFd(socket);
    if (!fd.valid()) return 1;
    const Surface opened = side.Open(fd, use);
    const auto pixels = side.user().Read(opened);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        if (pixels[y * kWidth + x] != UserDevice::Painted(0x11000000, x, y)) return 2;
      }
    }
    const Surface source = side.user().Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
    side.user().Paint(source, 0x22000000);
    if (side.user().Copy(source, opened, {}) != STATUS_SUCCESS) return 3;
    side.user().Finish();
    if (use == SurfaceUse::kSharedWithKmd) static_cast<void>(side.user().AskKmd({opened.allocation, 0, true, 0x5EC0D000}));
    char done = 'd';
    return write(socket, &done, 1) == 1 ? 0 : 4;
  } catch (const std::exception& broken) {
    std::fprintf(stderr, "%s\n", broken.what());
    return 5;
  }
}

class SecondProcess : public testing::TestWithParam<SurfaceUse> {};

TEST_P(SecondProcess, SeesTheBytes_AndItsOwnAreSeen) {
  int sockets[2] = {};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const UniqueFd here(sockets[0]), there(sockets[1]);
  const pid_t other = fork();
  if (other == 0) _exit(RunOther(there.get(), GetParam()));
  {
    Side side;
    const Surface made = side.Create(GetParam());
    side.user().Paint(made, 0x11000000);
    ASSERT_TRUE(SendFd(here.get(), Side::Export(made).get()));
    char done = 0;
    ASSERT_EQ(read(here.get(), &done, 1), 1) << "The other process failed.";
    const bool shared = GetParam() == SurfaceUse::kSharedWithKmd;
    EXPECT_EQ(FirstPixel(side.user(), made), shared ? 0x5EC0D000 : UserDevice::Painted(0x22000000, 0, 0));
    EXPECT_EQ(side.user().Read(made).back(), UserDevice::Painted(0x22000000, kWidth - 1, kHeight - 1));
    if (shared) {
      EXPECT_EQ(side.user().AskKmd({made.allocation, 0}), 0x5EC0D000u);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SecondProcess, testing::Values(SurfaceUse::kCrossAdapter, SurfaceUse::kSharedWithKmd),
                         [](const auto& use) {
                           return use.param == SurfaceUse::kCrossAdapter ? "CrossAdapter" : "SharedWithKmd";
                         });

}  // namespace
}  // namespace tandem::conform
