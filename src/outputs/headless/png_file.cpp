#include "outputs/headless/png_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <png.h>

#include "base/log.h"
#include "base/named_file.h"
#include "base/replacement_file.h"
#include "base/write_all.h"
#include "color/convert.h"
#include "outputs/eight_bits.h"

namespace tandem::outputs {
namespace {

constexpr std::int64_t kMinimumIntervalNs = 1'000'000'000;

#define TANDEM_TEXT_OF(number) #number
#define TANDEM_LIBPNG(number) "libpng" TANDEM_TEXT_OF(number) ".so." TANDEM_TEXT_OF(number)
constexpr const char* kLibrary = TANDEM_LIBPNG(PNG_LIBPNG_VER_SONUM);

using WriteImage = decltype(&png_image_write_to_stdio);

// Loads libpng for the first picture, so that programs without pictures do not wait for it. Null: it is not here.
WriteImage Writer() {
  static const WriteImage writer = [] {
    void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<WriteImage>(dlsym(library, "png_image_write_to_stdio"));
  }();
  return writer;
}

struct Picture {
  std::vector<std::byte> pixels;  // B8G8R8A8, tight
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// Without the fourth byte: pictures on a screen are opaque.
bool EncodePng(const Picture& picture, std::FILE* file) {
  const std::size_t count = std::size_t{picture.width} * picture.height;
  std::vector<std::byte> colors(3 * count);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(colors.data() + 3 * i, picture.pixels.data() + 4 * i, 3);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_BGR;
  image.flags = PNG_IMAGE_FLAG_FAST;
  return Writer()(&image, file, 0, colors.data(), 0, nullptr) != 0;
}

class PngSink final : public Sink {
 public:
  PngSink(std::string path, Clock& clock) : path_(std::move(path)), clock_(clock) {}
  ~PngSink() override {
    if (!unwritten_) return;
    try {
      if (const auto saved = Save(); !saved.ok()) Log(LogLevel::kError, "{}", saved.error().message);
    } catch (const std::bad_alloc&) {
      Log(LogLevel::kError, "Picture {} could not be written: out of memory.", path_);
    }
  }

  Result<std::uint64_t> Write(const Surface& surface) override {
    if (!color::ConvertsToBgra8(surface.format)) {
      return Fail(ErrorKind::kUnsupported, "Format {} cannot be written to a picture.",
                  static_cast<std::uint32_t>(surface.format));
    }
    picture_.width = surface.width;
    picture_.height = surface.height;
    picture_.pixels.resize(std::size_t{4} * surface.width * surface.height);
    ToBgra8(picture_.pixels.data(), std::uint64_t{4} * surface.width, surface, 0, surface.height, color::Alpha::kOpaque);
    unwritten_ = true;
    const std::int64_t now_ns = clock_.NowNs();
    if (!saved_before_ || now_ns - last_save_ns_ >= kMinimumIntervalNs) {
      if (auto saved = Save(); !saved.ok()) return std::move(saved).error();
      saved_before_ = true;
      last_save_ns_ = now_ns;
    }
    return picture_.pixels.size();
  }

 private:
  Result<void> Save() {
    auto file = ReplacementFile::Create(path_);
    if (!file.ok()) return std::move(file).error();
    auto same = file->fd().Duplicate();
    if (!same.ok()) return std::move(same).error();
    std::FILE* const stream = fdopen(same->get(), "wb");
    if (stream == nullptr) return Fail(ErrorKind::kIo, "Picture {} could not be written: {}.", path_, std::strerror(errno));
    static_cast<void>(same->Release());
    const WriteSignalsHeld held;
    const bool encoded = EncodePng(picture_, stream);
    if (std::fclose(stream) != 0 || !encoded) {
      return Fail(ErrorKind::kIo, "Picture {} could not be written: {}.", path_, std::strerror(errno));
    }
    if (auto published = file->Publish(); !published.ok()) return published;
    unwritten_ = false;
    return {};
  }

  std::string path_;
  Clock& clock_;
  Picture picture_;
  bool unwritten_ = false;
  bool saved_before_ = false;
  std::int64_t last_save_ns_ = 0;
};

}  // namespace

Result<void> CheckPngFile(const std::string& path) {
  const auto file = FindNamedFile(path);
  if (!file.ok()) return file.error();
  if (file->kind == NamedFile::Kind::kStream) {
    return Fail(ErrorKind::kUnsupported, "{} is no regular file, and pictures replace one another.", path);
  }
  if (Writer() == nullptr) return Fail(ErrorKind::kUnsupported, "{} cannot be loaded, which writes pictures.", kLibrary);
  return CheckWritable(path, Writing::kReplacing);
}

Result<std::unique_ptr<Sink>> CreatePngSink(const std::string& path, Clock& clock) {
  // The first frame may come late, so an unwritable path is reported now.
  if (auto checked = CheckPngFile(path); !checked.ok()) return std::move(checked).error();
  return std::make_unique<PngSink>(path, clock);
}

}  // namespace tandem::outputs
