// Paging operations: what they write into a DMA buffer of any size, and what the engine makes of it.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "color/format.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/soft/testing/fake_kernel.h"

namespace tandem::soft {
namespace {

using namespace processor;

constexpr std::uint64_t kBytes = 5ULL << 20;  // not a multiple of the pieces that the driver makes of it

class PagingTest : public ::testing::Test {
 protected:
  PagingTest() : kernel_(description_), pages_(kBytes) {
    auto data = DescribeSurface(1024, 1280, color::Format::kB8G8R8A8Unorm, 0, 0);
    local_ = kernel_.Allocate(*data, testing::Pages::kAnonymous);
    for (std::size_t i = 0; i < pages_.size(); ++i) pages_[i] = static_cast<std::byte>(i * 7 + i / 4096);
    mdl_.StartVa = mdl_.MappedSystemVa = pages_.data();
    mdl_.ByteCount = static_cast<ULONG>(kBytes);
    mdl_.BackingFd = -1;
  }
  // One operation in as many passes as it takes; each is run. The number of passes.
  UINT Run(DXGKARG_BUILDPAGINGBUFFER operation, UINT dma_bytes) {
    std::vector<std::byte> buffer(dma_bytes);
    for (UINT passes = 1;; ++passes) {
      operation.pDmaBuffer = buffer.data();
      operation.DmaSize = dma_bytes;
      const NTSTATUS status = kernel_.ddi().DxgkDdiBuildPagingBuffer(kernel_.adapter(), &operation);
      const auto used = static_cast<std::uint32_t>(static_cast<std::byte*>(operation.pDmaBuffer) - buffer.data());
      EXPECT_LE(used, dma_bytes);
      EXPECT_EQ(kernel_.Submit(1, buffer.data(), used, true), DXGK_INTERRUPT_DMA_COMPLETED);
      if (status == STATUS_SUCCESS) return passes;
      EXPECT_EQ(status, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
      if (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || passes == 100) return 0;
    }
  }
  DXGKARG_BUILDPAGINGBUFFER TransferIn() {
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    operation.Transfer.hAllocation = local_.info.hAllocation;
    operation.Transfer.TransferSize = kBytes;
    operation.Transfer.Source.pMdl = &mdl_;
    operation.Transfer.Destination.SegmentId = 1;
    operation.Transfer.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(local_.address);
    return operation;
  }

  const DeviceDescription description_;
  testing::FakeKernel kernel_;
  std::vector<std::byte> pages_;
  MDL mdl_{};
  testing::FakeAllocation local_;
};

TEST_F(PagingTest, Transfer_AnyBufferSize_MovesTheSameBytes) {
  for (const UINT dma_bytes : {UINT{sizeof(TransferCommand)}, UINT{3 * sizeof(TransferCommand) + 8}, 4096u}) {
    std::memset(local_.cpu, 0, kBytes);
    const UINT passes = Run(TransferIn(), dma_bytes);
    EXPECT_EQ(passes, dma_bytes == 4096 ? 1u : dma_bytes < 100 ? 5u : 2u) << dma_bytes;
    EXPECT_EQ(std::memcmp(local_.cpu, pages_.data(), kBytes), 0) << dma_bytes;
  }
}

TEST_F(PagingTest, Transfer_PartAtAnOffset_MovesThatPart) {
  std::memset(local_.cpu, 0, kBytes);
  auto operation = TransferIn();
  operation.Transfer.TransferOffset = 8192;
  operation.Transfer.MdlOffset = 2;
  operation.Transfer.TransferSize = 4096;
  EXPECT_EQ(Run(operation, 4096), 1u);
  EXPECT_EQ(std::memcmp(local_.cpu + 8192, pages_.data() + 8192, 4096), 0);
  EXPECT_EQ(local_.cpu[8191], std::byte{0});
  EXPECT_EQ(local_.cpu[8192 + 4096], std::byte{0});
}

TEST_F(PagingTest, Transfer_OutAgain_IsWhatWentIn) {
  EXPECT_EQ(Run(TransferIn(), 4096), 1u);
  const std::vector<std::byte> before = pages_;
  std::fill(pages_.begin(), pages_.end(), std::byte{0});
  auto operation = TransferIn();
  operation.Transfer.Source.SegmentId = 1;
  operation.Transfer.Source.SegmentAddress.QuadPart = static_cast<LONGLONG>(local_.address);
  operation.Transfer.Destination.SegmentId = 0;
  operation.Transfer.Destination.pMdl = &mdl_;
  EXPECT_EQ(Run(operation, 4096), 1u);
  EXPECT_EQ(pages_, before);
}

TEST_F(PagingTest, Fill_AnyBufferSize_WritesThePattern) {
  for (const UINT dma_bytes : {UINT{sizeof(FillBytesCommand)}, 4096u}) {
    std::memset(local_.cpu, 1, kBytes);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_FILL;
    operation.Fill.FillSize = kBytes;
    operation.Fill.FillPattern = 0x11223344;
    operation.Fill.Destination.SegmentId = 1;
    operation.Fill.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(local_.address);
    EXPECT_EQ(Run(operation, dma_bytes), dma_bytes == 4096 ? 1u : 5u);
    std::uint32_t wrong = 0;
    for (std::uint64_t at = 0; at < kBytes; at += 4) {
      std::uint32_t value = 0;
      std::memcpy(&value, local_.cpu + at, sizeof(value));
      wrong += value != 0x11223344 ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u);
  }
}

TEST_F(PagingTest, BufferTooSmallForACommand_IsRefused_AndNothingIsWritten) {
  std::byte buffer[8] = {};
  auto operation = TransferIn();
  operation.pDmaBuffer = buffer;
  operation.DmaSize = sizeof(buffer);
  EXPECT_EQ(kernel_.ddi().DxgkDdiBuildPagingBuffer(kernel_.adapter(), &operation), STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  EXPECT_EQ(operation.pDmaBuffer, buffer);
  EXPECT_EQ(operation.MultipassOffset, 0u);
}

}  // namespace
}  // namespace tandem::soft
