// The QXL device by its ports, its memory and its rings, as a driver sees it.
#include "bus/qxl/qxl_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <spice/enums.h>

#include "base/check.h"
#include "base/log_listener.h"
#include "bus/testing/picture_output.h"
#include "bus/testing/qxl_guest.h"

namespace tandem::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kWidth = 16, kHeight = 8;

class QxlGpuTest : public testing::Test, protected DeviceHost {
 protected:
  QxlGpuTest() {
    auto gpu = QxlGpu::Create(640, 480);
    TANDEM_CHECK(gpu.ok());
    gpu_ = *std::move(gpu);
    gpu_->Attach(*this);
    guest_ = std::make_unique<QxlGuest>(*gpu_);
    guest_->CreatePrimary(kWidth, kHeight);
  }
  void Wake() override { awake_ = true; }
  void Raise(std::uint16_t /*vector*/) override {}

  void Do(const QXLDrawable& drawable) {
    guest_->Push(drawable);
    Notify();
  }
  void Do(const QXLCursorCmd& command) {
    guest_->Push(command);
    Notify();
  }
  void Notify() {
    guest_->Out(QXL_IO_NOTIFY_CMD);
    ASSERT_TRUE(std::exchange(awake_, false));
    gpu_->Work();
  }
  QXLDrawable& Fill(const QXLRect& box, std::uint32_t color) {
    QXLDrawable& fill = guest_->Drawable(QXL_DRAW_FILL, box);
    fill.u.fill.brush.u.color = color;
    return fill;
  }
  QXLDrawable& Copy(const QXLRect& box, QXLPHYSICAL bitmap) {
    QXLDrawable& copy = guest_->Drawable(QXL_DRAW_COPY, box);
    copy.u.copy.src_bitmap = bitmap;
    copy.u.copy.src_area = {0, 0, box.bottom - box.top, box.right - box.left};
    return copy;
  }
  // Why nothing is shown any more.
  std::string Broken() {
    const auto shown = gpu_->Show(output_, {0, 0, kWidth, kHeight});
    return shown.ok() ? std::string() : shown.error().message;
  }

  std::unique_ptr<QxlGpu> gpu_;
  std::unique_ptr<QxlGuest> guest_;
  PictureOutput output_;
  bool awake_ = false;
};

TEST_F(QxlGpuTest, Rom_HasTheDisplaysModeFirst_AndNoneThatIsLarger) {
  EXPECT_EQ(guest_->rom().magic, 0x4F525851U);
  EXPECT_EQ(guest_->ram().magic, 0x41525851U);
  ASSERT_EQ(guest_->modes().n_modes, 1U);  // 640 x 480
  EXPECT_EQ(guest_->modes().modes[0].x_res, 640U);
  const auto large = QxlGpu::Create(1920, 1080);
  ASSERT_TRUE(large.ok()) << large.error().message;
  (*large)->Attach(*this);
  const QxlGuest guest(**large);
  ASSERT_EQ(guest.modes().n_modes, 6U);
  EXPECT_EQ(guest.modes().modes[0].y_res, 1080U);
  EXPECT_EQ(guest.modes().modes[5].x_res, 1280U);
  EXPECT_EQ(guest.modes().modes[5].stride, 5120U);
}

TEST_F(QxlGpuTest, Fill_CoversItsBoxWithinItsClip) {
  Do(Fill({0, 0, kHeight, kWidth}, 0x112233));
  Do(Fill({1, 2, 3, 5}, 0x445566));
  EXPECT_EQ(guest_->Pixel(0, 0), 0x112233U);
  EXPECT_EQ(guest_->Pixel(2, 1), 0x445566U);
  EXPECT_EQ(guest_->Pixel(4, 2), 0x445566U);
  EXPECT_EQ(guest_->Pixel(5, 2), 0x112233U);
  EXPECT_EQ(guest_->Pixel(2, 3), 0x112233U);

  QXLDrawable& clipped = Fill({0, 0, kHeight, kWidth}, 0x778899);
  const std::array<QXLRect, 2> clips{{{-5, -5, 1, 1}, {6, 14, 90, 90}}};
  auto& list = guest_->New<QXLClipRects>(sizeof(QXLClipRects) + sizeof(clips));
  list.num_rects = clips.size();
  guest_->WritePieces(list.chunk, std::as_bytes(std::span(clips)), sizeof(QXLRect));
  clipped.clip = {SPICE_CLIP_TYPE_RECTS, guest_->AddressOf(&list)};
  Do(clipped);
  EXPECT_EQ(guest_->Pixel(0, 0), 0x778899U);
  EXPECT_EQ(guest_->Pixel(15, 7), 0x778899U);
  EXPECT_EQ(guest_->Pixel(1, 1), 0x112233U);
  EXPECT_EQ(guest_->Pixel(13, 7), 0x112233U);
}

TEST_F(QxlGpuTest, Copy_OfPiecesInEitherOrderOfRows_IsTheBitmap) {
  std::array<std::uint32_t, 12> pixels{};  // 4 x 3
  std::iota(pixels.begin(), pixels.end(), 1u);
  for (const std::size_t piece_bytes : {16u, 32u, 20u, 48u}) {
    SCOPED_TRACE(piece_bytes);
    Do(Copy({2, 1, 5, 5}, guest_->Bitmap(4, 3, pixels, QXL_BITMAP_TOP_DOWN, piece_bytes)));
    EXPECT_EQ(guest_->Pixel(1, 2), 1U);
    EXPECT_EQ(guest_->Pixel(4, 2), 4U);
    EXPECT_EQ(guest_->Pixel(1, 4), 9U);
    Do(Copy({2, 1, 5, 5}, guest_->Bitmap(4, 3, pixels, 0, piece_bytes)));
    EXPECT_EQ(guest_->Pixel(1, 2), 9U);
    EXPECT_EQ(guest_->Pixel(4, 4), 4U);
  }
  QXLDrawable& part = Copy({0, 0, 2, 2}, guest_->Bitmap(4, 3, pixels, QXL_BITMAP_TOP_DOWN, 48));
  part.u.copy.src_area = {1, 2, 3, 4};
  Do(part);
  EXPECT_EQ(guest_->Pixel(0, 0), 7U);
  EXPECT_EQ(guest_->Pixel(1, 1), 12U);
  EXPECT_EQ(Broken(), "");
}

TEST_F(QxlGpuTest, CopyBits_Overlapping_MovesWhatWasThere) {
  std::array<std::uint32_t, kWidth * kHeight> pixels{};
  std::iota(pixels.begin(), pixels.end(), 0u);
  for (const auto& [x, y] : {std::pair{0, 1}, {1, 0}, {2, 3}, {0, 0}}) {
    Do(Copy({0, 0, kHeight, kWidth}, guest_->Bitmap(kWidth, kHeight, pixels, QXL_BITMAP_TOP_DOWN, sizeof(pixels))));
    QXLDrawable& copy = guest_->Drawable(QXL_COPY_BITS, {1, 1, 5, 11});
    copy.u.copy_bits.src_pos = {x, y};
    Do(copy);
    for (std::uint32_t row = 1; row < 5; ++row) {
      const std::uint32_t from = (static_cast<std::uint32_t>(y) + row - 1) * kWidth + static_cast<std::uint32_t>(x);
      EXPECT_EQ(guest_->Pixel(1, row), from);
      EXPECT_EQ(guest_->Pixel(10, row), from + 9);
    }
  }
}

TEST_F(QxlGpuTest, Releases_NameEachCommandInItsOrder_HoweverManyTheDriverLeaves) {
  std::vector<std::uint64_t> pushed;
  for (int i = 0; i < 40; ++i) {
    const QXLDrawable& fill = Fill({0, 0, 1, 1}, 1);
    pushed.push_back(fill.release_info.id);
    Do(fill);
  }
  std::vector<std::uint64_t> released = guest_->TakeReleases();
  EXPECT_EQ(released.size(), 8U);  // the ring is full
  guest_->Out(QXL_IO_NOTIFY_OOM);
  gpu_->Work();
  for (const std::uint64_t id : guest_->TakeReleases()) released.push_back(id);
  EXPECT_EQ(released, pushed);
}

TEST_F(QxlGpuTest, Interrupt_IsAssertedForWhatTheDriverWaitsFor_UntilItTakesIt) {
  guest_->TakeInterrupts();
  guest_->SetInterruptMask(QXL_INTERRUPT_DISPLAY);
  guest_->ram().cmd_ring.notify_on_cons = guest_->ram().cmd_ring.cons + 2;
  Do(Fill({0, 0, 1, 1}, 1));
  EXPECT_TRUE(gpu_->LineAsserted());  // of the release
  EXPECT_EQ(guest_->TakeInterrupts(), std::uint32_t{QXL_INTERRUPT_DISPLAY});
  EXPECT_FALSE(gpu_->LineAsserted());
  Do(Fill({0, 0, 1, 1}, 1));
  EXPECT_TRUE(gpu_->LineAsserted());  // there is room
  guest_->TakeInterrupts();
  guest_->Out(QXL_IO_MONITORS_CONFIG_ASYNC);
  EXPECT_FALSE(gpu_->LineAsserted());  // masked
  EXPECT_EQ(guest_->TakeInterrupts(), std::uint32_t{QXL_INTERRUPT_IO_CMD});
}

TEST_F(QxlGpuTest, UpdateArea_IsDoneBehindTheCommandsBefore) {
  guest_->Push(Fill({0, 0, 1, 1}, 0xABCDEF));
  guest_->Out(QXL_IO_UPDATE_AREA);
  EXPECT_EQ(guest_->Pixel(0, 0), 0xABCDEFU);
}

TEST_F(QxlGpuTest, AwaitDraw_SeesTheNextDraw) {
  const std::uint64_t before = gpu_->draws();
  EXPECT_FALSE(gpu_->AwaitDraw(before, 0));
  Do(Fill({0, 0, 1, 1}, 1));
  EXPECT_TRUE(gpu_->AwaitDraw(before, 0));
}

TEST_F(QxlGpuTest, WhatIsNotDrawn_IsSaidOnce_AndReleased) {
  static std::vector<std::string> heard;
  SetLogListener([](std::string_view line) noexcept { heard.emplace_back(line); });
  Do(guest_->Drawable(QXL_DRAW_BLEND, {0, 0, 1, 1}));
  QXLDrawable& elsewhere = Fill({0, 0, 1, 1}, 1);
  elsewhere.surface_id = 3;
  Do(elsewhere);
  EXPECT_EQ(Broken(), "");
  SetLogListener(nullptr);
  EXPECT_THAT(heard, ElementsAre(HasSubstr("A QXL device shows less than its driver draws: Commands of type 5 are not drawn.")));
  EXPECT_EQ(guest_->TakeReleases().size(), 2U);
}

TEST_F(QxlGpuTest, Mistake_EndsTheDeviceUntilItsReset) {
  const std::array<std::uint32_t, 4> pixels{};
  const auto bitmap = [&] { return guest_->Bitmap(2, 2, pixels, 0, 16); };
  const auto with = [&](QXLDrawable& drawable, auto change) {
    change(drawable);
    guest_->Push(drawable);
  };
  const std::vector<std::function<void()>> mistakes{
      [&] { guest_->PushAddress(0); },
      [&] { guest_->PushAddress(~QXLPHYSICAL{0}); },
      [&] { guest_->PushAddress(guest_->AddressOf(&guest_->ram()) - 8); },
      [&] {
        guest_->Push(Fill({0, 0, kHeight + 1, 1}, 1));
      },
      [&] {
        guest_->Push(Fill({0, 3, 1, 3}, 1));
      },
      [&] {
        guest_->Push(Fill({-1, 0, 1, 1}, 1));
      },
      [&] {
        guest_->Push(Copy({0, 0, 2, 2}, 0));
      },
      [&] {
        with(Copy({0, 0, 2, 2}, bitmap()), [](QXLDrawable& copy) { copy.u.copy.src_area = {1, 0, 3, 2}; });
      },
      [&] {
        with(guest_->Drawable(QXL_COPY_BITS, {0, 0, 2, 2}), [](QXLDrawable& copy) { copy.u.copy_bits.src_pos = {15, 0}; });
      },
      [&] {
        with(Fill({0, 0, 1, 1}, 1), [](QXLDrawable& fill) { fill.clip = {SPICE_CLIP_TYPE_RECTS, 0}; });
      },
      [&] {  // a list of pieces without end and without data
        auto& piece = guest_->New<QXLDataChunk>();
        piece.next_chunk = guest_->AddressOf(&piece);
        auto& image = guest_->New<QXLImage>();
        image.descriptor.type = SPICE_IMAGE_TYPE_BITMAP;
        image.bitmap = {SPICE_BITMAP_FMT_32BIT, 0, 2, 2, 8, 0, guest_->AddressOf(&piece)};
        guest_->Push(Copy({0, 0, 2, 2}, guest_->AddressOf(&image)));
      },
      [&] {
        auto& move = guest_->New<QXLCursorCmd>();
        move.type = QXL_CURSOR_SET;
        guest_->Push(move);
      },
  };
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(Broken(), "");
    mistakes[i]();
    Notify();
    EXPECT_THAT(Broken(), HasSubstr("The QXL device needs a reset: "));
    EXPECT_NE(guest_->TakeInterrupts() & QXL_INTERRUPT_ERROR, 0U);
    guest_->Push(Fill({0, 0, 1, 1}, 0xDEAD));
    Notify();
    EXPECT_NE(guest_->Pixel(0, 0), 0xDEADU);
    guest_ = std::make_unique<QxlGuest>(*gpu_);
    EXPECT_THAT(Broken(), HasSubstr("no primary surface"));
    guest_->CreatePrimary(kWidth, kHeight);
  }
}

TEST_F(QxlGpuTest, RingThatHoldsMoreThanItsRoom_IsEmpty) {
  guest_->ram().cmd_ring.prod = guest_->ram().cmd_ring.cons + 33;
  Notify();
  EXPECT_EQ(guest_->ram().cmd_ring.cons, 0U);
  EXPECT_EQ(Broken(), "");
}

TEST_F(QxlGpuTest, PrimarySurface_OutsideOfItsSlotOrOfAnotherFormat_IsNone) {
  QXLSurfaceCreate& create = guest_->ram().create_surface;
  const QXLSurfaceCreate good = create;
  create.format = SPICE_SURFACE_FMT_16_565;
  guest_->Out(QXL_IO_CREATE_PRIMARY);
  EXPECT_THAT(Broken(), HasSubstr("no primary surface"));
  create = good;
  create.stride = 4;
  guest_->Out(QXL_IO_CREATE_PRIMARY);
  EXPECT_THAT(Broken(), HasSubstr("16 x 8 pixels has rows of 4 bytes"));
}

TEST_F(QxlGpuTest, Pointer_OfEitherType_LiesOverThePicture) {
  Do(Fill({0, 0, kHeight, kWidth}, 0x808080));
  const auto set = [&](std::uint16_t type, std::span<const std::byte> shape) {
    auto& cursor = guest_->New<QXLCursor>(sizeof(QXLCursor) + shape.size());
    cursor.header = {0, type, 2, 2, 1, 0};  // the hot spot is (1, 0)
    guest_->WritePieces(cursor.chunk, shape, shape.size());
    auto& command = guest_->New<QXLCursorCmd>();
    command.type = QXL_CURSOR_SET;
    command.u.set.position = {5, 3};
    command.u.set.visible = 1;
    command.u.set.shape = guest_->AddressOf(&cursor);
    Do(command);
    EXPECT_EQ(Broken(), "");
  };
  const auto pixel = [&](std::uint32_t x, std::uint32_t y) { return output_.pixels[y * kWidth + x] & 0xFFFFFF; };
  const std::array<std::uint32_t, 4> colors{0xFF0000FF, 0x00FFFFFF, 0x80000000, 0xFF00FF00};
  set(SPICE_CURSOR_TYPE_ALPHA, std::as_bytes(std::span(colors)));
  EXPECT_EQ(pixel(4, 3), 0x0000FFU);
  EXPECT_EQ(pixel(5, 3), 0x808080U);
  EXPECT_EQ(pixel(4, 4), 0x404040U);
  EXPECT_EQ(pixel(5, 4), 0x00FF00U);
  // AND above XOR: black, white; kept, inverted.
  const std::array<std::uint8_t, 4> masks{0x00, 0xC0, 0x40, 0x40};
  set(SPICE_CURSOR_TYPE_MONO, std::as_bytes(std::span(masks)));
  EXPECT_EQ(pixel(4, 3), 0x000000U);
  EXPECT_EQ(pixel(5, 3), 0xFFFFFFU);
  EXPECT_EQ(pixel(4, 4), 0x808080U);
  EXPECT_EQ(pixel(5, 4), 0x7F7F7FU);
  auto& hide = guest_->New<QXLCursorCmd>();
  hide.type = QXL_CURSOR_HIDE;
  Do(hide);
  EXPECT_EQ(Broken(), "");
  EXPECT_EQ(pixel(5, 3), 0x808080U);
  auto& move = guest_->New<QXLCursorCmd>();
  move.type = QXL_CURSOR_MOVE;
  move.u.position = {-20, -20};
  Do(move);
  EXPECT_EQ(Broken(), "");
}

}  // namespace
}  // namespace tandem::bus
