#include "outputs/x11/extension_libraries.h"

#include <optional>

#include <dlfcn.h>

#include "base/log.h"

namespace tandem::outputs {
namespace {

// A shared library whose missing names are logged.
class Library {
 public:
  explicit Library(const char* name) : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    if (handle_ == nullptr) Miss(dlerror());
  }

  template <class Symbol>
  void Find(const char* name, Symbol& symbol) {
    symbol = handle_ == nullptr ? nullptr : reinterpret_cast<Symbol>(dlsym(handle_, name));
    if (symbol == nullptr) Miss(name);
  }
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  void Miss(const char* what) {
    if (complete_) Log(LogLevel::kInfo, "X11 windows do without {}: {} is missing.", name_, what == nullptr ? "it" : what);
    complete_ = false;
  }

  const char* const name_;
  void* const handle_;
  bool complete_ = true;
};

std::optional<XcbPresent> FindPresent() {
  Library library("libxcb-present.so.0");
  XcbPresent found{};
  library.Find("xcb_present_id", found.id);
  library.Find("xcb_present_query_version", found.query_version);
  library.Find("xcb_present_query_version_reply", found.query_version_reply);
  library.Find("xcb_present_select_input", found.select_input);
  library.Find("xcb_present_notify_msc", found.notify_msc);
  library.Find("xcb_present_pixmap", found.pixmap);
  return library.complete() ? std::optional(found) : std::nullopt;
}

std::optional<XcbDri3> FindDri3() {
  Library library("libxcb-dri3.so.0");
  XcbDri3 found{};
  library.Find("xcb_dri3_id", found.id);
  library.Find("xcb_dri3_query_version", found.query_version);
  library.Find("xcb_dri3_query_version_reply", found.query_version_reply);
  library.Find("xcb_dri3_pixmap_from_buffer_checked", found.pixmap_from_buffer_checked);
  library.Find("xcb_dri3_pixmap_from_buffers_checked", found.pixmap_from_buffers_checked);
  return library.complete() ? std::optional(found) : std::nullopt;
}

}  // namespace

const XcbPresent* LoadXcbPresent() {
  static const std::optional<XcbPresent> library = FindPresent();
  return library ? &*library : nullptr;
}

const XcbDri3* LoadXcbDri3() {
  static const std::optional<XcbDri3> library = FindDri3();
  return library ? &*library : nullptr;
}

}  // namespace tandem::outputs
