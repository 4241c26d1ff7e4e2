// A Vulkan adapter whose shaders encode and decode for links, and the processor's result for the same frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/testing/sanitizer.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/testing/adapter_test.h"
#include "drivers/vulkan/testing/liar.h"
#include "drivers/vulkan/testing/split_memory.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan::testing {

// A Vulkan driver and the adapter's abilities on it.
struct Machine {
  Icd icd;
  bool import;
  bool sees_all;  // the processor sees all of the device's own memory
};

inline void PrintTo(const Machine& machine, std::ostream* out) {
  PrintTo(machine.icd, out);
  *out << (machine.import ? ", imports" : ", bounces") << (machine.sees_all ? "" : ", split memory");
}

// Shaders encode and decode the rows that cross links.
class LinkMachineTest : public AdapterTest, public ::testing::WithParamInterface<Machine> {
 protected:
  void SetUp() override {
    Borrow(GetParam().icd);
    if (IsSkipped()) return;
    description_.borrowed = Liar::Wrap(*description_.borrowed);
    if (!GetParam().sees_all) description_.borrowed = SplitMemory(*description_.borrowed);
    description_.borrowed->external_memory_host = description_.borrowed->external_memory_host && GetParam().import;
    description_.links = BlitEngine::kShader;
    Start();
  }
  void TearDown() override {
    Liar::Disarm();
    AdapterTest::TearDown();
  }

  Blitter::Counters counters() { return miniport().blitter(kernel_->node()).counters(); }

  TestResource& MakeSurface(std::uint32_t width, std::uint32_t height, std::uint32_t slices, link::LinkColors colors = {}) {
    TestResource& surface = Make(AllocationKind::kLinear, width, height, link::kLinkFormat);
    link::InitializeLinkSurface(BytesOf(surface), link::LinkSliceRows(height, slices), colors);
    return surface;
  }
  static std::span<std::byte> BytesOf(const TestResource& surface) { return {surface.pages, surface.data.size}; }

  bool Copy(TestResource& from, TestResource& to, std::uint32_t top, std::uint32_t bottom) {
    DXGKARG_PRESENT args{};
    args.SrcRect = args.DstRect = {0, static_cast<LONG>(top), static_cast<LONG>(to.data.width), static_cast<LONG>(bottom)};
    args.Flags.Blt = 1;
    const UINT fence = kernel_->Present(&from, to, args);
    return fence != 0 && kernel_->WaitFence(fence);
  }
  bool Copy(TestResource& from, TestResource& to) { return Copy(from, to, 0, to.data.height); }

  // Writes tightly packed pixels to a surface visible to the test; other surfaces are filled by a copy from such a surface.
  static void Fill(TestResource& visible, const std::vector<std::byte>& pixels) {
    const std::size_t row = std::size_t{visible.data.width} * color::BytesPerPixel(visible.data.format);
    for (std::uint32_t y = 0; y < visible.data.height; ++y)
      std::memcpy(visible.pages + std::size_t{y} * visible.data.pitch, pixels.data() + y * row, row);
  }
  static std::vector<std::byte> PixelsOf(const TestResource& visible) {
    const std::size_t row = std::size_t{visible.data.width} * 4;
    std::vector<std::byte> pixels(row * visible.data.height);
    for (std::uint32_t y = 0; y < visible.data.height; ++y)
      std::memcpy(pixels.data() + y * row, visible.pages + std::size_t{y} * visible.data.pitch, row);
    return pixels;
  }
  void Write(TestResource& surface, const std::vector<std::byte>& pixels) {
    TestResource& visible = Make(AllocationKind::kLinear, surface.data.width, surface.data.height, surface.data.format);
    Fill(visible, pixels);
    ASSERT_TRUE(Copy(visible, surface));
  }
  std::vector<std::byte> Read(TestResource& surface) {
    TestResource& visible = Make(AllocationKind::kLinear, surface.data.width, surface.data.height, surface.data.format);
    EXPECT_TRUE(Copy(surface, visible));
    return PixelsOf(visible);
  }

  // Copies rows without the kernel, which knows primaries only if there are windows.
  static Allocation& ObjectOf(const TestResource& resource) { return *reinterpret_cast<Allocation*>(resource.data.object); }
  void Run(Allocation& from, Allocation& to, std::uint32_t top, std::uint32_t bottom,
           color::Rotation rotation = color::Rotation::kIdentity) {
    BlitCommand command;
    command.source = &from;
    command.destination = &to;
    command.from = {0, static_cast<LONG>(top), static_cast<LONG>(from.data().width), static_cast<LONG>(bottom)};
    command.rotation = rotation;
    command.to = command.rects[command.rect_count++] = command.from;
    Packet packet;
    packet.command = &command.header;
    miniport().commands().Execute(miniport().engine(kernel_->node()), packet);
  }
};

// The processor's result for the same frames.
class ExpectedLink {
 public:
  // `format` is the rendered picture's format.
  ExpectedLink(std::uint32_t width, std::uint32_t height, std::uint32_t slices, color::Format format,
               link::LinkColors colors = {})
      : surface(link::LinkSurfaceBytes(width, height)),
        shown(std::size_t{width} * height * 4),
        width_(width),
        height_(height),
        format_(format),
        colors_(colors) {
    link::InitializeLinkSurface(surface, link::LinkSliceRows(height, slices), colors);
  }
  void Cross(std::uint64_t frame, link::LinkEncoding encoding, const std::vector<std::byte>& pixels, std::uint32_t probe) {
    link::RequestLinkFrame(surface, frame, encoding, probe);
    const link::LinkRows rows{surface, 0, height_};
    const std::uint64_t pitch = std::uint64_t{width_} * color::BytesPerPixel(format_);
    ASSERT_TRUE(link::EncodeLinkRows(rows, {pixels.data(), pitch, format_, width_, height_}, MonotonicClock(), room_).ok());
    const color::Format linked = link::LinkedFormat(format_, colors_);
    ASSERT_TRUE(link::DecodeLinkRows(rows, {shown.data(), width_ * 4ULL, linked, width_, height_}, MonotonicClock(), room_).ok());
  }

  std::vector<std::byte> surface;
  std::vector<std::byte> shown;

 private:
  std::uint32_t width_;
  std::uint32_t height_;
  color::Format format_;
  link::LinkColors colors_;
  std::vector<std::byte> room_;
};

inline std::string NameOfMachine(const ::testing::TestParamInfo<Machine>& info) {
  return std::string(info.param.icd == Icd::kLavapipe ? "Lavapipe" : "SwiftShader") +
         (info.param.import ? "Imported" : "Bounced") + (info.param.sees_all ? "" : "Split");
}

// Under a sanitizer: each way of the driver once.
inline auto LinkMachines() {
  std::vector<Machine> machines{{Icd::kLavapipe, true, true}, {Icd::kLavapipe, false, false}};
  if (!kUnderSanitizer) {
    machines.insert(machines.end(), {{Icd::kLavapipe, false, true},
                                     {Icd::kLavapipe, true, false},
                                     {Icd::kSwiftShader, true, true},
                                     {Icd::kSwiftShader, true, false}});
  }
  return ::testing::ValuesIn(machines);
}

}  // namespace tandem::vulkan::testing
