// Presents that stretch, convert, key, rotate, fill and overlap: the same pixels as color's reference, whoever does them and
// wherever the surfaces are.
#include <gtest/gtest.h>
#include <ostream>

#include <cstring>
#include <random>
#include <vector>

#include "base/testing/sanitizer.h"
#include "color/nv12.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "drivers/vulkan/testing/adapter_test.h"

namespace tandem::vulkan::testing {
namespace {

constexpr std::array kFormats{color::Format::kR16G16B16A16Float, color::Format::kR10G10B10A2Unorm,
                              color::Format::kR8G8B8A8Unorm,     color::Format::kB8G8R8A8Unorm,
                              color::Format::kB8G8R8X8Unorm,     color::Format::kB8G8R8A8UnormSrgb,
                              color::Format::kR8G8B8A8UnormSrgb};
constexpr std::array kKinds{AllocationKind::kLinear, AllocationKind::kImage, AllocationKind::kLocal};

struct Machine {
  Icd icd;
  BlitEngine engine;
  bool import;
  bool dithers;
  Validation validation = Validation::kIfInstalled;
};

void PrintTo(const Machine& machine, std::ostream* out) {
  PrintTo(machine.icd, out);
  *out << (machine.engine == BlitEngine::kProcessor ? ", processor" : ", shader") << (machine.import ? ", imports" : ", bounces")
       << (machine.dithers ? ", dithers" : "") << (machine.validation == Validation::kOff ? ", not validated" : "");
}

class BlitTest : public AdapterTest, public ::testing::WithParamInterface<Machine> {
 protected:
  void SetUp() override {
    Borrow(GetParam().icd, GetParam().validation);
    if (IsSkipped()) return;
    description_.borrowed->external_memory_host = description_.borrowed->external_memory_host && GetParam().import;
    description_.blits = GetParam().engine;
    description_.dithers = GetParam().dithers;
    Start();
  }

  // Rows with the pitch of a surface in memory, whatever holds it.
  using Picture = std::vector<std::byte>;
  static std::uint32_t PitchOf(const AllocationData& data) {
    return (data.width * color::BytesPerPixel(data.format) + drivers::kPitchAlignment - 1) / drivers::kPitchAlignment *
           drivers::kPitchAlignment;
  }
  static DXGKARG_PRESENT Whole(const AllocationData& data) {
    DXGKARG_PRESENT args{};
    args.SrcRect = args.DstRect = {0, 0, static_cast<LONG>(data.width), static_cast<LONG>(data.height)};
    args.Flags.Blt = 1;
    return args;
  }
  // By way of a surface that the test sees.
  void Write(TestResource& surface, const Picture& picture) {
    TestResource& visible = Make(AllocationKind::kLinear, surface.data.width, surface.data.height, surface.data.format);
    std::memcpy(visible.pages, picture.data(), picture.size());
    ASSERT_TRUE(kernel_->WaitFence(kernel_->Present(&visible, surface, Whole(surface.data))));
  }
  Picture Read(TestResource& surface) {
    TestResource& visible = Make(AllocationKind::kLinear, surface.data.width, surface.data.height, surface.data.format);
    EXPECT_TRUE(kernel_->WaitFence(kernel_->Present(&surface, visible, Whole(surface.data))));
    Picture picture(std::size_t{PitchOf(surface.data)} * surface.data.height);
    std::memcpy(picture.data(), visible.pages, picture.size());
    return picture;
  }
  Picture Random(const AllocationData& data) {
    const std::size_t row = std::size_t{data.width} * color::BytesPerPixel(data.format);
    Picture picture(std::size_t{PitchOf(data)} * data.height);
    for (std::uint32_t y = 0; y < data.height; ++y) {
      for (std::size_t x = 0; x < row; ++x)
        picture[std::size_t{y} * PitchOf(data) + x] = static_cast<std::byte>(random_() & 0xFF);
    }
    return picture;
  }
  std::uint32_t Word() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t Below(std::uint32_t limit) { return Word() % limit; }
  RECT RandomRect(std::uint32_t width, std::uint32_t height) {
    const auto left = static_cast<LONG>(Below(width));
    const auto top = static_cast<LONG>(Below(height));
    return {left, top, left + 1 + static_cast<LONG>(Below(width - static_cast<std::uint32_t>(left))),
            top + 1 + static_cast<LONG>(Below(height - static_cast<std::uint32_t>(top)))};
  }
  static bool SameRows(const Picture& a, const Picture& b, const AllocationData& data) {
    const std::size_t row = std::size_t{data.width} * color::BytesPerPixel(data.format);
    for (std::uint32_t y = 0; y < data.height; ++y) {
      const std::size_t at = std::size_t{y} * PitchOf(data);
      if (std::memcmp(a.data() + at, b.data() + at, row) != 0) return false;
    }
    return true;
  }

  std::mt19937 random_{20};
};

// One rectangle after the other, by the reference.
void Predict(const BlitCommand& command, std::span<const RECT> rects, const AllocationData& from_data,
             const AllocationData& to_data, const std::vector<std::byte>& from, std::vector<std::byte>& to,
             std::uint32_t from_pitch, std::uint32_t to_pitch) {
  BlitPlan plan{command,
                {{}, from_data.format, from_pitch, from_data.width, from_data.height},
                {{}, to_data.format, to_pitch, to_data.width, to_data.height}};
  for (const RECT& rect : rects) {
    const std::vector<std::byte> before = &from == &to ? to : std::vector<std::byte>();
    color::BlitReference(plan.RequestOf(rect, &from == &to ? before.data() : from.data(), to.data()));
  }
}

TEST_P(BlitTest, Present_RandomOperations_EqualTheReference) {
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const AllocationKind from_kind = kKinds[Below(3)];
    const AllocationKind to_kind = kKinds[Below(3)];
    TestResource& to = Make(to_kind, 1 + Below(60), 1 + Below(40), kFormats[Below(kFormats.size())]);
    const bool itself = Below(4) == 0;
    TestResource& from = itself ? to : Make(from_kind, 1 + Below(60), 1 + Below(40), kFormats[Below(kFormats.size())]);
    const Picture from_picture = Random(from.data);
    Picture expected = itself ? from_picture : Random(to.data);
    Write(from, from_picture);
    if (!itself) Write(to, expected);

    DXGKARG_PRESENT args{};
    args.Flags.Blt = 1;
    args.SrcRect = RandomRect(from.data.width, from.data.height);
    args.DstRect = RandomRect(to.data.width, to.data.height);
    if (Below(3) == 0) {  // unscaled
      args.DstRect.right =
          std::min<LONG>(args.DstRect.left + args.SrcRect.right - args.SrcRect.left, static_cast<LONG>(to.data.width));
      args.DstRect.bottom =
          std::min<LONG>(args.DstRect.top + args.SrcRect.bottom - args.SrcRect.top, static_cast<LONG>(to.data.height));
      args.SrcRect.right = args.SrcRect.left + args.DstRect.right - args.DstRect.left;
      args.SrcRect.bottom = args.SrcRect.top + args.DstRect.bottom - args.DstRect.top;
    }
    BlitCommand command;
    command.from = args.SrcRect;
    command.to = args.DstRect;
    command.dither = GetParam().dithers;
    if (Below(4) == 0) {
      args.Flags.SrcColorKey = 1;
      command.key = color::ColorKey::kSkipSource;
      args.Color = Word();
      command.pixel = color::PixelOfArgb(args.Color, from.data.format);
    } else if (Below(4) == 0) {
      args.Flags.DstColorKey = 1;
      command.key = color::ColorKey::kOnlyOver;
      args.Color = Word();
      command.pixel = color::PixelOfArgb(args.Color, to.data.format);
    } else if (Below(4) == 0 && color::BytesPerPixel(to.data.format) == 4 && to.data.format != color::Format::kR10G10B10A2Unorm) {
      args.Flags.LinearToSrgb = 1;
      command.transfer = color::Transfer::kLinearToSrgb;
    }
    std::vector<RECT> rects{args.DstRect};
    const auto width = static_cast<std::uint32_t>(args.DstRect.right - args.DstRect.left);
    const auto height = static_cast<std::uint32_t>(args.DstRect.bottom - args.DstRect.top);
    if (Below(2) == 0) {
      rects.clear();
      for (std::uint32_t i = 0; i < 1 + Below(5); ++i) {
        RECT rect = RandomRect(width, height);
        rect = {rect.left + args.DstRect.left, rect.top + args.DstRect.top, rect.right + args.DstRect.left,
                rect.bottom + args.DstRect.top};
        rects.push_back(rect);
      }
      args.SubRectCnt = static_cast<UINT>(rects.size());
      args.pDstSubRects = rects.data();
    }
    const UINT fence = kernel_->Present(&from, to, args);
    ASSERT_NE(fence, 0u) << std::hex << kernel_->last_status();
    ASSERT_TRUE(kernel_->WaitFence(fence));
    Predict(command, rects, from.data, to.data, itself ? expected : from_picture, expected, PitchOf(from.data), PitchOf(to.data));
    EXPECT_TRUE(SameRows(Read(to), expected, to.data))
        << color::ToString(from.data.format) << " to " << color::ToString(to.data.format) << ", kinds "
        << static_cast<int>(from.data.kind) << " and " << static_cast<int>(to.data.kind) << (itself ? ", itself" : "");
    DestroyAll();
    if (HasFailure()) return;
  }
}

// The parts of a 48 x 36 picture, encoded by the scalar form.
TEST_P(BlitTest, Present_IntoNv12_EqualsTheReference_AndWhatIsOddIsRefused) {
  if constexpr (!color::kHasYuv420) GTEST_SKIP() << "This build has no 4:2:0.";
  for (const color::Format format : kFormats) {
    for (const AllocationKind kind : kKinds) {
      for (const RECT& from_rect : {RECT{1, 2, 37, 32}, RECT{0, 0, 40, 30}}) {
        TestResource& from = Make(kind, 40, 33, format);
        TestResource& to = Make(AllocationKind::kLinear, 48, 36, color::kNv12);
        const Picture picture = Random(from.data);
        Write(from, picture);
        std::vector<RECT> rects{{4, 6, 20, 36}, {20, 8, 40, 10}};
        DXGKARG_PRESENT args{};
        args.Flags.Blt = 1;
        args.SrcRect = from_rect;
        args.DstRect = {4, 6, 40, 36};
        args.SubRectCnt = 2;
        args.pDstSubRects = rects.data();
        BlitCommand command;
        command.from = args.SrcRect;
        command.to = args.DstRect;
        AllocationData between = to.data;
        between.format = color::kNv12Between;
        Picture pixels(std::size_t{PitchOf(between)} * between.height);
        Predict(command, rects, from.data, between, picture, pixels, PitchOf(from.data), PitchOf(between));
        Picture expected(to.data.size);
        std::memcpy(expected.data(), to.pages, expected.size());
        for (const RECT& rect : rects) {
          const auto left = static_cast<std::uint32_t>(rect.left), top = static_cast<std::uint32_t>(rect.top);
          const auto width = static_cast<std::uint32_t>(rect.right) - left,
                     height = static_cast<std::uint32_t>(rect.bottom) - top;
          color::EncodeYuv420Reference(
              color::Nv12Planes<std::byte>(expected.data() + std::size_t{top} * to.data.pitch + left, to.data.pitch,
                                           color::Nv12ChromaDistance(to.data.height, top)),
              {pixels.data() + std::size_t{top} * PitchOf(between) + left * 4, PitchOf(between), width, height}, {});
        }
        ASSERT_TRUE(kernel_->WaitFence(kernel_->Present(&from, to, args)));
        EXPECT_EQ(std::memcmp(expected.data(), to.pages, expected.size()), 0)
            << color::ToString(format) << ", kind " << static_cast<int>(kind);
        rects[1].left = 21;
        EXPECT_EQ(kernel_->Present(&from, to, args), 0U);
        EXPECT_EQ(kernel_->last_status(), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
        EXPECT_EQ(kernel_->Present(&to, from, Whole(from.data)), 0U);
        EXPECT_EQ(kernel_->last_status(), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
        DestroyAll();
        if (HasFailure()) return;
      }
    }
  }
}

// One operation: the pixels of the image are read where they are, and each pixel is written once.
TEST_P(BlitTest, Present_ConvertsAnImage_InOnePass) {
  for (const color::Format from_format : {color::Format::kR16G16B16A16Float, color::Format::kR10G10B10A2Unorm}) {
    for (const color::Format to_format : {color::Format::kB8G8R8A8Unorm, color::Format::kR10G10B10A2Unorm}) {
      if (from_format == to_format) continue;
      TestResource& from = Make(AllocationKind::kImage, 70, 33, from_format);
      TestResource& to = Make(AllocationKind::kLinear, 70, 33, to_format);
      const Picture picture = Random(from.data);
      Write(from, picture);
      DXGKARG_PRESENT args = Whole(to.data);
      const bool halves = from_format == color::Format::kR16G16B16A16Float;
      args.Flags.LinearToSrgb = halves ? 1 : 0;
      BlitCommand command;
      command.from = command.to = args.DstRect;
      command.dither = GetParam().dithers;
      command.transfer = halves ? color::Transfer::kLinearToSrgb : color::Transfer::kPassThrough;
      Picture expected(std::size_t{PitchOf(to.data)} * to.data.height);
      Predict(command, {&args.DstRect, 1}, from.data, to.data, picture, expected, PitchOf(from.data), PitchOf(to.data));
      const auto& passes = *reinterpret_cast<const Allocation*>(static_cast<std::uintptr_t>(to.data.object))->passes;
      const PassCount before = passes.count();
      ASSERT_TRUE(kernel_->WaitFence(kernel_->Present(&from, to, args)));
      const PassCount after = passes.count();
      Picture written(expected.size());
      std::memcpy(written.data(), to.pages, written.size());
      EXPECT_TRUE(SameRows(written, expected, to.data)) << color::ToString(from_format) << " to " << color::ToString(to_format);
      // Shaders write a bounced surface's own buffer, which is copied before and after.
      const std::uint64_t bounced = GetParam().engine == BlitEngine::kShader && !GetParam().import ? 2 : 0;
      // SwiftShader offers no linear images that are as good as others. Where the processor may not copy rows out of them, it has
      // to fetch the pixels first.
      const bool opaque = GetParam().icd == Icd::kSwiftShader && GetParam().engine == BlitEngine::kProcessor;
      const std::uint64_t fetched = opaque && !miniport().gpu().copies_on_host() ? 1 : 0;
      EXPECT_EQ(after.pixels - before.pixels, 70U * 33 * (1 + bounced + fetched)) << color::ToString(from_format);
      DestroyAll();
    }
  }
}

// A layer that wraps images and does not know host copies.
PFN_vkGetDeviceProcAddr below = nullptr;
VKAPI_ATTR VkResult VKAPI_CALL CreateWrappedImage(VkDevice /*device*/, const VkImageCreateInfo* /*info*/,
                                                  const VkAllocationCallbacks* /*allocator*/, VkImage* /*image*/) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL FunctionOfTheLayer(VkDevice device, const char* name) {
  const bool wraps = std::strcmp(name, "vkCreateImage") == 0;
  return wraps ? reinterpret_cast<PFN_vkVoidFunction>(&CreateWrappedImage) : below(device, name);
}

TEST(BlitHostCopies, LayerThatWrapsImages_HasNoneBelow) {
  std::string why_not;
  const auto application = Application::Create(Icd::kSwiftShader, why_not, Validation::kOff);
  if (application == nullptr) GTEST_SKIP() << why_not;
  BorrowedDevice borrowed = application->Borrow();
  const auto gpu = Gpu::Adopt(borrowed);
  ASSERT_TRUE(gpu.ok()) << gpu.error().message;
  EXPECT_TRUE((*gpu)->copies_on_host());
  below = borrowed.get_device_proc_addr;
  borrowed.get_device_proc_addr = &FunctionOfTheLayer;
  const auto wrapped = Gpu::Adopt(borrowed);
  ASSERT_TRUE(wrapped.ok()) << wrapped.error().message;
  EXPECT_FALSE((*wrapped)->copies_on_host());
}

TEST_P(BlitTest, Present_Fill_EveryFormatAndKind) {
  for (const color::Format format : kFormats) {
    for (const AllocationKind kind : kKinds) {
      TestResource& surface = Make(kind, 37, 21, format);
      Picture expected = Random(surface.data);
      Write(surface, expected);
      const std::array<RECT, 2> rects{RECT{1, 2, 9, 5}, RECT{30, 20, 37, 21}};
      DXGKARG_PRESENT args{};
      args.Flags.ColorFill = 1;
      args.Color = 0x80FF4021;
      args.DstRect = {0, 0, 37, 21};
      args.SubRectCnt = 2;
      args.pDstSubRects = const_cast<RECT*>(rects.data());
      ASSERT_TRUE(kernel_->WaitFence(kernel_->Present(nullptr, surface, args)));
      const std::uint64_t pixel = color::PixelOfArgb(args.Color, format);
      const std::uint32_t bytes = color::BytesPerPixel(format);
      for (const RECT& rect : rects) {
        for (LONG y = rect.top; y < rect.bottom; ++y) {
          for (LONG x = rect.left; x < rect.right; ++x) {
            std::memcpy(
                expected.data() + static_cast<std::size_t>(y) * PitchOf(surface.data) + static_cast<std::size_t>(x) * bytes,
                &pixel, bytes);
          }
        }
      }
      EXPECT_TRUE(SameRows(Read(surface), expected, surface.data)) << color::ToString(format) << ' ' << static_cast<int>(kind);
      DestroyAll();
    }
  }
}

TEST_P(BlitTest, Blit_EveryRotation_EqualsTheReference) {
  for (const color::Rotation rotation :
       {color::Rotation::kIdentity, color::Rotation::k90, color::Rotation::k180, color::Rotation::k270}) {
    const bool turned = color::IsQuarterTurn(rotation);
    TestResource& from = Make(AllocationKind::kLinear, 33, 20, color::Format::kB8G8R8A8Unorm);
    TestResource& to = Make(AllocationKind::kLinear, turned ? 31 : 47, turned ? 47 : 31, color::Format::kR16G16B16A16Float);
    const Picture from_picture = Random(from.data);
    Picture expected = Random(to.data);
    Write(from, from_picture);
    Write(to, expected);
    std::vector<std::byte> room(sizeof(BlitCommand) + sizeof(RECT));
    auto& command = *new (room.data()) BlitCommand();
    const auto object = [&](const TestResource& resource) {
      AllocationData data = resource.data;
      return reinterpret_cast<Allocation*>(static_cast<std::uintptr_t>(data.object));
    };
    command.source = object(from);
    command.destination = object(to);
    command.from = {2, 3, 33, 20};
    command.to = {0, 1, 47, 30};
    command.rotation = rotation;
    command.rect_count = 2;
    command.rects[0] = {0, 1, 13, 30};
    command.rects[1] = {20, 5, 47, 9};
    miniport()
        .blitter(kernel_->node())
        .Run(command, command.source->linear()->rows(), command.destination->linear()->rows(), nullptr);
    Predict(command, {command.rects, 2}, from.data, to.data, from_picture, expected, PitchOf(from.data), PitchOf(to.data));
    EXPECT_TRUE(SameRows(Read(to), expected, to.data)) << static_cast<int>(rotation);
    const Blitter::Counters counters = miniport().blitter(kernel_->node()).counters();
    EXPECT_EQ(counters.by_shader != 0, GetParam().engine == BlitEngine::kShader);
    EXPECT_EQ(counters.by_processor != 0, GetParam().engine != BlitEngine::kShader);
    DestroyAll();
  }
}

// Whatever the buffers hold and whoever writes the addresses, the picture is the same.
TEST_P(BlitTest, Present_AnySplitAndPatching_GivesTheSamePicture) {
  struct Way {
    FakeKernel::Building building;
    AllocationKind kind;
  };
  const UINT one = sizeof(BlitCommand);
  const std::vector<FakeKernel::Building> ways{
      {0, 0, 0, true, 1}, {16, one, 2, true, 1}, {16, one + 40, 3, false, 1}, {0, one + 16, 2, false, 3}, {0, 0, 0, true, 0}};
  TestResource& from = Make(AllocationKind::kLocal, 50, 40, color::Format::kB8G8R8A8Unorm);
  const Picture from_picture = Random(from.data);
  Write(from, from_picture);
  std::vector<RECT> rects;
  for (int i = 0; i < 40; ++i) rects.push_back(RandomRect(60, 30));
  for (const AllocationKind kind : kKinds) {
    Picture expected;
    for (const FakeKernel::Building& way : ways) {
      TestResource& to = Make(kind, 60, 30, color::Format::kB8G8R8A8Unorm);
      Write(to, Picture(std::size_t{PitchOf(to.data)} * to.data.height));
      DXGKARG_PRESENT args{};
      args.Flags.Blt = 1;
      args.SrcRect = {0, 0, 50, 40};
      args.DstRect = {0, 0, 60, 30};
      args.SubRectCnt = static_cast<UINT>(rects.size());
      args.pDstSubRects = rects.data();
      kernel_->building = way;
      const UINT fence = kernel_->Present(&from, to, args);
      kernel_->building = {};
      ASSERT_NE(fence, 0u);
      ASSERT_TRUE(kernel_->WaitFence(fence));
      const Picture got = Read(to);
      if (expected.empty()) expected = got;
      EXPECT_TRUE(SameRows(got, expected, to.data));
    }
  }
}

TEST_P(BlitTest, Present_OutsideOrUnknown_IsRefusedByItsStatus) {
  TestResource& from = Make(AllocationKind::kLinear, 20, 20, color::Format::kB8G8R8A8Unorm);
  TestResource& to = Make(AllocationKind::kLinear, 20, 20, color::Format::kR16G16B16A16Float);
  const auto status = [&](const DXGKARG_PRESENT& args) {
    EXPECT_EQ(kernel_->Present(&from, to, args), 0u);
    return kernel_->last_status();
  };
  DXGKARG_PRESENT args = Whole(to.data);
  args.DstRect.right = 21;
  EXPECT_EQ(status(args), STATUS_PRIVILEGED_INSTRUCTION);
  args = Whole(to.data);
  args.SrcRect.bottom = 21;
  EXPECT_EQ(status(args), STATUS_PRIVILEGED_INSTRUCTION);
  args = Whole(to.data);
  args.Flags.LinearToSrgb = 1;
  EXPECT_EQ(status(args), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  args = Whole(to.data);
  args.Flags.Blt = 0;
  EXPECT_EQ(status(args), STATUS_ILLEGAL_INSTRUCTION);
  args.Flags.ColorFill = 1;
  kernel_->building.dma_bytes = 8;
  EXPECT_EQ(status(args), STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
}

// Under a sanitizer: each engine, and pages that the driver imports or not.
auto Machines() {
  std::vector<Machine> machines{{Icd::kLavapipe, BlitEngine::kCheapest, true, true},
                                {Icd::kLavapipe, BlitEngine::kShader, true, false},
                                {Icd::kLavapipe, BlitEngine::kShader, false, false},
                                {Icd::kLavapipe, BlitEngine::kProcessor, false, false}};
  if (!kUnderSanitizer) {
    machines.insert(machines.end(), {{Icd::kLavapipe, BlitEngine::kCheapest, true, false},
                                     {Icd::kLavapipe, BlitEngine::kShader, true, true},
                                     {Icd::kSwiftShader, BlitEngine::kProcessor, true, false},
                                     {Icd::kSwiftShader, BlitEngine::kProcessor, true, false, Validation::kOff},
                                     {Icd::kSwiftShader, BlitEngine::kProcessor, true, true, Validation::kOff},
                                     {Icd::kSwiftShader, BlitEngine::kShader, true, false}});
  }
  return ::testing::ValuesIn(machines);
}

INSTANTIATE_TEST_SUITE_P(Machines, BlitTest, Machines(), [](const auto& p) {
  std::string name = p.param.icd == Icd::kLavapipe ? "Lavapipe" : "SwiftShader";
  name += p.param.engine == BlitEngine::kShader ? "_Shader" : "_Processor";
  return name + (p.param.import ? "" : "_Bounced") + (p.param.dithers ? "_Dithered" : "") +
         (p.param.validation == Validation::kOff ? "_NotValidated" : "");
});

}  // namespace
}  // namespace tandem::vulkan::testing
