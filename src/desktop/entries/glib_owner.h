// Ownership of GLib's objects.
#pragma once

#include <memory>
#include <string>

#include <gio/gio.h>

namespace tandem::desktop {

struct GlibFree {
  void operator()(gchar* text) const { g_free(text); }
  void operator()(gchar** list) const { g_strfreev(list); }
  void operator()(GKeyFile* file) const { g_key_file_unref(file); }
  void operator()(GError* error) const { g_error_free(error); }
  void operator()(GFile* file) const { g_object_unref(file); }
  void operator()(GAppInfo* info) const { g_object_unref(info); }
  void operator()(GAppLaunchContext* context) const { g_object_unref(context); }
};
template <class T>
using Glib = std::unique_ptr<T, GlibFree>;
using GlibText = std::unique_ptr<gchar, GlibFree>;
using GlibList = std::unique_ptr<gchar*, GlibFree>;

// GLib's sentence without its full stop, and frees it.
[[nodiscard]] inline std::string MessageOf(GError* error) {
  const Glib<GError> owner(error);
  std::string text = error == nullptr ? "unknown error" : error->message;
  while (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace tandem::desktop
